-- Enforce the order of the steps of a public draw, and who may take them, independently of the
-- services (14.III.5.4.4): no entropy before the commitment, no second outcome, and only an
-- inspector who attends certifies.
CREATE OR REPLACE FUNCTION draws_state(p_draw bigint) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT state FROM draws_draw WHERE id = p_draw
$$;

CREATE OR REPLACE FUNCTION draws_refuse(p_why text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'public draw: %', p_why USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION draws_guard_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = 'committed' AND NOT EXISTS (
           SELECT FROM draws_commitment WHERE draw_id = NEW.id)
       OR NEW.state = 'drawn' AND NOT EXISTS (
           SELECT FROM draws_outcome WHERE draw_id = NEW.id)
       OR NEW.state = 'certified' AND NOT EXISTS (
           SELECT FROM draws_drawcertificate WHERE draw_id = NEW.id)
       OR NEW.state = 'called_off' AND NOT EXISTS (
           SELECT FROM draws_calloff WHERE draw_id = NEW.id) THEN
        PERFORM draws_refuse(format('nothing on record makes it %s', NEW.state));
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_attendance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM staff_user u JOIN staff_staffsession s ON s.user_id = u.id
         WHERE u.id = NEW.inspector_id AND s.id = NEW.session_id AND NEW.appointment <> ''
           AND u.appointment = NEW.appointment AND 'inspector' = ANY (u.roles)) THEN
        PERFORM draws_refuse('only an appointed inspector attends');
    END IF;
    IF draws_state(NEW.draw_id) IN ('certified', 'called_off') THEN
        PERFORM draws_refuse('it is over');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_commitment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'announced' THEN
        PERFORM draws_refuse('it is committed once, before anything is drawn');
    END IF;
    IF NOT EXISTS (SELECT FROM draws_attendance a WHERE a.draw_id = NEW.draw_id)
       OR NOT EXISTS (SELECT FROM draws_drawfield f WHERE f.draw_id = NEW.draw_id) THEN
        PERFORM draws_refuse('an inspector and a fixed field come first');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.method = 'computed' AND NOT (
           draws_state(NEW.draw_id) = 'committed' AND EXISTS (
               SELECT FROM draws_commitment c
                WHERE c.draw_id = NEW.draw_id AND c.committed_at < NEW.drawn_at)) THEN
        PERFORM draws_refuse('entropy is entered after the commitment, once');
    END IF;
    IF NEW.method = 'balls' AND NOT (
           draws_state(NEW.draw_id) IN ('announced', 'committed') AND EXISTS (
               SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
                WHERE p.id = NEW.proposal_id AND p.kind = 'draws.manual'
                  AND d.verdict = 'confirmed')) THEN
        PERFORM draws_refuse('a draw by hand is entered by two persons, once');
    END IF;
    IF NOT EXISTS (SELECT FROM draws_drawfield f WHERE f.draw_id = NEW.draw_id
                    AND jsonb_array_length(NEW."order") = f.places) THEN
        PERFORM draws_refuse('the order is not of its field');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_certificate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'drawn' OR NOT EXISTS (
        SELECT FROM draws_attendance a JOIN staff_staffsession s ON s.user_id = a.inspector_id
         WHERE a.id = NEW.attendance_id AND a.draw_id = NEW.draw_id AND s.id = NEW.session_id) THEN
        PERFORM draws_refuse('only an attending inspector certifies, once it is drawn');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_calloff() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) NOT IN ('announced', 'committed') THEN
        PERFORM draws_refuse('what is drawn is not called off');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER draw_steps BEFORE UPDATE OF state ON draws_draw
    FOR EACH ROW EXECUTE FUNCTION draws_guard_state();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_attendance
    FOR EACH ROW EXECUTE FUNCTION draws_guard_attendance();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_commitment
    FOR EACH ROW EXECUTE FUNCTION draws_guard_commitment();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_outcome
    FOR EACH ROW EXECUTE FUNCTION draws_guard_outcome();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_drawcertificate
    FOR EACH ROW EXECUTE FUNCTION draws_guard_certificate();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_calloff
    FOR EACH ROW EXECUTE FUNCTION draws_guard_calloff();
