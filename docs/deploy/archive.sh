#!/bin/bash
# Receive the log, file it, drop what nothing needs any more, and check that all is well; for ever.
# With $FIGURES (a folder of node_exporter) write the time of the last check that found no fault.
# $SERVER is the name that Barman has for the database: another one after a restore.
set -uo pipefail
server="${SERVER:-lototrot}"
while true; do
    # Barman starts its own receiver of the log where none runs.
    barman cron
    if barman check --nagios "$server" && [ -d "${FIGURES:-}" ]; then
        echo "lototrot_archive_sound_timestamp_seconds $(date +%s)" > "$FIGURES/lototrot_archive.prom.part"
        chmod 644 "$FIGURES/lototrot_archive.prom.part"
        mv "$FIGURES/lototrot_archive.prom.part" "$FIGURES/lototrot_archive.prom"
    fi
    sleep "${EVERY_S:-60}" & wait
done
