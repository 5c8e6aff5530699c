-- Tie the stopped state of a contest to the stops of sales in force, and refuse to lift a stop by
-- one person (14.III.4) [E12].
CREATE OR REPLACE FUNCTION lototrot_stop_covers(p_stop lototrot_salesstop, p_contest bigint)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_stop.race_id IS NULL
        THEN EXISTS (SELECT FROM lototrot_contest c
                      WHERE c.id = p_contest AND c.meeting_id = p_stop.meeting_id)
        ELSE EXISTS (SELECT FROM lototrot_contestleg l
                      WHERE l.contest_id = p_contest AND l.race_id = p_stop.race_id) END
$$;

CREATE OR REPLACE FUNCTION lototrot_guard_stopped() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_standing boolean := EXISTS (
        SELECT FROM lototrot_salesstop s
         WHERE s.meeting_id = NEW.meeting_id AND s.ended_at IS NULL
           AND lototrot_stop_covers(s, NEW.id));
BEGIN
    IF v_standing <> (NEW.state = 'stopped') THEN
        RAISE EXCEPTION 'contest %: it is stopped as long as a stop of its sales stands', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- A stop ends when two persons lift it or reject what it came with, or when the contests that it
-- covers are closed. The person who rejects is a second one: not one whose account was given
-- shortly before.
CREATE OR REPLACE FUNCTION lototrot_guard_stop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL THEN
        RAISE EXCEPTION 'stop %: it has ended', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.ending = 'lifted' AND NEW.lifting_id IS NULL
       AND NOT EXISTS (
            SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
              JOIN staff_user u ON u.id = d.decided_by_id
             WHERE p.id = NEW.proposal_id AND d.verdict = 'rejected'
               AND d.decided_by_id <> p.proposed_by_id AND d.decided_in_id <> p.proposed_in_id
               AND (u.second_from > d.decided_at) IS NOT TRUE)
    THEN
        PERFORM lototrot_refuse_unconfirmed(TG_TABLE_NAME);
    END IF;
    IF NEW.ending <> 'lifted' AND EXISTS (
        SELECT FROM lototrot_contest c
         WHERE c.meeting_id = NEW.meeting_id AND c.state = 'stopped'
           AND lototrot_stop_covers(NEW, c.id)) THEN
        RAISE EXCEPTION 'stop %: it covers a contest that is not closed', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- A terminal stops sales if two persons appointed it for the racecourse, and nobody ended it.
CREATE OR REPLACE FUNCTION lototrot_guard_signal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lototrot_signaldevice d JOIN lototrot_race r ON r.racecourse_id = d.racecourse_id
         WHERE d.terminal_id = NEW.terminal_id AND r.id = NEW.race_id AND d.ended_at IS NULL) THEN
        RAISE EXCEPTION 'terminal %: it does not signal the starts of race %', NEW.terminal_id,
            NEW.race_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER signal_appointed BEFORE INSERT ON lototrot_salesstop
    FOR EACH ROW WHEN (NEW.terminal_id IS NOT NULL) EXECUTE FUNCTION lototrot_guard_signal();
CREATE OR REPLACE TRIGGER stopped_stands BEFORE UPDATE OF state ON lototrot_contest
    FOR EACH ROW WHEN (NEW.state IN ('open', 'stopped'))
    EXECUTE FUNCTION lototrot_guard_stopped();
CREATE OR REPLACE TRIGGER ends BEFORE UPDATE ON lototrot_salesstop
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_stop();
CREATE OR REPLACE TRIGGER two_persons BEFORE UPDATE ON lototrot_salesstop
    FOR EACH ROW WHEN (NEW.lifting_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('lifting_id', 'lototrot.stop_lifting');
