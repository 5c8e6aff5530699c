CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON periods_closedperiod
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'periods.closing');

-- A month is closed with the figures that two persons named, by their digest.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r periods_closedperiod) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'first_day', 'last_day')
       AND p.content -> 'transfers' = r.document -> 'transfers'
       AND r.ends_at = (r.last_day + 1)::timestamp AT TIME ZONE 'Europe/Madrid'
$$;

-- Refuse a period that does not follow on the last one.
CREATE OR REPLACE FUNCTION periods_guard_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last periods_closedperiod;
BEGIN
    SELECT * INTO last FROM periods_closedperiod ORDER BY number DESC LIMIT 1;
    IF NEW.number <> coalesce(last.number, 0) + 1
        OR last.id IS NOT NULL AND NEW.first_day <> last.last_day + 1 THEN
        RAISE EXCEPTION 'period %: it does not follow on the last one', NEW.first_day
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER in_order BEFORE INSERT ON periods_closedperiod
    FOR EACH ROW EXECUTE FUNCTION periods_guard_order();

-- A foreign key asks for the period, and this for the accounts.
CREATE OR REPLACE FUNCTION periods_guard_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ledger_need_block(NEW.block, NEW.balances_cents);
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER block BEFORE INSERT OR UPDATE ON periods_periodbalance
    FOR EACH ROW EXECUTE FUNCTION periods_guard_balances();
