-- The functions of the journal's triggers; core/journal/install.py decides which table has which.

-- Return the number of this transaction. journal_base() is the journal's lineage, in the upper bits;
-- `journal_lineage --begin` replaces it, and the planner puts it in the place of the call.
CREATE OR REPLACE FUNCTION journal_number() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT public.journal_base() + pg_current_xact_id()::text::bigint
$$;

-- Return the current snapshot in numbers of the journal: it can be compared in later lineages.
CREATE OR REPLACE FUNCTION journal_snapshot() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT public.journal_base() + pg_snapshot_xmin(s)::text::bigint
           || ':' || public.journal_base() + pg_snapshot_xmax(s)::text::bigint
           || ':' || coalesce((SELECT string_agg((public.journal_base() + x::text::bigint)::text,
                                                 ',' ORDER BY x) FROM pg_snapshot_xip(s) x), '')
      FROM pg_current_snapshot() s
$$;

-- Write a source of acts, and return its id. No index makes it the only one of its kind: a transaction
-- that uses a name for the first time would wait for another one that does.
CREATE OR REPLACE FUNCTION journal_source_add(p_name text, p_role text) RETURNS integer LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO public.journal_source (name, database_role) VALUES (p_name, p_role) RETURNING id
$$;

-- journal_note() writes the act of a transaction when the transaction writes its first row. It reads
-- who acts from the session's `core.act` (core/journal/acting.py), which has the form
-- name|user|session|terminal|operator|request. Name and role are a row of journal_source. Triggers call it only while the transaction has no
-- act (`core.acted`), so there is no conflict.
-- It refuses to write on a server that counts transactions from below the last batch, where no
-- lineage has begun yet: no batch would ever hold those rows. A transaction that was in progress
-- when that was sealed may.
-- It and journal_changed() run with the owner's rights, as the application may not write to the
-- journal. Therefore they have a search path of their own, and every name in them its schema.
CREATE OR REPLACE FUNCTION journal_note() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_act text[] := string_to_array(current_setting('core.act', true), '|', '');
    v_number bigint := public.journal_number();
BEGIN
    IF (SELECT v_number < b.end_xid AND v_number <> ALL (b.open_xids)
          FROM public.journal_batch b ORDER BY b.number DESC LIMIT 1) THEN
        RAISE EXCEPTION 'lineage_not_begun: % is of a sealed batch', v_number
            USING HINT = 'This is another server: see docs/operations/journal.md.';
    END IF;
    INSERT INTO public.journal_act (journal_xid, at, user_id, session_id, terminal_id, operator_id,
            source_id, request_id)
    VALUES (v_number,
            public.core_server_clock() + coalesce((SELECT o."offset" FROM public.database_clockoffset o
                                           ORDER BY o.id DESC LIMIT 1), '0'),
            v_act[2]::bigint, v_act[3]::bigint, v_act[4]::bigint, v_act[5]::bigint,
            coalesce((SELECT s.id FROM public.journal_source s
                       WHERE s.name = coalesce(v_act[1], '') AND s.database_role = session_user::text
                       LIMIT 1),
                     public.journal_source_add(coalesce(v_act[1], ''), session_user)),
            CASE WHEN length(v_act[6]) = 36 AND pg_input_is_valid(v_act[6], 'uuid')
                  AND v_act[6]::uuid::text = v_act[6]
                 THEN '\xff'::bytea || uuid_send(v_act[6]::uuid)
                 ELSE convert_to(coalesce(v_act[6], ''), 'UTF8') END);
    RETURN set_config('core.acted', pg_current_xact_id()::text, true) <> '';
END $$;

-- Run after each statement that inserts rows; the first of a transaction notes its act. The test is not
-- a condition of the trigger, whose text PostgreSQL reads again for each statement (docs/adr/0030).
CREATE OR REPLACE FUNCTION journal_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('core.acted', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        RETURN CASE WHEN public.journal_note() THEN NULL END;
    END IF;
    RETURN NULL;
END $$;

-- Return a row as the journal shows it: secret columns that may change are replaced by digests.
CREATE OR REPLACE FUNCTION journal_image(p_row jsonb, p_secret text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT p_row || coalesce(jsonb_object_agg(
               s, 'sha256:' || encode(sha256(convert_to(p_row ->> s, 'UTF8')), 'hex')), '{}')
      FROM unnest(p_secret) s WHERE p_row ->> s IS NOT NULL
$$;

-- Write the change of an updated row. Arguments: the primary key's column, the secret columns, and
-- the columns that the journal leaves out.
CREATE OR REPLACE FUNCTION journal_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET bytea_output = 'hex'
SET intervalstyle = 'iso_8601' SET extra_float_digits = 1 AS $$
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
    SELECT public.journal_number(), TG_TABLE_NAME, (v_new ->> TG_ARGV[0])::bigint,
           jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, v_new -> o.key)
      FROM jsonb_each(v_old) o WHERE o.value <> v_new -> o.key;
    RETURN NULL;
END $$;

-- Refuse a batch under a key that was replaced.
CREATE OR REPLACE FUNCTION journal_guard_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM proofs_signingkey k WHERE k.id = NEW.key_id AND k.in_force) THEN
        RAISE EXCEPTION 'batch % is under a key that is not in force', NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER batch_key BEFORE INSERT ON journal_batch
    FOR EACH ROW EXECUTE FUNCTION journal_guard_batch();
