#!/bin/sh
# build_page.sh WEB DIST: installs the page's few packages when the lock file changed, then bundles.
set -eu
web=$1 dist=$2
cd "$web"
stamp=node_modules/.installed-lock
if ! cmp -s package-lock.json "$stamp"; then
    npm ci --ignore-scripts --no-audit --no-fund --silent
    cp package-lock.json "$stamp"
fi
exec node build.mjs --out "$dist"
