-- Retire rows of closed periods. A retirement needs two persons, follows on the last one, and names
-- rows that the archive of its period has. Nothing else lets a row be deleted, also for the owner.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON periods_retirement
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'periods.retirement');

CREATE OR REPLACE FUNCTION periods_guard_retirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM periods_archive a JOIN periods_closedperiod p ON p.id = a.period_id
         WHERE a.id = NEW.archive_id AND p.id = NEW.period_id
           AND p.number = 1 + (SELECT count(*) FROM periods_retirement)) THEN
        RAISE EXCEPTION 'period %: not archived, or not the next one to be retired', NEW.period_id
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
           AND (t ->> 'rows')::bigint = NEW.count
           AND t -> 'retires' = jsonb_build_object('first_row', NEW.first_row,
                   'last_row', NEW.last_row, 'entries_sha256', NEW.sha256)) THEN
        RAISE EXCEPTION '% % to %: not as they are in the archive', NEW.relation, NEW.first_row,
            NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER archived BEFORE INSERT ON periods_retiredrows
    FOR EACH ROW EXECUTE FUNCTION periods_guard_retired_rows();

-- Refuse an opening balance, but in the act that retires its month, and up to the transfer that this
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

-- Refuse to delete a row, unless it was retired.
CREATE OR REPLACE FUNCTION guard_retired() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.periods_retiredrows r WHERE r.relation = TG_TABLE_NAME
                      AND OLD.id BETWEEN r.first_row AND r.last_row) THEN
        RAISE EXCEPTION 'table % is append-only: % refused', TG_TABLE_NAME, TG_OP
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

-- Delete up to so many retired rows of a table; return how many it were. It has the owner's rights,
-- for the application may delete nothing; the trigger above decides about each row.
CREATE OR REPLACE FUNCTION periods_remove(p_relation text, p_most bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_removed bigint := 0;
    v_here bigint;
    r record;
BEGIN
    FOR r IN SELECT first_row, last_row FROM public.periods_retiredrows
              WHERE relation = p_relation ORDER BY first_row DESC LOOP
        EXECUTE format('DELETE FROM public.%1$I WHERE id IN (SELECT id FROM public.%1$I
                         WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3)', p_relation)
          USING r.first_row, r.last_row, p_most - v_removed;
        GET DIAGNOSTICS v_here = ROW_COUNT;
        v_removed := v_removed + v_here;
        EXIT WHEN v_removed >= p_most;
    END LOOP;
    RETURN v_removed;
END $$;

-- Sealed entries of the journal leave with a retired month, and nothing else of a block changes. The
-- digest in the batch's signed head stays, and the rows give the entries again; so those of tables whose
-- rows leave, too, must stay.
CREATE OR REPLACE FUNCTION periods_guard_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.entries IS NOT NULL OR sha256(OLD.entries) IS DISTINCT FROM OLD.sha256
        OR NOT EXISTS (
            SELECT FROM public.periods_retirement r
              JOIN public.periods_closedperiod p ON p.id = r.period_id
             WHERE p.last_batch >= OLD.batch_id)
        OR EXISTS (
            SELECT FROM pg_trigger g JOIN public.journal_rowform f ON f.id = OLD.row_form_id
             WHERE g.tgrelid = to_regclass('public.' || f.relation)
               AND g.tgfoid = to_regproc('public.guard_retired')) THEN
        RAISE EXCEPTION 'entries of block % of batch %: not retired', OLD.position, OLD.batch_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER entries_leave BEFORE UPDATE OF entries ON journal_block
    FOR EACH ROW EXECUTE FUNCTION periods_guard_entries();
