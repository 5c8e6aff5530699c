-- Make calls of one function that wait at the same time one statement (core/database/together.py).

-- Make the procedure <function>_each: it calls the function for each element of `p_calls`, an array of
-- objects with a value for each parameter, named without `p_`, and returns the answers as an array
-- of arrays in the same order. Bytes are in base64.
--
-- Each call is a transaction of its own: its locks, its act, which the function names, its outcome. So calls of one statement
-- wait for each other's locks as little as before, and two statements cannot deadlock. Their commits
-- do not wait for the disk; the last one does, and has all before it on the disk as well. If it has
-- written nothing, a message in the log takes its place. Nobody is answered before the statement
-- has ended; what could tell of a commit earlier calls `core_on_disk`.
--
-- A call that raises, or waits longer than briefly for a lock, ends the statement: it and those after
-- it have no answer, and are made again one by one.
CREATE OR REPLACE FUNCTION core_each(p_function text) RETURNS void LANGUAGE plpgsql AS $make$
DECLARE
    v_given text;
    v_got text;
    v_call text;
BEGIN
    SELECT string_agg(CASE
               WHEN a.type = 'bytea'::regtype THEN format('decode(c ->> %L, ''base64'')', a.key)
               WHEN a.type = 'integer[]'::regtype
                   THEN format('translate(c ->> %L, ''[]'', ''{}'')::integer[]', a.key)
               ELSE format('(c ->> %L)::%s', a.key, a.type::text) END, ', ' ORDER BY a.place)
               FILTER (WHERE a.mode = 'i'),
           string_agg('r.' || quote_ident(a.name), ', ' ORDER BY a.place) FILTER (WHERE a.mode = 'o'),
           CASE WHEN count(*) FILTER (WHERE a.mode = 'o') > 1 THEN 'r := %I(%s)'
               ELSE 'SELECT * INTO r FROM %I(%s)' END  -- one value is no record
      INTO STRICT v_given, v_got, v_call
      FROM (SELECT x.name, substr(x.name, 3) AS key, x.type::regtype, x.mode, x.place
              FROM pg_proc p CROSS JOIN LATERAL
                   unnest(p.proargnames, p.proallargtypes, p.proargmodes)
                   WITH ORDINALITY AS x(name, type, mode, place)
             WHERE p.oid = p_function::regproc) a;
    EXECUTE format($procedure$
        CREATE OR REPLACE PROCEDURE %I(p_calls jsonb, INOUT p_answers text DEFAULT NULL)
        LANGUAGE plpgsql AS $body$
        DECLARE
            v_last integer := jsonb_array_length(p_calls) - 1;
            v_failed boolean := false;
            v_done text;
            v_answers jsonb := '[]';
            c jsonb;
            r record;
        BEGIN
            FOR i IN 0 .. v_last LOOP
                c := p_calls -> i;
                v_done := set_config('lock_timeout', '50ms', true);
                v_done := set_config('core.act', '', true);
                BEGIN
                    %s;
                    v_answers := v_answers || jsonb_build_array(jsonb_build_array(%s));
                EXCEPTION WHEN OTHERS THEN
                    v_failed := true;
                END;
                EXIT WHEN v_failed OR i = v_last;
                v_done := set_config('synchronous_commit', 'off', true);
                COMMIT;
            END LOOP;
            IF pg_current_xact_id_if_assigned() IS NULL THEN
                v_done := pg_logical_emit_message(true, 'core.together', '');
            END IF;
            p_answers := v_answers;
        END $body$ $procedure$, p_function || '_each', format(v_call, p_function, v_given), v_got);
END $make$;

-- Have this transaction end only when all that it can see is on the disk, and on the standbys that
-- commits wait for. What tells that a call of another statement was done calls it.
CREATE OR REPLACE FUNCTION core_on_disk() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn()
           AND current_setting('synchronous_standby_names') = ''
        OR pg_logical_emit_message(true, 'core.on_disk', '') IS NOT NULL;
END $$;
