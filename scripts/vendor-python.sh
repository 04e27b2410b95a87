#!/bin/sh
# Rebuilds what is vendored of Python from Debian bookworm's packages: python/vendor for operations
# (docs/decisions/2026-11-21-vendored-jinja.md), python/tutti_environments/vendor for installing plugins
# (docs/decisions/2026-11-22-plugin-environments.md).
# Pure Python only: the C speed-ups of markupsafe fit one interpreter; markupsafe/_native.py fits all.
set -eu

cd "$(dirname "$0")/.."
vendor="$PWD/python/vendor"
installing="$PWD/python/tutti_environments/vendor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() { # package, version, SHA-256 of the .deb
    if ! (cd "$work" && apt-get download -q "$1=$2"); then
        echo "Debian no longer serves $1 $2: take the newer security release, and set its version and SHA-256 here." >&2
        exit 1
    fi
    deb=$(ls "$work/$1"_*.deb)
    echo "$3  $deb" | sha256sum --check --quiet
    dpkg-deb --extract "$deb" "$work/root"
}

apt-get update -q
fetch python3-jinja2 3.1.2-1+deb12u3 914e3a26742b488bca661dd12dc06198262c3a99b68f2f20ef7310aecdf82cae
fetch python3-markupsafe 2.1.2-1+b1 38310d680386db2d1b166be3ac839aa5bc7ead3de235466bd3e13a3ef4962601
fetch python3-installer 0.6.0+dfsg1-1 9db5740a063c313f2ad506256e62ab2e9fe30d1d3099effd7833c3b04f9ede8f
fetch python3-packaging 23.0-1 04adb9e09aa8ed5bd8e31d31143fb265c43dcbec70da19f21e37cbe44b0c32cf

copy() { # folder, package
    rm -rf "${1:?}/$2"
    cp -R "$work/root/usr/lib/python3/dist-packages/$2" "$1/$2"
    cp "$work/root/usr/share/doc/python3-$2/copyright" "$1/$2/LICENSE"
}
copy "$vendor" jinja2
copy "$vendor" markupsafe
copy "$installing" installer
copy "$installing" packaging
find "$vendor" "$installing" \( -name '*.so' -o -name '*.pyi' -o -name py.typed -o -name __pycache__ \) -prune -exec rm -rf {} +
