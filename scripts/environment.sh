# Sourced by the other scripts: where things are cached and how compilers are shared between build folders.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export TAFFRAIL_CACHE=${TAFFRAIL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/taffrail}
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-8G}
mkdir -p "$TAFFRAIL_CACHE"

# build PRESET [TARGET…]: configures on first use, then builds.
build() {
    local preset=$1
    shift
    [[ -f $root/build/$preset/build.ninja ]] || (cd "$root" && cmake --preset "$preset" >"/tmp/taffrail-configure-$$.log" 2>&1) ||
        { cat "/tmp/taffrail-configure-$$.log"; return 1; }
    ninja -C "$root/build/$preset" "$@"
}
