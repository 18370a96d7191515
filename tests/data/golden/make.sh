#!/usr/bin/env bash
# Writes the golden files of a new format version: tests/data/golden/make.sh BUILD VERSION (build/quick v2). What is there is never written
# again: files of released versions must stay readable as they are. tests/store/golden_test.cpp says what is in them and reads them back.
set -euo pipefail
[[ $# == 2 ]] || { sed -n '2,3s/^# //p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
for kind in "" -sealed; do
    [[ ! -e $here/$2$kind ]] || { echo "$here/$2$kind is there already and stays as it is"; continue; }
    variable=TAFFRAIL_WRITE_GOLDEN${kind:+_SEALED}
    env "$variable=$here/$2$kind" "$1/tests/store/store_test" --gtest_filter='Golden.Write*OnRequest' --gtest_brief=1
done
