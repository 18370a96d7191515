#!/bin/sh
# build_page.sh WEB OUT: installs the page's few packages when the lock file changed, then bundles into OUT.
set -eu
cd "$1"
stamp=node_modules/.installed-lock
if ! cmp -s package-lock.json "$stamp"; then
    npm ci --ignore-scripts --no-audit --no-fund --silent
    cp package-lock.json "$stamp"
fi
exec node build.mjs --quiet --out "$2"
