-- The account of Barman: it copies the database and its log, and reads no row by itself. As superuser:
--   BARMAN_PASSWORD=... psql --dbname postgres --file barman.sql
\set ON_ERROR_STOP on
\getenv barman_password BARMAN_PASSWORD
CREATE ROLE barman LOGIN REPLICATION PASSWORD :'barman_password';
GRANT CONNECT ON DATABASE postgres TO barman;
GRANT pg_read_all_settings, pg_read_all_stats, pg_checkpoint TO barman;
GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean) TO barman;
GRANT EXECUTE ON FUNCTION pg_backup_stop(boolean) TO barman;
GRANT EXECUTE ON FUNCTION pg_switch_wal() TO barman;
GRANT EXECUTE ON FUNCTION pg_create_restore_point(text) TO barman;
