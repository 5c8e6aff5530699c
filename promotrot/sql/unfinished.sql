-- End an unfinished play and return whether this call ended it [P11]. Its vouchers have no terminal
-- and no code: they are held for the buyer at the Central Office.
CREATE OR REPLACE FUNCTION promotrot_end_unfinished(p_ticket bigint, p_day date,
    p_claim_days integer, p_ending jsonb, p_vouchers jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_at timestamptz;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.ticket}, (p_ticket & 2147483647)::integer);
    v_at := core_now();
    IF EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = p_ticket)
       OR EXISTS (SELECT FROM promotrot_playact a WHERE a.ticket_id = p_ticket)
       OR (v_at AT TIME ZONE 'Europe/Madrid')::date <> p_day THEN
        RETURN false;
    END IF;
    PERFORM set_config('core.act', 'promotrot.unfinished', true);
    PERFORM promotrot_end(p_ticket, NULL, v_at, p_claim_days, p_ending, p_vouchers);
    RETURN true;
END $$;
