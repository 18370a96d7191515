# Sourced by the other scripts: where things are cached and how compilers are shared between build folders.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export TAFFRAIL_CACHE=${TAFFRAIL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/taffrail}
# The language of messages is no part of an object: a root with another locale takes what was compiled outside.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros,locale CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-8G}
mkdir -p "$TAFFRAIL_CACHE"

# configure PRESET: on first use, and again when the presets changed.
configure() {
    local said
    [[ $root/build/$1/build.ninja -nt $root/CMakePresets.json ]] || said=$(cd "$root" && cmake --preset "$1" 2>&1) || { echo "$said"; return 1; }
}

# build PRESET [TARGET…]: configures where needed, then builds.
build() {
    local preset=$1
    shift
    configure "$preset" && ninja -C "$root/build/$preset" "$@"
}
