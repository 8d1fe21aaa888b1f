# Sourced by scripts that build programs for boards, after install.sh. `missing` ends a script for want of a program.

has_library_source() { [ -e "$1/lib/rustlib/src/rust/library/Cargo.lock" ]; }

# In firmware/ too, whose rust-toolchain.toml has rustup download what may be here already.
use_this_toolchain() {
    local toolchain
    toolchain=$(rustup show active-toolchain 2>/dev/null) || return 0
    export RUSTUP_TOOLCHAIN=${toolchain%% *}
}

# Finds a compiler for a target: rustup's, or else Debian's with the source of the library, which is
# then built as well.
with_firmware_target() {
    local target=$1 host
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || try_install rustup target add "$target"; then
        return
    fi
    echo "rustup has no $target: building with Debian's rustc-web and rust-web-src"
    install rustc-web rust-web-src || true
    has_library_source "$(/usr/bin/rustc --print sysroot)" ||
        missing "firmware skipped: there is no compiler for $target (rustup target add $target)"
    host=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')
    export PATH="$host/bin:$PATH"    # rust-lld
    export RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=core,alloc
    # Clippy reads only what a compiler of its own version wrote. It may be missing, in CI too.
    install rust-web-clippy || true
    clippy=()
    [ ! -x /usr/bin/cargo-clippy ] || clippy=(/usr/bin/cargo-clippy clippy)
}

# Builds in the folder of a board; the rest is for cargo.
build_board() (
    with_firmware_target "$2"
    cd "$1"
    cargo build --release "${@:3}"
)
