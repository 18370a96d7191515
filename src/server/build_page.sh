#!/bin/sh
# build_page.sh WEB OUT: installs the page's few packages when the lock file changed, then bundles into OUT.
set -eu
cd "$1"
all=node_modules/.installed-lock       # what npm installs: the tests' packages too
bundling=node_modules/.bundling-lock   # what the bundle alone needs
if command -v npm >/dev/null; then
    if ! cmp -s package-lock.json "$all"; then
        npm ci --ignore-scripts --no-audit --no-fund --silent
        cp package-lock.json "$all"
    fi
elif ! cmp -s package-lock.json "$all" && ! cmp -s package-lock.json "$bundling"; then
    python3 tools/fetch_packages.py .
    cp package-lock.json "$bundling"
fi
exec node build.mjs --quiet --out "$2"
