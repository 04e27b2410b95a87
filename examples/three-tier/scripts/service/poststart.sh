#!/bin/bash -e
# Finds out the port that the service chose; comes back later while it has not said it.
. ctx-sh

id=$(ctx instance id)
pid=$(ctx instance runtime-properties pid)
log=$(ctx instance runtime-properties folder)/log
port=$(sed -n 's/.* port \([0-9][0-9]*\).*/\1/p' "$log" | head -n 1)

if [ -z "$port" ]; then
    kill -0 "$pid" 2> /dev/null || ctx abort-operation "$id has ended: $(tail -n 5 "$log")"
    ctx retry-operation "$id does not listen yet" @'{"retry_after": 1}'
fi

ctx instance runtime-properties url "http://127.0.0.1:$port/"
ctx logger info "$id listens on port $port"
ctx returns "http://127.0.0.1:$port/"
