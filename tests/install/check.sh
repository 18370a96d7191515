#!/usr/bin/env bash
# Builds and runs the tiny outside project.   check.sh outside|inside BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
kind=$1 build=$2 source=$3
if [[ $kind == inside ]]; then
    # A place that is the same each time: the compiler cache finds what it compiled before.
    work=$build/install-inside
    rm -rf "$work"
    mkdir -p "$work"
else
    work=$(mktemp -d)
fi
trap 'rm -rf "$work"' EXIT
common=(-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
command -v ccache >/dev/null && common+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
command -v mold >/dev/null && common+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)
if [[ $kind == outside ]]; then
    cmake --install "$build" --prefix "$work/prefix" --component library >/dev/null
    common+=(-DCMAKE_PREFIX_PATH="$work/prefix")
else
    common+=(-DTAFFRAIL_SOURCE="$source")
    # A third of the work from an empty compiler cache; with full counts each file is compiled by itself.
    [[ ${TAFFRAIL_FULL:-} ]] || common+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16)
fi
cmake -S "$(dirname "$0")/$kind" -B "$work/build" "${common[@]}" >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
nice -n 15 ninja -C "$work/build" -j "$(nproc)" "$kind" >"$work/build.log" || { tail -50 "$work/build.log"; exit 1; }
if [[ -x $work/build/ranks ]]; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "$work/build/ranks"
fi
TAFFRAIL_DIR= "$work/build/$kind" "$work/runs"
