-- Handle a request to sell and its UUID, for both games. The game's own function takes the lock of
-- the request, looks for the UUID among its own rows, and then calls these functions.

-- Return the code of the refusal if a UUID cannot be used for a new sale, or NULL if it can. The
-- caller has checked that its game has not sold under the UUID. Queries contain it.
CREATE OR REPLACE FUNCTION premises_may_use(p_uuid uuid) RETURNS TABLE (refusal text)
LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN EXISTS (SELECT FROM premises_burntrequest b WHERE b.uuid = p_uuid) THEN 'uuid_burnt'
        WHEN EXISTS (SELECT FROM ledger_transfer x WHERE x.reference = p_uuid) THEN 'uuid_reused'
        END
$$;

-- Identify the seller, detect a replay, and read in the same query what may refuse a new sale.
-- `p_sold_by` is the terminal that sold under the UUID (NULL if none did), `p_same` says whether
-- that sale had the same content, and `p_at` is the time of a new sale. `outcome` is
-- 'replayed', or the code of a refusal, or NULL if the request is new and the seller may sell. No
-- sale is new while the clock cannot be trusted: nothing that depends on the time is decided then.
-- `uuid_refusal` and `place_refusal` take precedence after what the game itself refuses.
CREATE OR REPLACE FUNCTION premises_seller(p_token bytea, p_session bytea, p_game text, p_uuid uuid,
    p_sold_by bigint, p_same boolean, p_at timestamptz,
    OUT outcome text, OUT terminal_id bigint, OUT premises_id bigint, OUT operator_id bigint,
    OUT uuid_refusal text, OUT place_refusal text)
LANGUAGE plpgsql AS $$
DECLARE
    v record;
    v_done boolean;
BEGIN
    FOR v_try IN 1 .. 2 LOOP
        SELECT w.*, u.refusal AS uuid_refusal, m.refusal AS place_refusal,
               k.unsound INTO v
          FROM premises_who(p_token, p_session, p_at) w
         CROSS JOIN premises_may_use(p_uuid) u
         CROSS JOIN core_clock_unsound() k
         CROSS JOIN LATERAL premises_may_sell(w.terminal_id, w.premises_id, p_game, p_at) m;
        EXIT WHEN FOUND;
        IF v_try = 2 OR NOT premises_token_take(p_token) THEN
            outcome := premises_token_former(p_token);
            RETURN;
        END IF;
    END LOOP;
    outcome := v.refusal;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    terminal_id := v.terminal_id;
    premises_id := v.premises_id;
    IF v.session_refusal IS NULL THEN
        operator_id := v.operator_id;
    END IF;
    uuid_refusal := v.uuid_refusal;
    place_refusal := v.place_refusal;
    outcome := CASE
        WHEN p_sold_by = terminal_id AND p_same THEN 'replayed'
        WHEN p_sold_by IS NOT NULL THEN 'uuid_reused'
        WHEN v.session_refusal IS NOT NULL THEN v.session_refusal
        WHEN v.premises_kind NOT IN ('establishment', 'racecourse_point') THEN 'terminal_cannot'
        WHEN v.unsound THEN 'clock_unsound' END;
    IF outcome = 'replayed' THEN
        v_done := core_on_disk();
    END IF;
END $$;

-- Return the state of a UUID: 'sold', 'uuid_reused' or 'burnt'. A UUID without a sale is burnt in
-- this transaction, under the lock that a sale takes, so that a sale in flight is refused later.
CREATE OR REPLACE FUNCTION premises_request_state(p_terminal bigint, p_uuid uuid, p_sold_by bigint)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_done boolean;
BEGIN
    IF p_sold_by IS NOT NULL THEN
        v_done := core_on_disk();
        RETURN CASE p_sold_by WHEN p_terminal THEN 'sold' ELSE 'uuid_reused' END;
    END IF;
    IF (SELECT u.refusal FROM premises_may_use(p_uuid) u) = 'uuid_reused' THEN
        RETURN 'uuid_reused';
    END IF;
    INSERT INTO premises_burntrequest (uuid, terminal_id, burnt_at)
    VALUES (p_uuid, p_terminal, core_now()) ON CONFLICT (uuid) DO NOTHING;
    RETURN 'burnt';
END $$;
