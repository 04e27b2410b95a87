#!/bin/bash -e
. ctx-sh

rm -f "$(ctx source instance runtime-properties folder)/backends/$(ctx target instance id)"
