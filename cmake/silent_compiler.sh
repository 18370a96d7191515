#!/bin/sh
# silent_compiler.sh COMPILER …: runs the compiler and fails when it says anything. One that is content prints nothing, in every language.
said=$("$@" 2>&1)
status=$?
if [ -n "$said" ]; then
    printf '%s\n' "$said" >&2
    [ $status -ne 0 ] || status=1
fi
exit $status
