-- A race has one result: a classification, or a public draw where two persons declared that it has none
-- (14.III.5.3, 14.III.5.4) [B13, B17]. So nobody chooses later between the order of the horses and that of a draw.
CREATE OR REPLACE FUNCTION lototrot_guard_result() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_other boolean;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.meeting}, (r.meeting_id & 2147483647)::integer)
       FROM lototrot_race r WHERE r.id = NEW.race_id;
    IF TG_TABLE_NAME = 'lototrot_classification' THEN
        v_other := EXISTS (SELECT FROM lototrot_racedeclaration d
                            WHERE d.race_id = NEW.race_id AND d.superseded_at IS NULL);
    ELSE
        v_other := (NEW.kind = 'not_run') = EXISTS (
                SELECT FROM lototrot_racestart s WHERE s.race_id = NEW.race_id)
            OR EXISTS (SELECT FROM lototrot_classification c WHERE c.race_id = NEW.race_id AND c.in_force);
    END IF;
    IF v_other THEN
        RAISE EXCEPTION 'race %: it has another result, or ran otherwise', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER one_result BEFORE INSERT ON lototrot_classification
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_result();
CREATE OR REPLACE TRIGGER one_result BEFORE INSERT ON lototrot_racedeclaration
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_result();

-- A race that starts was run: its act takes back the declaration that it was not [B13].
CREATE OR REPLACE FUNCTION lototrot_guard_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock({lock.meeting}, (r.meeting_id & 2147483647)::integer)
       FROM lototrot_race r WHERE r.id = NEW.race_id;
    IF EXISTS (SELECT FROM lototrot_racedeclaration d
                WHERE d.race_id = NEW.race_id AND d.kind = 'not_run' AND d.superseded_at IS NULL) THEN
        RAISE EXCEPTION 'race %: it is declared not run', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- Return the races that a proposal about a whole meeting declares, and that nobody declared.
CREATE OR REPLACE FUNCTION lototrot_undeclared(p_proposal bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
    SELECT r.id FROM staff_proposal p JOIN lototrot_race r ON r.meeting_id = (p.content ->> 'meeting')::bigint
     WHERE p.id = p_proposal AND p.content ->> 'race' IS NULL
       AND NOT EXISTS (SELECT FROM lototrot_racestart s WHERE s.race_id = r.id)
       AND NOT EXISTS (SELECT FROM lototrot_racedeclaration d
                        WHERE d.race_id = r.id AND coalesce(d.superseded_at > (
                            SELECT g.decided_at FROM staff_decision g WHERE g.proposal_id = p.id), true))
$$;

-- A meeting that is not run has no race that can still be run, or get a result.
CREATE OR REPLACE FUNCTION lototrot_guard_whole_meeting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_undeclared(NEW.proposal_id)) THEN
        RAISE EXCEPTION 'race %: two persons declared all of its meeting', NEW.race_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS run ON lototrot_racestart;
CREATE CONSTRAINT TRIGGER run AFTER INSERT ON lototrot_racestart
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lototrot_guard_run();
DROP TRIGGER IF EXISTS whole_meeting ON lototrot_racedeclaration;
CREATE CONSTRAINT TRIGGER whole_meeting AFTER INSERT ON lototrot_racedeclaration
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lototrot_guard_whole_meeting();
