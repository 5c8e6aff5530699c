-- Handle a request to sell and its UUID, for both games. The game's own function takes the lock of
-- the request, looks for the UUID among its own rows, and then calls these functions.

-- Identify the seller and detect a replay. `p_sold_by` is the terminal that sold under the UUID
-- (NULL if none did), `p_same` says whether that sale had the same content, and `p_at` is the time
-- of a new sale. `outcome` is
-- 'replayed', or the code of a refusal, or NULL if the request is new and the seller may sell. No
-- sale is new while the clock cannot be trusted: nothing that depends on the time is decided then.
CREATE OR REPLACE FUNCTION premises_sale_front(p_token bytea, p_session bytea, p_sold_by bigint,
    p_same boolean, p_at timestamptz,
    OUT outcome text, OUT terminal_id bigint, OUT premises_id bigint, OUT operator_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_who record;
BEGIN
    v_who := premises_identify(p_token, p_session, p_at);
    IF v_who.refusal NOT LIKE 'operator_session_%' THEN
        outcome := v_who.refusal;
        RETURN;
    END IF;
    terminal_id := v_who.terminal_id;
    premises_id := v_who.premises_id;
    operator_id := v_who.operator_id;
    outcome := CASE
        WHEN p_sold_by = terminal_id AND p_same THEN 'replayed'
        WHEN p_sold_by IS NOT NULL THEN 'uuid_reused'
        WHEN v_who.refusal IS NOT NULL THEN v_who.refusal
        WHEN v_who.premises_kind NOT IN ('establishment', 'racecourse_point')
            THEN 'terminal_cannot'
        WHEN core_clock_unsound() THEN 'clock_unsound' END;
END $$;

-- Return the code of the refusal if a UUID cannot be used for a new sale, or NULL if it can. The
-- caller has checked that its game has not sold under the UUID.
CREATE OR REPLACE FUNCTION premises_uuid_refusal(p_uuid uuid) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE
        WHEN EXISTS (SELECT FROM premises_burntrequest b WHERE b.uuid = p_uuid) THEN 'uuid_burnt'
        WHEN EXISTS (SELECT FROM ledger_transfer x WHERE x.reference = p_uuid) THEN 'uuid_reused'
        END;
END $$;

-- Return the state of a UUID: 'sold', 'uuid_reused' or 'burnt'. A UUID without a sale is burnt in
-- this transaction, under the lock that a sale takes, so that a sale in flight is refused later.
CREATE OR REPLACE FUNCTION premises_request_state(p_terminal bigint, p_uuid uuid, p_sold_by bigint)
RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    IF p_sold_by IS NOT NULL THEN
        RETURN CASE p_sold_by WHEN p_terminal THEN 'sold' ELSE 'uuid_reused' END;
    END IF;
    IF premises_uuid_refusal(p_uuid) = 'uuid_reused' THEN
        RETURN 'uuid_reused';
    END IF;
    INSERT INTO premises_burntrequest (uuid, terminal_id, burnt_at)
    VALUES (p_uuid, p_terminal, core_now()) ON CONFLICT (uuid) DO NOTHING;
    RETURN 'burnt';
END $$;
