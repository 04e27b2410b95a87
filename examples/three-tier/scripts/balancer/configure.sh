#!/bin/bash -e
. ctx-sh

folder=$(ctx instance runtime-properties folder)
mkdir -p "$folder/backends"
ctx download-resource resources/balancer.py "$folder/balancer.py"
