-- Check the order of seal and voids. A seal covers every ticket that was not void when its contest
-- closed. Errors are voided before the seal; bets in breach and tickets never
-- printed after it, with an amendment [C6, E4, E11].
CREATE OR REPLACE FUNCTION lototrot_guard_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.reason <> 'error') <> EXISTS (
        SELECT FROM lototrot_seal s JOIN lototrot_ticket t ON t.contest_id = s.contest_id
         WHERE t.id = NEW.ticket_id) THEN
        RAISE EXCEPTION 'ticket %: errors are voided before the seal, all others after it',
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

-- A ticket is listed as unprinted after the closing, and voided for it before the settlement, if no
-- print of it is confirmed. No contest is settled before all are decided [E11].
CREATE OR REPLACE FUNCTION lototrot_guard_unprinted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.verdict <> '' THEN
        RAISE EXCEPTION 'ticket %: two persons have decided about its print', OLD.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.verdict <> 'stand' AND EXISTS (
        SELECT FROM lototrot_printconfirmation p WHERE p.ticket_id = NEW.ticket_id) THEN
        RAISE EXCEPTION 'ticket %: its print is confirmed', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM lototrot_contest c
                    WHERE c.id = NEW.contest_id AND c.state = 'closed') THEN
        RAISE EXCEPTION 'contest %: prints are decided between closing and settlement',
            NEW.contest_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER decided BEFORE INSERT OR UPDATE ON lototrot_unprinted
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_unprinted();

CREATE OR REPLACE FUNCTION lototrot_need_prints_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_unprinted u
                WHERE u.contest_id = NEW.contest_id AND u.verdict <> 'stand' AND NOT EXISTS (
                    SELECT FROM lototrot_void v WHERE v.ticket_id = u.ticket_id)) THEN
        RAISE EXCEPTION 'contest %: tickets were not printed', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER prints_decided BEFORE INSERT ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_prints_decided();

-- A print is of a ticket, and is confirmed before the unclaimed prizes of its contest lapse. Afterwards its
-- month is closed and archived, and no row may come among those that were archived. A foreign key would
-- lock each ticket. None is needed: a ticket leaves long after the lapse, and never before its print
-- (lototrot_guard_printed).
CREATE OR REPLACE FUNCTION lototrot_guard_print() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_lapsed boolean;
BEGIN
    SELECT EXISTS (SELECT FROM lototrot_lapse l WHERE l.contest_id = t.contest_id) INTO v_lapsed
      FROM lototrot_ticket t WHERE t.id = NEW.ticket_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no ticket %', NEW.ticket_id
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF v_lapsed THEN
        RAISE EXCEPTION 'ticket %: its contest has lapsed, no print is confirmed any more',
            NEW.ticket_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER in_time BEFORE INSERT ON lototrot_printconfirmation
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_print();
