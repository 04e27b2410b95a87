#!/bin/bash -e
. ctx-sh

# shellcheck disable=SC2154 # folder and db_url are inputs
ctx node properties text > "$folder/www/greeting.txt"
ctx instance runtime-properties url "${db_url}greeting.txt"
