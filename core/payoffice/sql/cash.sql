-- Another person than its cashier receives the cash that leaves a drawer.
CREATE OR REPLACE FUNCTION payoffice_guard_cash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM staff_decision d JOIN payoffice_cashsession s ON s.cashier_id = d.decided_by_id
         WHERE d.proposal_id = NEW.proposal_id
           AND s.id = coalesce((to_jsonb(NEW) ->> 'session_id')::bigint, NEW.id)) THEN
        RAISE EXCEPTION 'table %: its cashier received the cash', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER two_persons_received BEFORE UPDATE ON payoffice_cashsession
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL) EXECUTE FUNCTION payoffice_guard_cash();
CREATE OR REPLACE TRIGGER two_persons_received BEFORE INSERT ON payoffice_cashmovement
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL) EXECUTE FUNCTION payoffice_guard_cash();

-- The cashier of a drawer does not reject what another person counted in it, while it can be confirmed
-- (docs/adr/0090).
CREATE OR REPLACE FUNCTION payoffice_guard_count_stands() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM staff_proposal p
          JOIN payoffice_cashsession s ON s.uuid::text = p.content ->> 'cash_session'
         WHERE p.id = NEW.proposal_id AND p.kind = 'payoffice.cash_closing'
           AND s.cashier_id = NEW.decided_by_id AND p.proposed_by_id <> NEW.decided_by_id
           AND s.closed_at IS NULL AND NOT staff_lapsed(p.id)
           AND p.content -> 'expected_cents' = (
               SELECT to_jsonb(coalesce(sum(e.cents), 0)::bigint)
                 FROM ledger_standing e
                WHERE e.account_id = (SELECT a.id FROM ledger_account a
                                       WHERE a.code = 'payoffice:cash:' || s.id))) THEN
        RAISE EXCEPTION 'proposal %: another person counted the drawer of who rejects it', NEW.proposal_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER count_stands BEFORE INSERT ON staff_decision
    FOR EACH ROW WHEN (NEW.verdict = 'rejected') EXECUTE FUNCTION payoffice_guard_count_stands();
