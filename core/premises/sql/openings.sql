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

-- A leave to enrol that was used is used up.
CREATE OR REPLACE FUNCTION premises_enrolment_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'enrolment %: it was used', NEW.id USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER only_once BEFORE UPDATE ON premises_enrolment
    FOR EACH ROW WHEN (OLD.used_at IS NOT NULL) EXECUTE FUNCTION premises_enrolment_once();
