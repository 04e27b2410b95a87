#!/bin/bash -e
# A file for each application server, because all of them are connected at the same time.
. ctx-sh

backends=$(ctx source instance runtime-properties folder)/backends
mkdir -p "$backends"
ctx target instance runtime-properties url > "$backends/$(ctx target instance id)"
