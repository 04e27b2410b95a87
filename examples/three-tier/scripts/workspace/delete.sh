#!/bin/bash -e
. ctx-sh

folder=$(ctx instance runtime-properties folder 2> /dev/null) || exit 0 # it was never created
rm -rf "$folder"
ctx instance runtime-properties clear
ctx logger info "Removed $folder"
