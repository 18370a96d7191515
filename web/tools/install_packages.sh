#!/bin/sh
# install_packages.sh: brings web/node_modules to what package-lock.json says, where it is not yet.
# Without npm, what the bundle needs and no more: then the page's tests cannot run.
set -eu
cd "$(dirname "$0")/.."
# Builds of several presets run beside each other and share this folder: the second waits for what the first installs. The folder itself is locked, since npm replaces
# node_modules whole.
if command -v flock >/dev/null; then
    exec 9<.
    flock 9
fi
all=node_modules/.installed-lock       # what npm installs: the tests' packages too
bundling=node_modules/.bundling-lock   # what the bundle alone needs
if command -v npm >/dev/null; then
    if ! cmp -s package-lock.json "$all"; then
        npm ci --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
        cp package-lock.json "$all"
    fi
elif ! cmp -s package-lock.json "$all" && ! cmp -s package-lock.json "$bundling"; then
    python3 tools/fetch_packages.py .
    cp package-lock.json "$bundling"
fi
