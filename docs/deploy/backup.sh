#!/bin/bash
# Make a base backup, encrypted to the keys in $RECIPIENTS, whose private halves are elsewhere:
#   FOLDER=/backup ARCHIVE=/archive RECIPIENTS=... bash backup.sh
# Keep the newest $KEEP backups (default 7), and in $ARCHIVE the log since the oldest of these: neither
# fills its disk. With $FIGURES (a folder of node_exporter) write the time of this backup for alarms.
set -euo pipefail
umask 077
mkdir -p -m 700 "$GNUPGHOME"
file="$FOLDER/$(date --utc +%Y%m%dT%H%M%SZ).tar.gpg"
rm -f "$FOLDER"/*.part
pg_basebackup --pgdata - --format tar --wal-method fetch --checkpoint fast |
    gpg --batch --quiet --encrypt --recipient-file "$RECIPIENTS" --output "$file.part"
sync "$file.part"
mv "$file.part" "$file"
sync "$FOLDER"

# The server archives a small file for each backup, named after the log that it begins with.
newest_first() { find "$1" -maxdepth 1 -name "$2" | sort --reverse; }
newest_first "$FOLDER" "*.tar.gpg" | tail --lines "+$((${KEEP:-7} + 1))" | xargs --no-run-if-empty rm --
if [ -n "${ARCHIVE:-}" ]; then
    oldest=$(newest_first "$ARCHIVE" "*.backup.gpg" | sed --quiet "${KEEP:-7}p")
    oldest=$(basename "$oldest")
    for log in "$ARCHIVE"/????????????????????????*.gpg; do
        name=$(basename "$log")
        # Without the timeline, its first eight digits: a promotion changes these alone.
        if [ -n "$oldest" ] && [[ "${name:8:16}" < "${oldest:8:16}" ]]; then
            rm -f -- "$log" "$log.sha256"
        fi
    done
fi
if [ -d "${FIGURES:-}" ]; then
    printf 'lototrot_backup_timestamp_seconds %s\nlototrot_backup_bytes %s\n' \
        "$(date +%s)" "$(stat --format %s "$file")" > "$FIGURES/lototrot_backup.prom.part"
    chmod 644 "$FIGURES/lototrot_backup.prom.part"
    mv "$FIGURES/lototrot_backup.prom.part" "$FIGURES/lototrot_backup.prom"
fi
