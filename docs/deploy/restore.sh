#!/bin/bash
# Restore the newest backup with the log after it into $WORK/data, start a server on it, and audit what
# it has. It listens on a socket in $WORK/run only. For practice, every week; then all is removed.
#   STAY=yes    leaves the server running: a restore in earnest. See docs/operations/backup.md.
#   UNTIL=...   restores to an instant: --target-time of Barman
#   SERVER=name  the name that Barman has for the database, by default lototrot
#   FOLDER=...  what Barman keeps of it, by default /var/lib/barman/$SERVER
#   OWNER=name  the account that restores and serves, where root runs this
# $WORK/last says when, how many minutes it took, and how it ended; $FIGURES (a folder of
# node_exporter) gets the same as figures. A fault is the exit code 1.
set -euo pipefail
umask 077
began=$(date +%s)
server="${SERVER:-lototrot}"
data="$WORK/data" run="$WORK/run" role="${APP_ROLE:-lototrot_app}" database="${DATABASE:-lototrot}"
as_owner() { if [ -n "${OWNER:-}" ]; then setpriv --reuid="$OWNER" --regid="$(id -g "$OWNER")" --clear-groups -- "$@"; else "$@"; fi; }
asked() { psql --no-psqlrc --tuples-only --no-align --host "$run" --username "$role" --dbname "$database" --command "$1"; }
whole=
finish() {
    code=$?
    trap - EXIT
    trap '' TERM INT HUP
    # Ended by a signal, bash says 0 here: only what came to its end has passed.
    [ -n "$whole" ] || [ $code != 0 ] || code=1
    if [ $code != 0 ] || [ -z "${STAY:-}" ]; then
        as_owner pg_ctl --pgdata "$data" --mode immediate stop > /dev/null 2>&1 || true
        rm -rf "$data" "$run" "$WORK/staging"
    fi
    rm -f "$WORK/unfinished"
    ended=$(date +%s)
    word=passed
    [ $code = 0 ] || word=FAILED
    echo "$(date --utc +%FT%TZ) $word after $(((ended - began + 59) / 60)) minutes ($((ended - began)) s): ${backup:-no backup}" |
        tee "$WORK/last"
    if [ -d "${FIGURES:-}" ]; then
        printf 'lototrot_restore_timestamp_seconds %s\nlototrot_restore_passed %s\nlototrot_restore_took_seconds %s\n' \
            "$ended" "$((code == 0))" "$((ended - began))" > "$FIGURES/lototrot_restore.prom.part"
        chmod 644 "$FIGURES/lototrot_restore.prom.part"
        mv "$FIGURES/lototrot_restore.prom.part" "$FIGURES/lototrot_restore.prom"
    fi
    exit $code
}
if as_owner pg_ctl --pgdata "$data" status > /dev/null 2>&1; then
    echo "a server runs on $data: stop it first, as ${OWNER:-this account}, by pg_ctl --pgdata $data stop" >&2
    exit 1
fi
mkdir -p "$WORK"
# What a killed run began may still write there: it has the lock until it ends.
exec 9< "$WORK"
flock --nonblock 9 || { echo "a restore is under way in $WORK: wait for its end" >&2; exit 1; }
# A run that was killed is begun anew. What else is there is not removed: a restore in earnest, or the
# data of the server that was lost.
if [ -e "$data" ] && [ ! -e "$WORK/unfinished" ]; then
    echo "$data is there, and no restore was cut off: move it away, or restore with another WORK" >&2
    exit 1
fi
trap finish EXIT
trap 'exit 143' TERM INT HUP

touch "$WORK/unfinished"
rm -rf "$data" "$run" "$WORK/staging"
mkdir -p "$run" "$WORK/staging"
cd "$WORK"
if [ -n "${OWNER:-}" ]; then
    chown "$OWNER:" "$WORK" "$run" "$WORK/staging"
fi
kept=$(as_owner barman list-backups --minimal "$server")
backup=${kept%%$'\n'*}
[ -n "$backup" ] || { echo "there is no backup" >&2; exit 1; }
until=()
if [ -n "${UNTIL:-}" ]; then
    until=(--target-time "$UNTIL" --target-action promote)
    backup=auto # the last one before that instant
fi
as_owner barman restore --staging-path "$WORK/staging" --staging-location local --get-wal "${until[@]}" \
    "$server" "$backup" "$data"

# Settings and accounts of the server that was lost do not come back: only what a restore needs.
cat > "$run/postgresql.conf" <<SETTINGS
hba_file = '$run/hba.conf'
ident_file = '$data/pg_ident.conf'
unix_socket_directories = '$run'
max_connections = 200
shared_buffers = '${SHARED_BUFFERS:-512MB}'
SETTINGS
echo 'local all all trust' > "$run/hba.conf"
# What these say wins over postgresql.auto.conf, which came back with the data.
cat > "$run/options" <<OPTIONS
-c config_file=$run/postgresql.conf -c listen_addresses= -c port=5432 -c archive_mode=off \
-c hot_standby=off -c synchronous_standby_names= -c primary_conninfo= -c primary_slot_name=
OPTIONS
# Barman tells an encrypted file of the log by `file`, which does not know every message of OpenPGP: a
# message has the first bit set, the log has not. The newest file is still being written, in clear.
# To the server the code 1 says that the log ends here, and one above 125 that it must not go on: a
# file that is there and cannot be read, or has no room, is no end.
cat > "$run/fetch" <<'FETCH'
for name in "$1/wals/${2:0:16}/$2" "$1/wals/$2" "$1/streaming/$2" "$1/streaming/$2.partial"; do
    [ -f "$name" ] || continue
    if [ "$(head -c 1 "$name" | od -An -tu1)" -ge 128 ]; then
        gpg --batch --quiet --yes --pinentry-mode loopback --passphrase-file "$PASSPHRASE_FILE" \
            --output "$3" --decrypt "$name" || exit 200
    else
        cp "$name" "$3" || exit 200
    fi
    exit 0
done
exit 1
FETCH
echo "restore_command = 'bash $run/fetch ${FOLDER:-/var/lib/barman/$server} %f %p'" >> "$data/postgresql.auto.conf"
if [ -n "${OWNER:-}" ]; then
    chown "$OWNER:" "$run"/*
fi
# Nobody gets in before the whole log is replayed.
as_owner pg_ctl --pgdata "$data" --wait --timeout 600 --log "$run/log" \
    --options "$(cat "$run/options")" start > /dev/null || { tail "$run/log" >&2; exit 1; }
until [ "$(asked 'SELECT pg_is_in_recovery()' 2> /dev/null)" = f ]; do
    as_owner pg_ctl --pgdata "$data" status > /dev/null || { tail "$run/log" >&2; exit 1; }
    [ $(($(date +%s) - began)) -lt "${WITHIN_S:-14400}" ] || { echo "the log is not replayed in time" >&2; exit 1; }
    sleep 1
done
echo "restored after $(($(date +%s) - began)) s"

export DATABASE_URL="postgresql://$role@/$database?host=$run"
for audit in ledger_rebuild journal_verify seals_verify; do
    "${PYTHON:-/opt/lototrot/.venv/bin/python}" "${PROGRAM:-/opt/lototrot}/manage.py" $audit
done
if [ -n "${STAY:-}" ]; then
    echo "it runs: $DATABASE_URL"
else
    # Every page that was restored or replayed, by its checksum.
    as_owner pg_ctl --pgdata "$data" --wait --timeout 600 --mode fast stop > /dev/null
    as_owner pg_checksums --check --pgdata "$data"
fi
whole=yes
