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

-- Return the code of the refusal if the UUID of a request cannot name a new act at a time, or NULL if
-- it can, or if there is no time because nothing new is asked for. A UUID of version 7 (RFC 9562) begins
-- with the milliseconds since 1970. How far they may be from the time, and why, is told in
-- core/kernel/request_uuids.py: 5 minutes ahead and 3 days behind. Every service that writes under a
-- client's UUID asks this function, after it has looked for the act among its own rows.
CREATE OR REPLACE FUNCTION premises_new_request(p_uuid uuid, p_at timestamptz) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_bytes bytea := uuid_send(p_uuid);
    v_ahead_ms bigint;
BEGIN
    IF get_byte(v_bytes, 6) >> 4 <> 7 OR get_byte(v_bytes, 8) >> 6 <> 2 THEN
        RETURN CASE WHEN p_at IS NOT NULL THEN 'request_uuid_version' END;
    END IF;
    v_ahead_ms := premises_request_ms(p_uuid) - floor(extract(epoch FROM p_at) * 1000)::bigint;
    RETURN CASE WHEN v_ahead_ms > 300000 THEN 'request_uuid_from_the_future'
                WHEN v_ahead_ms < -259200000 THEN 'request_uuid_too_old' END;
END $$;

-- Return the time in a UUID of version 7, in milliseconds since 1970. PostgreSQL has a function for it
-- from version 17 on.
CREATE OR REPLACE FUNCTION premises_request_ms(p_uuid uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || encode(substring(uuid_send(p_uuid) FOR 6), 'hex'))::bit(48)::bigint
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
          FROM premises_who(p_token => p_token, p_session => p_session, p_at => p_at) w
         CROSS JOIN premises_may_use(p_uuid) u
         CROSS JOIN core_clock_unsound() k
         CROSS JOIN LATERAL premises_may_sell(
             p_terminal => w.terminal_id, p_premises => w.premises_id, p_game => p_game,
             p_at => p_at) m;
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
    uuid_refusal := coalesce(v.uuid_refusal, premises_new_request(p_uuid, p_at));
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
-- this transaction, under the lock that a sale takes, so that a sale in flight is refused later. Where
-- its time lies in a retired month, what was sold under it may have left: 'request_archived'. No sale
-- can have had a UUID that is not of version 7: 'request_uuid_version'.
CREATE OR REPLACE FUNCTION premises_request_state(p_terminal bigint, p_uuid uuid, p_sold_by bigint)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_done boolean;
    v_refusal text;
BEGIN
    IF p_sold_by IS NOT NULL THEN
        v_done := core_on_disk();
        RETURN CASE p_sold_by WHEN p_terminal THEN 'sold' ELSE 'uuid_reused' END;
    END IF;
    v_refusal := (SELECT u.refusal FROM premises_may_use(p_uuid) u);
    IF v_refusal IS NULL THEN
        v_refusal := premises_new_request(p_uuid, core_now());
        IF v_refusal = 'request_uuid_too_old' AND premises_request_ms(p_uuid)
                < 300000 + extract(epoch FROM periods_retired_until()) * 1000 THEN
            v_refusal := 'request_archived';
        END IF;
    END IF;
    IF v_refusal IN ('uuid_reused', 'request_archived', 'request_uuid_version') THEN
        RETURN v_refusal;
    END IF;
    INSERT INTO premises_burntrequest (uuid, terminal_id, burnt_at)
    VALUES (p_uuid, p_terminal, core_now()) ON CONFLICT (uuid) DO NOTHING;
    RETURN 'burnt';
END $$;
