-- Premises, authorisations and terminals are opened, and terminals enrolled, by two persons.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON premises_premises
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'premises.opening');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON premises_authorisation
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'premises.opening');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON premises_terminal
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'premises.opening');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON premises_enrolment
    FOR EACH ROW
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'premises.opening', 'premises.enrolment');

-- What is opened is what two persons named. Name and address may change later, and an authorisation may end
-- earlier, each by one person.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r premises_premises) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p.content -> 'premises' @> jsonb_build_array(jsonb_build_object(
               'code', r.code, 'kind', r.kind, 'municipality', r.municipality))
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r premises_authorisation) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM premises_premises m, jsonb_array_elements(p.content -> 'authorisations') e
         WHERE m.id = r.premises_id
           AND (e ->> 'premises', e ->> 'game', e ->> 'reference') = (m.code, r.game, r.reference)
           AND (e ->> 'valid_from')::timestamptz = r.valid_from
           AND coalesce((e ->> 'valid_until')::timestamptz, 'infinity')
               >= coalesce(r.valid_until, 'infinity'))
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r premises_terminal) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p.content -> 'terminals' @> jsonb_build_array(jsonb_build_object('code', r.code, 'premises', (
               SELECT m.code FROM premises_premises m WHERE m.id = r.premises_id)))
$$;

-- The code is asked for within fourteen days (ENROL_WITHIN in core/premises/openings.py).
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r premises_enrolment) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT r.allowed_until <= r.allowed_at + interval '336 hours' AND p.content -> 'terminals' @> jsonb_build_array(
               CASE p.kind WHEN 'premises.opening' THEN jsonb_build_object('code', t.code)
                           ELSE to_jsonb(t.code) END)
      FROM premises_terminal t WHERE t.id = r.terminal_id
$$;

-- A leave to enrol that was used is used up.
CREATE OR REPLACE FUNCTION premises_enrolment_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'enrolment %: it was used', NEW.id USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER only_once BEFORE UPDATE ON premises_enrolment
    FOR EACH ROW WHEN (OLD.used_at IS NOT NULL) EXECUTE FUNCTION premises_enrolment_once();

-- A terminal is opened without a key: the key is made by the machine that enrols.
CREATE OR REPLACE FUNCTION premises_need_bare() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'terminal %: it is opened without a key, and gets one when it enrols', NEW.code
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER without_key BEFORE INSERT ON premises_terminal
    FOR EACH ROW WHEN (num_nonnulls(NEW.public_key, NEW.enrolled_at, NEW.token_digest, NEW.next_token_digest,
        NEW.revoked_at, NEW.copied_at) > 0)
    EXECUTE FUNCTION premises_need_bare();

-- A terminal comes back, or gets another key, by a leave to enrol that was used then. Each leave does it once:
-- the next time needs a leave that was used later. One that was revoked never comes back. With the same key the
-- number of its proofs only grows: a proof that somebody has heard proves nothing again.
CREATE OR REPLACE FUNCTION premises_need_enrolment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.revoked_at < coalesce(NEW.revoked_at, 'infinity') OR NOT EXISTS (
        SELECT FROM premises_enrolment e
         WHERE e.terminal_id = NEW.id AND e.used_at = NEW.enrolled_at
           AND e.used_at > coalesce(OLD.enrolled_at, '-infinity')) THEN
        RAISE EXCEPTION 'terminal %: no leave to enrol was used for it', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER enrolled BEFORE UPDATE ON premises_terminal
    FOR EACH ROW WHEN (
        (NEW.public_key, NEW.enrolled_at) IS DISTINCT FROM (OLD.public_key, OLD.enrolled_at)
        OR OLD.copied_at IS NOT NULL AND NEW.copied_at IS NULL
        OR NEW.proof_number < OLD.proof_number
        OR OLD.revoked_at < coalesce(NEW.revoked_at, 'infinity'))
    EXECUTE FUNCTION premises_need_enrolment();
