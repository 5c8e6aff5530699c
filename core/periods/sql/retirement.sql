-- Retire rows of closed periods. A retirement needs two persons, follows on the last one, and names
-- rows that the archive of its period has. Nothing else lets a row be deleted, also for the owner.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON periods_retirement
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'periods.retirement');

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r periods_retirement) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (p.content -> 'number', p.content ->> 'sha256', p.content ->> 'kept')
         = (to_jsonb(m.number), a.sha256, r.kept)
      FROM periods_closedperiod m, periods_archive a WHERE m.id = r.period_id AND a.id = r.archive_id
$$;

-- Return the end of the last retired month, or NULL.
CREATE OR REPLACE FUNCTION periods_retired_until() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT max(p.ends_at)
      FROM public.periods_retirement r JOIN public.periods_closedperiod p ON p.id = r.period_id
$$;

-- A month is retired a week after its end at the earliest. By then every service refuses the UUIDs of
-- its requests for a new act (premises_new_request), so nothing is done again that left.
CREATE OR REPLACE FUNCTION periods_guard_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM periods_archive a JOIN periods_closedperiod p ON p.id = a.period_id
         WHERE a.id = NEW.archive_id AND p.id = NEW.period_id
           AND p.ends_at + interval '7 days' <= core_now()
           AND p.number = 1 + (SELECT count(*) FROM periods_retirement)) THEN
        RAISE EXCEPTION 'period %: too recent, not archived, or not the next one to be retired', NEW.period_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER archived BEFORE INSERT ON periods_retirement
    FOR EACH ROW EXECUTE FUNCTION periods_guard_retirement();

CREATE OR REPLACE FUNCTION periods_guard_retired_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM periods_retirement r JOIN periods_archive a ON a.id = r.archive_id
          CROSS JOIN jsonb_array_elements(a.manifest -> 'tables') t
         WHERE r.id = NEW.retirement_id AND t ->> 'table' = NEW.relation
           AND t -> 'retires' = jsonb_build_object('first_row', NEW.first_row, 'rows', NEW.count,
                   'last_row', NEW.last_row, 'entries_sha256', NEW.sha256)) THEN
        RAISE EXCEPTION '% % to %: not as they are in the archive', NEW.relation, NEW.first_row,
            NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.last_batch IS DISTINCT FROM (
        SELECT public.periods_last_batch(
                   p_relation => NEW.relation, p_last => NEW.last_row, p_until => p.last_batch)
          FROM periods_retirement r JOIN periods_closedperiod p ON p.id = r.period_id
         WHERE r.id = NEW.retirement_id) THEN
        RAISE EXCEPTION '% up to batch %: not the last batch before a row that is not retired',
            NEW.relation, NEW.last_batch USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Return the last batch, of those up to p_until, before the first one that may have a row of a table
-- after p_last: so all rows of the table that it and earlier ones sealed are up to p_last. 0: none. A
-- transaction that ended late is in a later batch than this counts with.
CREATE OR REPLACE FUNCTION periods_last_batch(p_relation text, p_last bigint, p_until bigint)
RETURNS bigint LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_xid bigint;
BEGIN
    EXECUTE format('SELECT min(t.journal_xid) FROM public.%I t WHERE t.%I > $1',
        p_relation, public.periods_key(p_relation)) INTO v_xid USING p_last;
    RETURN coalesce((
        SELECT max(b.number) FROM public.journal_batch b
         WHERE b.number <= p_until AND (v_xid IS NULL OR b.end_xid <= v_xid)), 0);
END $$;

CREATE OR REPLACE TRIGGER archived BEFORE INSERT ON periods_retiredrows
    FOR EACH ROW EXECUTE FUNCTION periods_guard_retired_rows();

-- Refuse opening balances, but in the act that retires their month, up to the transfer that this
-- publishes.
CREATE OR REPLACE FUNCTION periods_guard_opening() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM periods_retirement r JOIN periods_closedperiod p ON p.id = r.period_id
          JOIN proofs_logentry e ON e.id = r.entry_id
         WHERE r.journal_xid = journal_number() AND p.ends_at = NEW.ends_at
           AND (e.document -> 'openings' ->> 'last_row')::bigint = NEW.up_to) THEN
        RAISE EXCEPTION 'opening up to %: no month is retired with it', NEW.up_to
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER retired BEFORE INSERT ON ledger_openingbalance
    FOR EACH ROW EXECUTE FUNCTION periods_guard_opening();

-- Refuse to delete a row, unless it was retired, and leaves. The argument is the primary key. It runs after
-- the deletion: for a trigger before it, PostgreSQL locks each row, and writes the lock to the log. The
-- row must be there when it is asked whether it leaves, and so must those that leave with it. They are:
-- the function is STABLE, so it sees all rows as they were when the statement began.
CREATE OR REPLACE FUNCTION guard_retired() RETURNS trigger LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_row bigint;
    v_leaves boolean;
BEGIN
    EXECUTE format('SELECT ($1).%I', TG_ARGV[0]) INTO v_row USING OLD;
    v_leaves := EXISTS (
        SELECT FROM public.periods_retiredrows r WHERE r.relation = TG_TABLE_NAME
           AND v_row BETWEEN r.first_row AND r.last_row);
    IF v_leaves AND to_regprocedure(format('public.%I(bigint)', TG_TABLE_NAME || '_leaves'))
            IS NOT NULL THEN
        EXECUTE format('SELECT public.%I($1)', TG_TABLE_NAME || '_leaves')
           INTO v_leaves USING v_row;
    END IF;
    IF NOT v_leaves THEN
        RAISE EXCEPTION 'table % is append-only: % refused', TG_TABLE_NAME, TG_OP
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

-- Return whether two rows are retired together: by the same retirement, or, before it, by the archive that
-- is retired next.
CREATE OR REPLACE FUNCTION periods_together(p_relation text, p_row bigint, p_with_relation text,
    p_with_row bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_retirement bigint;
    v_with bigint;
BEGIN
    SELECT r.retirement_id INTO v_retirement FROM public.periods_retiredrows r
     WHERE r.relation = p_relation AND p_row BETWEEN r.first_row AND r.last_row;
    SELECT r.retirement_id INTO v_with FROM public.periods_retiredrows r
     WHERE r.relation = p_with_relation AND p_with_row BETWEEN r.first_row AND r.last_row;
    IF v_retirement IS NOT NULL OR v_with IS NOT NULL THEN
        RETURN v_retirement IS NOT DISTINCT FROM v_with;
    END IF;
    RETURN 2 = (
        SELECT count(*) FROM public.periods_archive a
          JOIN public.periods_closedperiod p ON p.id = a.period_id
         CROSS JOIN jsonb_array_elements(a.manifest -> 'tables') e
         WHERE p.number = 1 + (SELECT count(*) FROM public.periods_retirement)
           AND CASE e ->> 'table' WHEN p_relation THEN p_row WHEN p_with_relation THEN p_with_row END
               BETWEEN (e -> 'retires' ->> 'first_row')::bigint
                   AND (e -> 'retires' ->> 'last_row')::bigint);
END $$;

-- Return the column of a table's primary key.
CREATE OR REPLACE FUNCTION periods_key(p_relation text) RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.attname::text FROM pg_index i JOIN pg_attribute a
        ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE i.indrelid = format('public.%I', p_relation)::regclass AND i.indisprimary
$$;

-- Return the condition that a row t of a table, with a key from $1 to $2, is retired, and leaves.
CREATE OR REPLACE FUNCTION periods_leaves(p_relation text) RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('t.%I BETWEEN $1 AND $2 AND ', k.name) || CASE
           WHEN to_regprocedure(format('public.%I(bigint)', p_relation || '_leaves')) IS NOT NULL
               THEN format('public.%I(t.%I)', p_relation || '_leaves', k.name)
           WHEN to_regprocedure(format('public.%I(bigint, bigint)', p_relation || '_staying'))
                IS NOT NULL
               THEN format('t.%I NOT IN (SELECT public.%I($1, $2))', k.name, p_relation || '_staying')
           ELSE 'true' END
      FROM (SELECT public.periods_key(p_relation) AS name) k
$$;

-- Return how many rows of a range leave.
CREATE OR REPLACE FUNCTION periods_leaving(p_relation text, p_first bigint, p_last bigint)
RETURNS bigint LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_leaving bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM public.%I t WHERE %s',
        p_relation, public.periods_leaves(p_relation)) INTO v_leaving USING p_first, p_last;
    RETURN v_leaving;
END $$;

-- Delete the rows of a range of ids that were retired and leave; return how many. It has the owner's
-- rights, for the application may delete nothing; the trigger above decides about each row.
CREATE OR REPLACE FUNCTION periods_remove(p_relation text, p_first bigint, p_last bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_removed bigint := 0;
    v_here bigint;
    r record;
BEGIN
    FOR r IN SELECT greatest(first_row, p_first) AS first, least(last_row, p_last) AS last
               FROM public.periods_retiredrows
              WHERE relation = p_relation AND first_row <= p_last AND last_row >= p_first LOOP
        EXECUTE format('DELETE FROM public.%I t WHERE %s',
            p_relation, public.periods_leaves(p_relation)) USING r.first, r.last;
        GET DIAGNOSTICS v_here = ROW_COUNT;
        v_removed := v_removed + v_here;
    END LOOP;
    RETURN v_removed;
END $$;

-- Return whether rows of a table may be retired.
CREATE OR REPLACE FUNCTION periods_retires(p_relation text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_trigger g
                    WHERE g.tgrelid = to_regclass(format('public.%I', p_relation))
                      AND g.tgfoid = to_regproc('public.guard_retired'))
$$;

-- Return the condition that a row t was sealed by one of the batches from p_first to p_last.
CREATE OR REPLACE FUNCTION periods_sealed(p_first bigint, p_last bigint) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('((t.journal_xid >= %s AND t.journal_xid < %s'
                  ' OR t.journal_xid = ANY (%L::bigint[])) AND t.journal_xid <> ALL (%L::bigint[]))',
                  f.first_xid, l.end_xid, coalesce(b.open_xids, '{}'), l.open_xids)
      FROM public.journal_batch f JOIN public.journal_batch l ON l.number = p_last
      LEFT JOIN public.journal_batch b ON b.number = p_first - 1
     WHERE f.number = p_first
$$;

-- Delete the rows of a table that these batches sealed, and that leave; return how many. All rows that
-- they sealed must be retired. It has the owner's rights, as periods_remove().
CREATE OR REPLACE FUNCTION periods_remove_sealed(p_relation text, p_first bigint, p_last bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_sealed text := public.periods_sealed(p_first, p_last);
    v_removed bigint;
    v_first bigint;
    v_last bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM public.periods_retiredrows r
                    WHERE r.relation = p_relation AND r.last_batch >= p_last) THEN
        RAISE EXCEPTION '% up to batch %: not retired', p_relation, p_last
            USING ERRCODE = 'restrict_violation';
    END IF;
    EXECUTE format('SELECT min(t.%1$I), max(t.%1$I) FROM public.%2$I t WHERE %3$s',
        public.periods_key(p_relation), p_relation, v_sealed) INTO v_first, v_last;
    EXECUTE format('DELETE FROM public.%I t WHERE %s AND %s', p_relation, v_sealed,
        public.periods_leaves(p_relation)) USING v_first, v_last;
    GET DIAGNOSTICS v_removed = ROW_COUNT;
    RETURN v_removed;
END $$;

-- What is kept of a block's sealed entries leaves with a retired month, and nothing else of a block
-- changes. The digest in the batch's signed head stays, and the rows give the entries again. Those of
-- tables whose rows leave, too, leave up to the batch that the table's retirement names, when no row
-- of them is there that leaves. Otherwise, before such a row is deleted, the entries are written
-- whole, as the digest proves.
CREATE OR REPLACE FUNCTION periods_guard_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_relation text;
BEGIN
    IF OLD.entries IS NULL AND NEW.short IS NULL AND sha256(NEW.entries) = OLD.sha256 THEN
        RETURN NEW;
    END IF;
    SELECT f.relation INTO v_relation FROM public.journal_rowform f WHERE f.id = OLD.row_form_id;
    IF NEW.entries IS NOT NULL OR NEW.short IS NOT NULL
        OR (CASE WHEN public.periods_retires(v_relation)
                THEN NOT EXISTS (
                         SELECT FROM public.periods_retiredrows r
                          WHERE r.relation = v_relation AND r.last_batch >= OLD.batch_id)
                ELSE OLD.short IS NULL OR NOT EXISTS (
                         SELECT FROM public.periods_retirement r
                           JOIN public.periods_closedperiod p ON p.id = r.period_id
                          WHERE p.last_batch >= OLD.batch_id) END) THEN
        RAISE EXCEPTION 'entries of block % of batch %: not retired', OLD.position, OLD.batch_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER entries_leave BEFORE UPDATE OF entries, short ON journal_block
    FOR EACH ROW EXECUTE FUNCTION periods_guard_entries();

-- Refuse that entries leave as long as a row of theirs is there that leaves.
CREATE OR REPLACE FUNCTION periods_guard_entries_left() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_sealed text;
    v_first bigint;
    v_last bigint;
    v_there boolean;
    r record;
BEGIN
    FOR r IN
        SELECT f.relation, min(b.batch_id) AS first, max(b.batch_id) AS last
          FROM blocks b JOIN public.journal_rowform f ON f.id = b.row_form_id
         WHERE b.entries IS NULL AND b.short IS NULL AND public.periods_retires(f.relation)
         GROUP BY 1 LOOP
        v_sealed := public.periods_sealed(r.first, r.last);
        EXECUTE format('SELECT min(t.%1$I), max(t.%1$I) FROM public.%2$I t WHERE %3$s',
            public.periods_key(r.relation), r.relation, v_sealed) INTO v_first, v_last;
        EXECUTE format('SELECT EXISTS (SELECT FROM public.%I t WHERE %s AND %s)', r.relation,
            v_sealed, public.periods_leaves(r.relation)) INTO v_there USING v_first, v_last;
        IF v_there THEN
            RAISE EXCEPTION 'entries of % in batches % to %: a row that leaves is there', r.relation,
                r.first, r.last USING ERRCODE = 'restrict_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER entries_left AFTER UPDATE ON journal_block
    REFERENCING NEW TABLE AS blocks
    FOR EACH STATEMENT EXECUTE FUNCTION periods_guard_entries_left();
