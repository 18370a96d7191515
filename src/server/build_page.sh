#!/bin/sh
# build_page.sh WEB OUT: installs the page's few packages when the lock file changed, then bundles into OUT.
set -eu
cd "$1"
tools/install_packages.sh
exec node build.mjs --quiet --out "$2"
