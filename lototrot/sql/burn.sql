-- Return the ticket sold with a UUID. Burn the UUID if there is none (core/premises/sql).
-- No sale can use a burnt UUID.
CREATE OR REPLACE FUNCTION lototrot_request_state(p_terminal bigint, p_uuid uuid,
    OUT outcome text, OUT ticket_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_owner bigint;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.request}, core_request_key(p_uuid));
    SELECT t.id, t.terminal_id INTO ticket_id, v_owner
      FROM lototrot_ticket t WHERE t.uuid = p_uuid;
    outcome := premises_request_state(
        p_terminal => p_terminal, p_uuid => p_uuid, p_sold_by => v_owner);
    IF outcome <> 'sold' THEN
        ticket_id := NULL;
    END IF;
END $$;
