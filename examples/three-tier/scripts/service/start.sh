#!/bin/bash -e
. ctx-sh

cd "$(ctx instance runtime-properties folder)"
# shellcheck disable=SC2154,SC2086 # command is an input, and several words
nohup $command > log 2>&1 < /dev/null &
ctx instance runtime-properties pid $!
