-- Refuse an early claim valued with another amount than what the order or the breach makes it worth,
-- or without either (14.III.10.2) [D7].
CREATE OR REPLACE FUNCTION lototrot_guard_early() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.amount_cents IS DISTINCT FROM (
        SELECT CASE WHEN v.id IS NOT NULL THEN t.amount_cents
                    WHEN o.id IS NOT NULL THEN coalesce(p.prize_cents, 0) END
          FROM lototrot_ticket t
          LEFT JOIN lototrot_void v ON v.ticket_id = t.id
          LEFT JOIN lototrot_paymentorder o ON o.contest_id = t.contest_id
          LEFT JOIN lototrot_prize p ON p.settlement_id = o.settlement_id AND p.ticket_id = t.id
         WHERE t.id = NEW.document_id) THEN
        RAISE EXCEPTION 'claim %: it is worth something else, or not known yet', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS early_valued ON payoffice_claim;
CREATE CONSTRAINT TRIGGER early_valued AFTER UPDATE ON payoffice_claim
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.state = 'early' AND NEW.game = 'lototrot') EXECUTE FUNCTION lototrot_guard_early();

-- A payment order leaves no early claim of its contest without an amount.
CREATE OR REPLACE FUNCTION lototrot_need_valued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM payoffice_claim c JOIN lototrot_ticket t ON t.id = c.document_id
         WHERE c.game = 'lototrot' AND c.state = 'early' AND t.contest_id = NEW.contest_id) THEN
        RAISE EXCEPTION 'contest %: a claim presented early is not valued', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS early_valued ON lototrot_paymentorder;
CREATE CONSTRAINT TRIGGER early_valued AFTER INSERT ON lototrot_paymentorder
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lototrot_need_valued();

-- No claim is opened early once its payment is ordered, nor before the contest has closed.
CREATE OR REPLACE FUNCTION lototrot_need_unordered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lototrot_ticket t JOIN lototrot_contest c ON c.id = t.contest_id
         WHERE t.id = NEW.document_id AND (c.state IN ('closed', 'settled') OR EXISTS (
            SELECT FROM payoffice_claim k WHERE k.id = NEW.id AND k.state <> 'early'))) THEN
        RAISE EXCEPTION 'claim %: its contest awaits no payment order', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS early_opened ON payoffice_claim;
CREATE CONSTRAINT TRIGGER early_opened AFTER INSERT ON payoffice_claim
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.state = 'early' AND NEW.game = 'lototrot') EXECUTE FUNCTION lototrot_need_unordered();

-- A held prize is presented again only if somebody presented its ticket; a price due back, which never
-- lapses, waits for its bearer [C5, C6].
CREATE OR REPLACE FUNCTION lototrot_need_bearer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payoffice_presentation p WHERE p.claim_id = NEW.id)
       AND NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = NEW.document_id) THEN
        RAISE EXCEPTION 'claim %: it is held, and nobody presented another paper', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER lototrot_bearer BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (OLD.state = 'held' AND NEW.state = 'presented' AND NEW.game = 'lototrot')
    EXECUTE FUNCTION lototrot_need_bearer();
