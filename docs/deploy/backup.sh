#!/bin/bash
# Make a base backup: whole on Sundays and where there is none, else what changed since the last whole
# one. WHOLE=yes asks for a whole one. With $FIGURES (a folder of node_exporter) write its time.
set -euo pipefail
since=(--incremental last-full)
if [ -n "${WHOLE:-}" ] || [ "$(date +%u)" = 7 ] || ! barman show-backup lototrot last-full > /dev/null 2>&1; then
    since=()
fi
# Before the first backup, the first file of the log has to be filed.
barman switch-wal --force --archive --archive-timeout 300 lototrot
barman backup --wait "${since[@]}" lototrot
if [ -d "${FIGURES:-}" ]; then
    echo "lototrot_backup_timestamp_seconds $(date +%s)" > "$FIGURES/lototrot_backup.prom.part"
    chmod 644 "$FIGURES/lototrot_backup.prom.part"
    mv "$FIGURES/lototrot_backup.prom.part" "$FIGURES/lototrot_backup.prom"
fi
