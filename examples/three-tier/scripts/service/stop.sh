#!/bin/bash -e
. ctx-sh

# A process that has ended but that nobody has waited for is a zombie: it can still be signalled.
runs() {
    kill -0 "$1" 2> /dev/null && ! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"
}

pid=$(ctx instance runtime-properties pid 2> /dev/null) || exit 0 # it was never started
if kill "$pid" 2> /dev/null; then
    for _ in $(seq 100); do
        runs "$pid" || break
        sleep 0.05
    done
    if runs "$pid"; then
        ctx retry-operation "process $pid does not end" @'{"retry_after": 1}'
    fi
fi
