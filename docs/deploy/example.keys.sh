#!/bin/sh
# Make the files of the keys in the folder that is named, readable by their owner only.
#   sh example.keys.sh /etc/lototrot/keys      (for compose: sh example.keys.sh keys)
set -eu
umask 077
mkdir -p "$1"
cd "$1"
ring() { python3 -c "import json, secrets; print(json.dumps({'current': '1', 'keys': {'1': secrets.token_hex(32)}}))"; }
[ -s secret_key ] || python3 -c "import secrets; print(secrets.token_urlsafe(48))" > secret_key
[ -s code_keys ] || python3 -c "import json, secrets; print(json.dumps({'current': '1', 'keys': {'1': [secrets.token_hex(32), secrets.token_hex(32)]}}))" > code_keys
for name in data_keys token_keys seed_keys signing_keys; do
    [ -s "$name" ] || ring > "$name"
done
