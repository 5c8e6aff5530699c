-- Marks of balances leave when the transfers up to them have left: the opening of the ledger stands in their
-- place (core/statements/balances.py). Refuse to retire one from which a balance is still summed. It runs
-- when all rows of the retirement are there, in whatever order they were written.
CREATE OR REPLACE FUNCTION periods_guard_marks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_opened bigint := coalesce((SELECT max(o.up_to) FROM ledger_openingbalance o), 0);
BEGIN
    IF EXISTS (
        SELECT FROM statements_mark m
         WHERE m.up_to > greatest(v_opened, (
                   SELECT max(r.last_row) FROM periods_retiredrows r
                    WHERE r.relation = 'ledger_transfer'))
           AND CASE NEW.relation WHEN 'statements_mark'
                   THEN m.id BETWEEN NEW.first_row AND NEW.last_row
                   ELSE EXISTS (SELECT FROM statements_markedbalance b WHERE b.mark_id = m.id
                                   AND b.id BETWEEN NEW.first_row AND NEW.last_row) END) THEN
        RAISE EXCEPTION '% % to %: a balance is still summed from one of them', NEW.relation,
            NEW.first_row, NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER read_no_more AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation IN ('statements_mark', 'statements_markedbalance'))
    EXECUTE FUNCTION periods_guard_marks();
