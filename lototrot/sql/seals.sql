-- Check the order of seal and voids. A seal covers every ticket that was not void when its contest
-- closed. Errors are voided before the seal, and bets in breach after it, with an amendment [C6,
-- E4].
CREATE OR REPLACE FUNCTION lototrot_guard_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.reason = 'breach') <> EXISTS (
        SELECT FROM lototrot_seal s JOIN lototrot_ticket t ON t.contest_id = s.contest_id
         WHERE t.id = NEW.ticket_id) THEN
        RAISE EXCEPTION 'ticket %: errors are voided before the seal, breaches after it',
            NEW.ticket_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sealed BEFORE INSERT ON lototrot_void
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_void();

CREATE OR REPLACE FUNCTION lototrot_guard_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM lototrot_contest c
                    WHERE c.id = NEW.contest_id AND c.state = 'closed') THEN
        RAISE EXCEPTION 'contest %: only a closed contest is sealed', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER closed BEFORE INSERT ON lototrot_seal
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_seal();
