-- Refuse to update a settlement whose payment is ordered (14.III.8.2).
CREATE OR REPLACE FUNCTION lototrot_guard_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_paymentorder o WHERE o.settlement_id = OLD.id) THEN
        RAISE EXCEPTION 'table %: payment is ordered', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payment_ordered BEFORE UPDATE ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_settlement();

-- Refuse a settlement before the certificates (14.III.5.4.4): every race declared to have no
-- classification needs a certified draw.
CREATE OR REPLACE FUNCTION lototrot_need_certificates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lototrot_contestleg l
          JOIN lototrot_racedeclaration d ON d.race_id = l.race_id AND d.superseded_at IS NULL
         WHERE l.contest_id = NEW.contest_id AND NOT EXISTS (
            SELECT FROM draws_draw w JOIN draws_drawcertificate c ON c.draw_id = w.id
             WHERE w.kind = 'lototrot.race' AND w.subject = 'race:' || l.race_id
               AND w.state = 'certified')) THEN
        RAISE EXCEPTION 'contest %: a race has no certified draw', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER certified_draws BEFORE INSERT ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_certificates();
