-- Statements of premises follow on each other: numbers, weeks and balances without a gap. A foreign key
-- to the premises would lock them for each statement, and no premises are ever deleted.
CREATE OR REPLACE FUNCTION statements_guard_statement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_last record;
BEGIN
    SELECT s.number, s.week_to, s.closing_cents INTO v_last
      FROM statements_statement s WHERE s.premises_id = NEW.premises_id
     ORDER BY s.number DESC LIMIT 1;
    IF NEW.week_to <> NEW.week_from + 6
       OR NEW.number <> coalesce(v_last.number, 0) + 1
       OR NEW.week_from <> coalesce(v_last.week_to + 1, NEW.week_from)
       OR NEW.opening_cents <> coalesce(v_last.closing_cents, 0) THEN
        RAISE EXCEPTION 'statement % of premises % does not follow on the last',
            NEW.number, NEW.premises_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM premises_premises p WHERE p.id = NEW.premises_id) THEN
        RAISE EXCEPTION 'there are no premises %', NEW.premises_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER statement_follows BEFORE INSERT ON statements_statement
    FOR EACH ROW EXECUTE FUNCTION statements_guard_statement();

-- A payment is of a statement of its premises. A foreign key would lock both, and neither is ever deleted.
CREATE OR REPLACE FUNCTION statements_guard_remittance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM statements_statement s
                    WHERE s.id = NEW.statement_id AND s.premises_id = NEW.premises_id) THEN
        RAISE EXCEPTION 'premises % have no statement %', NEW.premises_id, NEW.statement_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_statement BEFORE INSERT ON statements_remittance
    FOR EACH ROW EXECUTE FUNCTION statements_guard_remittance();

-- Two persons set a commission and a limit, and record a large remittance.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON statements_guaranteelimit
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'statements.guarantee',
        'statements.guarantees');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON statements_commissionrate
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'statements.rate');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON statements_remittance
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'statements.remittance');
