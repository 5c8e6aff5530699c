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
-- A field that is fixed stands, whatever start is corrected for the bets sold after it [C6, C9]. While balls
-- wait, a correction leaves each withdrawal on its side of the start (14.III.5.4.1).
CREATE OR REPLACE FUNCTION lototrot_guard_begun_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_begun('lototrot.race', 'race:' || NEW.race_id) AND NOT coalesce((
           SELECT s.race_id = NEW.race_id AND (EXISTS (
                      SELECT FROM draws_draw d JOIN draws_drawfield f ON f.draw_id = d.id
                       WHERE d.kind = 'lototrot.race' AND d.subject = 'race:' || NEW.race_id
                         AND d.state NOT IN ('called_off', 'abandoned'))
                  OR NOT EXISTS (
                      SELECT FROM lototrot_withdrawal w
                       WHERE w.race_id = NEW.race_id AND w.reversed_at IS NULL
                         AND (w.effective_at < s.actual_start_at)
                             <> (w.effective_at < NEW.actual_start_at)))
             FROM lototrot_racestart s WHERE s.id = NEW.corrects_id), false) THEN
        RAISE EXCEPTION 'race %: its draw has begun', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER draw_begun BEFORE INSERT ON lototrot_racestart
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_begun_start();
CREATE OR REPLACE TRIGGER draw_begun BEFORE UPDATE OF superseded_at ON lototrot_racedeclaration
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_begun();

-- Refuse to change what a result follows from once payment is ordered of a contest on the race: a keying
-- error is corrected until then (14.III.8.2) [B14].
CREATE OR REPLACE FUNCTION lototrot_guard_ordered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_contestleg l
                 JOIN lototrot_paymentorder o ON o.contest_id = l.contest_id
                WHERE l.race_id = NEW.race_id) THEN
        RAISE EXCEPTION 'race %: payment is ordered of a contest on it', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER not_ordered BEFORE INSERT OR UPDATE ON lototrot_withdrawal
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ordered();
CREATE OR REPLACE TRIGGER not_ordered BEFORE INSERT OR UPDATE ON lototrot_classification
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ordered();
