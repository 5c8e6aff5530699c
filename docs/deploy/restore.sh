#!/bin/bash
# Restore the newest base backup with the archived log after it onto this machine, check every file of
# the backup, and run the audits on what was restored; then remove it. For practice, every week, on a
# machine that has the private key in $GNUPGHOME and reads $FOLDER and $ARCHIVE:
#   FOLDER=/backup ARCHIVE=/archive WORK=/var/lib/lototrot-restore bash restore.sh
# It ends with an error if the backup is damaged or an audit finds a difference. With $FIGURES (a folder
# of node_exporter) it writes the time of a restore that was right, and how long it took.
set -euo pipefail
umask 077
began=$(date +%s)
newest=$(find "$FOLDER" -maxdepth 1 -name '*.tar.gpg' | sort | tail --lines 1)
[ -n "$newest" ] || { echo "no backup in $FOLDER" >&2; exit 1; }
data="$WORK/data" run="$WORK/run"
rm -rf "$data" "$run"
mkdir -p -m 700 "$data" "$run"
finish() {
    pg_ctl --pgdata "$data" --mode immediate stop >/dev/null 2>&1 || true
    rm -rf "$data" "$run"
}
trap finish EXIT

gpg --batch --quiet --decrypt "$newest" | tar --extract --directory "$data"
pg_verifybackup --quiet "$data"
touch "$data/recovery.signal"
# The folder of the socket is ours alone; nothing listens on the network.
echo 'local all all trust' > "$WORK/run/hba.conf"
cat >> "$data/postgresql.auto.conf" <<SETTINGS
restore_command = 'gpg --batch --quiet --decrypt --output %p $ARCHIVE/%f.gpg'
recovery_target_timeline = 'latest'
recovery_target_action = 'promote'
archive_mode = 'off'
synchronous_standby_names = ''
listen_addresses = ''
unix_socket_directories = '$run'
hba_file = '$run/hba.conf'
port = '5432'
SETTINGS
pg_ctl --pgdata "$data" --wait --timeout "${WITHIN_S:-7200}" --log "$WORK/log" start >/dev/null
until [ "$(psql --no-psqlrc --tuples-only --no-align --host "$run" --username "${APP_ROLE:-lototrot_app}" \
    --dbname "${DATABASE:-lototrot}" --command 'SELECT pg_is_in_recovery()')" = f ]; do sleep 1; done

export DATABASE_URL="postgresql://${APP_ROLE:-lototrot_app}@/${DATABASE:-lototrot}?host=$run"
for audit in ledger_rebuild journal_verify seals_verify; do
    "${PYTHON:-/opt/lototrot/.venv/bin/python}" "${PROGRAM:-/opt/lototrot}/manage.py" $audit
done
if [ -d "${FIGURES:-}" ]; then
    printf 'lototrot_restore_timestamp_seconds %s\nlototrot_restore_took_seconds %s\n' \
        "$(date +%s)" "$(($(date +%s) - began))" > "$FIGURES/lototrot_restore.prom.part"
    chmod 644 "$FIGURES/lototrot_restore.prom.part"
    mv "$FIGURES/lototrot_restore.prom.part" "$FIGURES/lototrot_restore.prom"
fi
