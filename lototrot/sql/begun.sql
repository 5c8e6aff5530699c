-- Refuse a change of the facts from which a race's draw is made, once the draw has begun: its field is
-- fixed, or balls that everybody has seen wait for the inspector (14.III.5.4.4) [B13, B16].
CREATE OR REPLACE FUNCTION lototrot_guard_begun() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_begun('lototrot.race', 'race:' || NEW.race_id) THEN
        RAISE EXCEPTION 'race %: its draw has begun', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER draw_begun BEFORE INSERT OR UPDATE OF reversed_at ON lototrot_withdrawal
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_begun();
CREATE OR REPLACE TRIGGER draw_begun BEFORE INSERT ON lototrot_racestart
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_begun();
CREATE OR REPLACE TRIGGER draw_begun BEFORE UPDATE OF superseded_at ON lototrot_racedeclaration
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_begun();

-- Refuse a withdrawal, and the reversal of one, once payment is ordered of a contest on the race: what
-- the settlement was computed from stays (14.III.8.2) [B14].
CREATE OR REPLACE FUNCTION lototrot_guard_ordered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_contestleg l
                 JOIN lototrot_paymentorder o ON o.contest_id = l.contest_id
                WHERE l.race_id = NEW.race_id) THEN
        RAISE EXCEPTION 'race %: its payment is ordered', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payment_ordered BEFORE INSERT OR UPDATE OF reversed_at ON lototrot_withdrawal
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ordered();
