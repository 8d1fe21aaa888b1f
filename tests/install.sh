# Sourced by scripts that need programs which may be missing. A script installs them only when it is told --install.
may_install=false

# Installs the Debian packages among these that are missing. Fails if it may not or cannot.
install() {
    local package wanted=() sudo=()
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed' ||
            wanted+=("$package")
    done
    [ ${#wanted[@]} -eq 0 ] && return
    "$may_install" && command -v apt-get >/dev/null || return
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return
        sudo=(sudo -n)
    fi
    echo "installing ${wanted[*]}"
    local get=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
    "${get[@]}" update && "${get[@]}" install -y --no-install-recommends "${wanted[@]}" >/dev/null
}
