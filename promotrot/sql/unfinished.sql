-- End an unfinished play in which `p_acts` acts were done, and return whether this call ended it
-- [P11, P19]. Its vouchers have no terminal and no code: they are held for the buyer at the Central
-- Office. The journal has the act in which it is called: of a night, or of a person.
CREATE OR REPLACE FUNCTION promotrot_end_held(p_ticket bigint, p_acts integer, p_day date,
    p_claim_days integer, p_ending jsonb, p_vouchers jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_at timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.ticket}, (p_ticket & 2147483647)::integer);
    IF jsonb_array_length(p_vouchers) > 0 THEN
        PERFORM promotrot_hold_emission(p_ticket => p_ticket);
    END IF;
    v_at := core_now();
    IF EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = p_ticket)
       OR (SELECT count(*) FROM promotrot_playact a WHERE a.ticket_id = p_ticket) <> p_acts
       OR (v_at AT TIME ZONE 'Europe/Madrid')::date <> p_day THEN
        RETURN false;
    END IF;
    PERFORM promotrot_end(
        p_ticket => p_ticket, p_terminal => NULL, p_at => v_at, p_claim_days => p_claim_days,
        p_ending => p_ending, p_vouchers => p_vouchers);
    RETURN true;
END $$;

-- Return whether plays can be finished at premises: they have a terminal in use, and an authorisation
-- for Promotrot that has not ended [P19].
CREATE OR REPLACE FUNCTION promotrot_can_finish(p_premises bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM premises_terminal t
                    WHERE t.premises_id = p_premises AND t.revoked_at IS NULL
                      AND t.copied_at IS NULL AND t.token_digest IS NOT NULL)
       AND EXISTS (SELECT FROM premises_authorisation a
                    WHERE a.premises_id = p_premises AND a.game = 'promotrot'
                      AND (a.valid_until IS NULL OR a.valid_until > core_now()))
$$;

-- Refuse to end a play at the Central Office that its premises can still finish [P19].
CREATE OR REPLACE FUNCTION promotrot_guard_office_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM promotrot_playticket t
                WHERE t.id = NEW.ticket_id AND promotrot_can_finish(t.premises_id))
       OR EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = NEW.ticket_id) THEN
        RAISE EXCEPTION 'play %: its premises finish it, or it has ended', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER stranded BEFORE INSERT ON promotrot_officeend
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_office_end();
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_officeend
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.play_end');
