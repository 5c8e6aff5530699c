#!/bin/sh
# Encrypt a file of PostgreSQL's log to the keys in $RECIPIENTS, whose private halves are elsewhere:
#   archive_command = 'sh /path/to/archive.sh %p %f'
# $FOLDER holds NAME.gpg and, as an encrypted file cannot be compared, the digest of what is in it: a
# file that is sent again after a crash is taken for archived, another one of that name is refused.
set -eu
umask 077
export GNUPGHOME="${GNUPGHOME:-/tmp/lototrot-gnupg}"
mkdir -p "$GNUPGHOME"
file="$FOLDER/$2.gpg"
digest=$(sha256sum "$1" | cut -d " " -f 1)
if [ -e "$file" ]; then
    [ "$(cat "$file.sha256")" = "$digest" ]
    exit
fi
rm -f "$file.part"
gpg --batch --quiet --encrypt --recipient-file "$RECIPIENTS" --output "$file.part" "$1"
echo "$digest" > "$file.sha256"
sync "$file.part" "$file.sha256"
mv "$file.part" "$file"
sync "$FOLDER"
