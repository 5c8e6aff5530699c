#!/bin/bash
# Make a base backup: whole on Sundays and where there is none, else what changed since the last whole
# one. WHOLE=yes asks for a whole one. With $FIGURES (a folder of node_exporter) write its time.
# $SERVER is the name that Barman has for the database: another one after a restore.
set -euo pipefail
server="${SERVER:-lototrot}"
since=(--incremental last-full)
if [ -n "${WHOLE:-}" ] || [ "$(date +%u)" = 7 ] || ! barman show-backup "$server" last-full > /dev/null 2>&1; then
    since=()
fi
# Before the first backup, the first file of the log has to be filed.
barman switch-wal --force --archive --archive-timeout 300 "$server"
barman backup --wait "${since[@]}" "$server"
if [ -d "${FIGURES:-}" ]; then
    echo "lototrot_backup_timestamp_seconds $(date +%s)" > "$FIGURES/lototrot_backup.prom.part"
    chmod 644 "$FIGURES/lototrot_backup.prom.part"
    mv "$FIGURES/lototrot_backup.prom.part" "$FIGURES/lototrot_backup.prom"
fi
