#!/bin/bash -e
. ctx-sh

ctx source instance runtime-properties greeting_url "$(ctx target instance runtime-properties url)"
