#!/usr/bin/env bash
# Installs the Debian packages a part of Taffrail needs, if any is missing.
#   scripts/dependencies.sh build            compile the library, the command and the dashboard
#   scripts/dependencies.sh build test …     further sets: python, test, tools, video, mpi, tensorboard, aim, browser, package
# Uses sudo when not root, and says what to install by hand when neither is possible.
set -euo pipefail

declare -A sets=(
    [build]="build-essential cmake ninja-build git pkgconf ca-certificates ccache mold python3
             libboost1.81-dev libfmt-dev libyaml-cpp-dev libcli11-dev libcurl4-openssl-dev libssl-dev libsqlite3-dev libzstd-dev
             zlib1g-dev libdeflate-dev libspng-dev libturbojpeg0-dev libgif-dev libsodium-dev libeigen3-dev"
    [test]="libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev python3-venv python3-dev tmux gdb strace valgrind
            libusb-1.0-0 libgl1 libegl1"
    [python]="python3-venv python3-dev"
    [tools]="clang-19 libclang-rt-19-dev clang-tidy-19 clang-format-19"
    [video]="libavcodec-dev libavformat-dev libavutil-dev libswscale-dev libavfilter-dev"
    [mpi]="libopenmpi-dev openmpi-bin"
    [tensorboard]="libgrpc++-dev protobuf-compiler-grpc libprotobuf-dev protobuf-compiler"
    [aim]="librocksdb-dev"
    [browser]="chromium firefox-esr fonts-dejavu-core fonts-dejavu-extra"
    [package]="debootstrap"
)

missing=()
for name in "$@"; do
    [[ -v "sets[$name]" ]] || { echo "dependencies: unknown set '$name'; known: ${!sets[*]}" >&2; exit 2; }
    for package in ${sets[$name]}; do
        dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
done
# Node may come from elsewhere; Debian's npm would then conflict with it. The page is bundled without npm, which is 335 packages;
# the page's tests are not.
if [[ " $* " == *" build "* ]]; then
    command -v node >/dev/null || missing+=(nodejs)
fi
if [[ " $* " == *" test "* ]]; then
    command -v npm >/dev/null || missing+=(npm)
fi
((${#missing[@]})) || exit 0

run=()
if ((EUID != 0)); then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        run=(sudo)
    else
        echo "dependencies: these Debian packages are missing and I may not install them. Please run:" >&2
        echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
fi
if ! command -v apt-get >/dev/null; then
    echo "dependencies: this is no Debian-like system; please install the equivalents of: ${missing[*]}" >&2
    exit 1
fi
echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${run[@]}" apt-get update -qq
"${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
