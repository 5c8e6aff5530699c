-- What became of a ticket's UUID. An unknown one is burnt in the same transaction, under the same
-- lock as a sale, so that a sale of it still in flight is refused when it gets there.
CREATE OR REPLACE FUNCTION lototrot_request_state(p_terminal bigint, p_uuid uuid,
    OUT outcome text, OUT ticket_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_owner bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(2, hashtext(p_uuid::text));
    SELECT t.id, t.terminal_id INTO ticket_id, v_owner
      FROM lototrot_ticket t WHERE t.uuid = p_uuid;
    IF FOUND THEN
        outcome := CASE WHEN v_owner = p_terminal THEN 'sold' ELSE 'uuid_reused' END;
        IF outcome <> 'sold' THEN
            ticket_id := NULL;
        END IF;
        RETURN;
    END IF;
    INSERT INTO lototrot_burntrequest (uuid, terminal_id, burnt_at)
    VALUES (p_uuid, p_terminal, core_now()) ON CONFLICT (uuid) DO NOTHING;
    outcome := 'burnt';
END $$;
