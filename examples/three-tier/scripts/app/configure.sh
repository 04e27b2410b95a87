#!/bin/bash -e
# Reads the greeting from the database and renders it into the page.
. ctx-sh

url=$(ctx instance runtime-properties greeting_url)
greeting=$(no_proxy='*' python3 -c 'import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())' "$url")

ctx instance runtime-properties greeting "$greeting"
ctx download-resource-and-render resources/index.html "$(ctx instance runtime-properties folder)/www/index.html"
