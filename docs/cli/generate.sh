#!/usr/bin/env bash
# Prints docs/cli/reference.md from the command's own help.   docs/cli/generate.sh path/to/taffrail
set -euo pipefail
taffrail=$1
echo "# Reference: every command"
echo
echo "Made from \`--help\` by docs/cli/generate.sh; do not edit."
"$taffrail" --help | sed -n '/^Commands:/,/^$/p' | awk 'NR > 1 && NF {print $1}' | while read -r command; do
    printf '\n## taffrail %s\n```\n' "$command"
    "$taffrail" "$command" --help
    echo '```'
done
