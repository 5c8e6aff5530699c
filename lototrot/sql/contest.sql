-- Refuse updates of a contest that its state machine would allow: to change terms once it is on sale,
-- to discard it without the act of two persons [E9], to open it without
-- the list of internal bet types of its meeting [E16], to move a closing that has been reached, or
-- otherwise than the newest change on record says [E13], to change what the closing recorded, and to
-- replace the secret of the codes instead of erasing it (14.III.4) [E1].
CREATE OR REPLACE FUNCTION lototrot_guard_contest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'draft'
       AND (NEW.bet_type_id, NEW.bet_type_code, NEW.ticket_model_id, NEW.price_cents, NEW.max_bets,
            NEW.premises_cap_cents, NEW.correction_window_s, NEW.correction_approval)
           IS DISTINCT FROM (OLD.bet_type_id, OLD.bet_type_code, OLD.ticket_model_id,
            OLD.price_cents, OLD.max_bets, OLD.premises_cap_cents, OLD.correction_window_s,
            OLD.correction_approval) THEN
        RAISE EXCEPTION 'contest %: its terms change only before it is on sale', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'discarded' AND OLD.state <> 'discarded'
       AND NOT EXISTS (SELECT FROM lototrot_discard d WHERE d.contest_id = OLD.id) THEN
        RAISE EXCEPTION 'contest %: two persons discard it', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.scheduled_close_at <> OLD.scheduled_close_at AND OLD.state <> 'draft'
       AND (OLD.closed_at IS NOT NULL OR OLD.scheduled_close_at <= core_now()) THEN
        RAISE EXCEPTION 'contest %: its closing has been reached and is not moved', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.scheduled_close_at <> OLD.scheduled_close_at AND OLD.state <> 'draft'
       AND NOT EXISTS (
            SELECT FROM lototrot_schedulechange s
             WHERE s.contest_id = OLD.id AND s.from_at = OLD.scheduled_close_at
               AND s.to_at = NEW.scheduled_close_at AND s.number = (
                SELECT max(l.number) FROM lototrot_schedulechange l
                 WHERE l.contest_id = OLD.id)) THEN
        RAISE EXCEPTION 'contest %: nobody has moved its closing so', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.closed_at IS NOT NULL
       AND (NEW.opened_at, NEW.closed_at, NEW.closing_cause, NEW.offered_masks)
           IS DISTINCT FROM (OLD.opened_at, OLD.closed_at, OLD.closing_cause, OLD.offered_masks) THEN
        RAISE EXCEPTION 'contest %: what its closing recorded stays', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'open' AND OLD.state = 'draft' AND NOT EXISTS (
           SELECT FROM lototrot_internalbetlist i WHERE i.meeting_id = NEW.meeting_id) THEN
        RAISE EXCEPTION 'contest %: the internal bet types of its meeting are not on record', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'open' AND NEW.code_secret IS NULL THEN
        RAISE EXCEPTION 'contest %: on sale it has a code secret', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.code_secret IS NOT NULL AND NEW.code_secret IS DISTINCT FROM OLD.code_secret THEN
        RAISE EXCEPTION 'contest %: its code secret is erased, never changed', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER closing_stays BEFORE UPDATE ON lototrot_contest
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_contest();

-- Refuse a contest of another day or chain than its meeting and its bet type are of, a race of another
-- meeting, and takings on an account that was not opened for it: who puts it on sale does not see them.
CREATE OR REPLACE FUNCTION lototrot_guard_new_contest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lototrot_meeting m, lototrot_bettype b, ledger_account a
         WHERE m.id = NEW.meeting_id AND m.day = NEW.day
           AND b.id = NEW.bet_type_id AND b.code = NEW.bet_type_code
           AND a.id = NEW.takings_account_id AND a.code LIKE 'lototrot:takings:%'
           AND (TG_OP = 'UPDATE' OR a.journal_xid = journal_number())) THEN
        RAISE EXCEPTION 'contest %: its day, its chain or its account is another''s', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER unshared BEFORE INSERT OR UPDATE OF bet_type_id, bet_type_code ON lototrot_contest
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_new_contest();

CREATE OR REPLACE FUNCTION lototrot_guard_leg() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lototrot_contest c JOIN lototrot_race r ON r.meeting_id = c.meeting_id
         WHERE c.id = NEW.contest_id AND r.id = NEW.race_id) THEN
        RAISE EXCEPTION 'contest %: race % is of another meeting', NEW.contest_id, NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_meeting BEFORE INSERT OR UPDATE ON lototrot_contestleg
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_leg();

-- Refuse a start outside the window of its meeting (14.III.4) [B15].
CREATE OR REPLACE FUNCTION lototrot_need_in_meeting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lototrot_race r JOIN lototrot_meeting m ON m.id = r.meeting_id
         WHERE r.id = NEW.race_id AND NEW.actual_start_at >= m.begins_at
           AND NEW.actual_start_at < m.ends_at) THEN
        RAISE EXCEPTION 'race %: it started outside its meeting', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER in_meeting BEFORE INSERT ON lototrot_racestart
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_in_meeting();

-- Refuse a discard of a contest that was ever on sale, another race in a leg of it, and another leg [E9].
CREATE OR REPLACE FUNCTION lototrot_need_draft() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM lototrot_contest c
                    WHERE c.id = NEW.contest_id AND c.state = 'draft') THEN
        RAISE EXCEPTION 'contest %: it is no draft any more', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER draft BEFORE INSERT ON lototrot_discard
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_draft();
CREATE OR REPLACE TRIGGER draft BEFORE INSERT ON lototrot_contestchange
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_draft();
CREATE OR REPLACE TRIGGER draft BEFORE INSERT OR UPDATE ON lototrot_contestleg
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_draft();

-- Refuse a race or a runner that is not of the act that imported its meeting: the programme does not change
-- afterwards (14.I.2), and others would have bet without it.
CREATE OR REPLACE FUNCTION lototrot_need_programme() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_xid bigint;
BEGIN
    IF TG_TABLE_NAME = 'lototrot_race' THEN
        SELECT m.journal_xid INTO v_xid FROM lototrot_meeting m WHERE m.id = NEW.meeting_id;
    ELSE
        SELECT r.journal_xid INTO v_xid FROM lototrot_race r WHERE r.id = NEW.race_id;
    END IF;
    IF v_xid IS DISTINCT FROM journal_number() THEN
        RAISE EXCEPTION 'table %: the programme of its meeting is complete', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER with_programme BEFORE INSERT ON lototrot_race
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_programme();
CREATE OR REPLACE TRIGGER with_programme BEFORE INSERT ON lototrot_runner
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_programme();
