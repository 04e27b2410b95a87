#!/bin/bash -e
. ctx-sh

ctx instance runtime-properties folder "$(mktemp -d -t three-tier-XXXXXX)"
