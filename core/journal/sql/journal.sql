-- What the journal's triggers run; core/journal/install.py says which table has which.
--
-- The first row that a transaction writes makes its act: who, by what, on whose request. The session
-- says it in `core.act` (core/journal/acting.py), as name|user|session|terminal|operator|request.
-- Names are of the schema, as these run with the owner's rights: the application cannot write here.
-- A server that a dump was restored into may count from below: what it wrote would be in no batch.
-- Triggers call it where the transaction has no act yet (`core.acted`); so there is no conflict.
CREATE OR REPLACE FUNCTION journal_note() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_act text[] := string_to_array(current_setting('core.act', true), '|', '');
BEGIN
    IF pg_current_xact_id()::text::bigint < (
        SELECT b.end_xid FROM public.journal_batch b ORDER BY b.end_xid DESC LIMIT 1) THEN
        RAISE EXCEPTION 'transactions_started_anew: % is of a sealed batch', pg_current_xact_id()
            USING HINT = 'A dump was restored: see docs/operations.md, The journal.';
    END IF;
    INSERT INTO public.journal_act (journal_xid, at, name, user_id, session_id, terminal_id,
            operator_id, request_id, database_role)
    VALUES (pg_current_xact_id()::text::bigint,
            clock_timestamp() + coalesce((SELECT o."offset" FROM public.database_clockoffset o
                                           ORDER BY o.id DESC LIMIT 1), '0'),
            coalesce(v_act[1], ''), v_act[2]::bigint, v_act[3]::bigint, v_act[4]::bigint,
            v_act[5]::bigint, coalesce(v_act[6], ''), session_user);
    RETURN set_config('core.acted', pg_current_xact_id()::text, true) <> '';
END $$;

-- After the first statement of a transaction that inserts rows; the trigger's condition sees to it.
CREATE OR REPLACE FUNCTION journal_rows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_done boolean;
BEGIN
    v_done := public.journal_note();
    RETURN NULL;
END $$;

-- A row as the journal sees it: of what is secret and changes, a digest.
CREATE OR REPLACE FUNCTION journal_image(p_row jsonb, p_secret text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_row || coalesce(jsonb_object_agg(
               s, 'sha256:' || encode(sha256(convert_to(p_row ->> s, 'UTF8')), 'hex')), '{}')
      FROM unnest(p_secret) s WHERE p_row ->> s IS NOT NULL
$$;

-- After each row updated: what changed. Arguments: the primary key's column, the secret columns, and
-- those that the journal leaves out.
CREATE OR REPLACE FUNCTION journal_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET timezone = 'UTC' SET bytea_output = 'hex' SET intervalstyle = 'iso_8601'
SET extra_float_digits = 1 AS $$
DECLARE
    v_old jsonb := public.journal_image(to_jsonb(OLD) - TG_ARGV[2]::text[], TG_ARGV[1]::text[]);
    v_new jsonb := public.journal_image(to_jsonb(NEW) - TG_ARGV[2]::text[], TG_ARGV[1]::text[]);
BEGIN
    IF v_new = v_old THEN
        RETURN NULL;
    END IF;
    IF current_setting('core.acted', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        PERFORM public.journal_note();
    END IF;
    INSERT INTO public.journal_change (journal_xid, relation, row_id, before, after)
    SELECT pg_current_xact_id()::text::bigint, TG_TABLE_NAME, (v_new ->> TG_ARGV[0])::bigint,
           jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, v_new -> o.key)
      FROM jsonb_each(v_old) o WHERE o.value <> v_new -> o.key;
    RETURN NULL;
END $$;
