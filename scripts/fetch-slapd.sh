#!/usr/bin/env bash
# Unpacks Debian's slapd, which tests of LDAP logins start on loopback, into a cache folder, and prints that folder.
# Needs no root, installs nothing and starts no service; when it is there already, nothing happens. An installed slapd is
# used only where nothing can be unpacked: Ubuntu's is kept by AppArmor from reading a test's folder.
set -euo pipefail
export LC_ALL=C

cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tutti-test
folder=$cache/slapd
if [[ -x $folder/usr/sbin/slapd ]]; then
  echo "$folder"
  exit
fi

use_installed() {
  if [[ -x /usr/sbin/slapd ]]; then
    echo /
    exit
  fi
  echo "slapd, which the tests of LDAP logins need, $1. As root: apt-get update && apt-get install slapd" >&2
  exit 1
}
for program in apt-get apt-cache dpkg-deb; do
  command -v "$program" >/dev/null || use_installed 'can be unpacked on Debian and Ubuntu only'
done

mkdir -p "$cache"
new=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
cd "$new"

# slapd and the libraries that it is linked with; those of its other backends (Perl, ODBC) are not loaded.
download() {
  local libraries
  libraries=$(apt-cache depends --no-recommends --no-suggests slapd |
    sed -n 's/^ *Depends: \(lib\(ldap\|ltdl\|sasl2\|wrap\)[^ ]*\)$/\1/p')
  # shellcheck disable=SC2086
  [[ -n $libraries ]] && apt-get download -q slapd $libraries
}
if ! download >log 2>&1; then
  # Only root can fetch the package lists, which containers come without.
  if [[ $(id -u) != 0 ]] || ! { apt-get update -q && download; } >>log 2>&1; then
    cat log >&2
    use_installed 'could not be downloaded'
  fi
fi
mkdir unpacked
for package in *.deb; do dpkg-deb -x "$package" unpacked; done
# Whole or not at all; another run may have been faster.
mv -T unpacked "$folder" 2>/dev/null || [[ -x $folder/usr/sbin/slapd ]]
echo "$folder"
