-- Return the time of the server's own clock. Tests that set the clock wrong replace this function;
-- production refuses to start unless it is as written here (core/config/startup.py).
CREATE OR REPLACE FUNCTION core_server_clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT clock_timestamp()
$$;

-- Return the time: the server's clock plus the simulated offset. It moves within a transaction.
CREATE OR REPLACE FUNCTION core_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL RESTRICTED AS $$
    SELECT public.core_server_clock()
         + coalesce((SELECT o."offset" FROM public.database_clockoffset o ORDER BY o.id DESC LIMIT 1),
                    interval '0')
$$;

-- Return the name of the server's history, which a promotion or a restore begins again; nothing on a
-- standby.
CREATE OR REPLACE FUNCTION core_timeline() RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT CASE WHEN NOT pg_is_in_recovery()
                THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) ELSE '' END
$$;

-- Return whether the clock cannot be trusted: those who watch it found so, or it is behind the newest
-- act that they saw, or they have not looked since the server's history began again: the clock of a
-- promoted machine may be behind the newest sale. The state changes under the exclusive lock of all sales; a sale asks while it
-- holds that lock shared. The clock is read after the row, so a sound clock is never behind it. It is one
-- row, and queries contain it (core/premises/sql/may_sell.sql).
CREATE OR REPLACE FUNCTION core_clock_unsound() RETURNS TABLE (unsound boolean)
LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT EXISTS (SELECT FROM public.database_clockwatch w
                    WHERE w.unsound OR public.core_server_clock() < w.newest_at
                       OR w.timeline NOT IN ('', public.core_timeline()))
$$;
