# Sourced by scripts that need what may not be there.

# Installs Debian packages that are not there yet.
install() {
    local package wanted=() sudo=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed' ||
            wanted+=("$package")
    done
    [ ${#wanted[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || return
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return
        sudo=(sudo -n)
    fi
    echo "installing ${wanted[*]}"
    local get=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
    "${get[@]}" update && "${get[@]}" install -y --no-install-recommends "${wanted[@]}" >/dev/null
}
