#!/bin/bash -e
. ctx-sh

# shellcheck disable=SC2154 # workspace is an input
folder="$workspace/$(ctx instance id)"
mkdir -p "$folder/www"
ctx instance runtime-properties folder "$folder"
