-- Sell a ticket in one statement: check who sells and whether, choose the ticket, and write
-- (15.III.3, 15.III.6.1).
--
-- `outcome` is 'sold', 'replayed' or the code of a refusal. A refusal writes nothing. `opening` and
-- `position` are those of a ticket sold now, for the process that will play it; they are told to
-- nobody. The locks are taken in the order of core/database/locks.py. First the lock of the request,
-- exclusive: a replay waits for the sale in flight and gets its answer. Then the lock of all sales,
-- shared; suspending, revoking and ending an authorisation hold it exclusively. The seller and the
-- time are read under both. Then the lock of the premises' credit, exclusive: under it the limit of
-- what they owe holds. Last a lane, which also stops the sale of the emission
-- (promotrot/models/emission.py): the first open lane that is free, or, if none is free, any open
-- lane after waiting for it.
CREATE OR REPLACE FUNCTION promotrot_sell(
    p_token bytea, p_session bytea, p_uuid uuid, p_emission bigint, p_price bigint,
    OUT outcome text, OUT ticket_id bigint, OUT sold_at timestamptz, OUT terminal_id bigint,
    OUT operator_id bigint, OUT premises_id bigint, OUT opening integer, OUT "position" integer)
LANGUAGE plpgsql AS $$
DECLARE
    v_seller record;
    v_known record;
    v_emission record;
    v_credit record;
    v_lane bigint;
    v_waiting boolean := true;
    v_done text;
BEGIN
    v_done := pg_advisory_xact_lock({lock.request}, core_request_key(p_uuid));
    SELECT t.id, t.terminal_id, t.emission_id, t.price_cents, t.sold_at, t.operator_id INTO v_known
      FROM promotrot_playticket t WHERE t.uuid = p_uuid;
    IF v_known.id IS NULL THEN
        v_done := pg_advisory_xact_lock_shared({lock.sales}, 0);
        sold_at := core_now();
    END IF;

    v_seller := premises_seller(
        p_token => p_token, p_session => p_session, p_game => 'promotrot', p_uuid => p_uuid,
        p_sold_by => v_known.terminal_id,
        p_same => v_known.emission_id = p_emission AND v_known.price_cents = p_price,
        p_at => sold_at);
    outcome := v_seller.outcome;
    terminal_id := v_seller.terminal_id;
    premises_id := v_seller.premises_id;
    operator_id := v_seller.operator_id;
    IF outcome IS NOT NULL THEN
        IF outcome = 'replayed' THEN
            ticket_id := v_known.id;
            sold_at := v_known.sold_at;
            operator_id := v_known.operator_id;
        END IF;
        RETURN;
    END IF;

    SELECT e.state, e.price_cents, e.takings_account_id, e.approval_id, EXISTS (
                SELECT FROM promotrot_displayacknowledgement d
                 WHERE d.approval_id = e.approval_id AND d.terminal_id = v_seller.terminal_id
                   AND d.operator_id = v_seller.operator_id) AS displayed
      INTO v_emission FROM promotrot_emission e WHERE e.id = p_emission;
    outcome := CASE WHEN NOT FOUND THEN 'emission_unknown'
        WHEN v_emission.state IN ('draft', 'committed', 'mixed') THEN 'emission_not_open'
        WHEN v_emission.state <> 'open' THEN 'emission_closed'
        WHEN v_seller.uuid_refusal IS NOT NULL THEN v_seller.uuid_refusal
        WHEN p_price <> v_emission.price_cents THEN 'wrong_price'
        WHEN v_seller.place_refusal IS NOT NULL THEN v_seller.place_refusal
        WHEN NOT v_emission.displayed THEN 'display_not_acknowledged' END;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    v_done := pg_advisory_xact_lock({lock.credit}, (v_seller.premises_id & 2147483647)::integer);
    SELECT * INTO v_credit
      FROM statements_may_owe(
          p_premises => v_seller.premises_id, p_terminal => v_seller.terminal_id,
          p_amount => p_price, p_at => sold_at);
    IF v_credit.refusal IS NOT NULL THEN
        outcome := v_credit.refusal;
        RETURN;
    END IF;

    -- Nearly always a lane is free, and no inner block is needed.
    WITH free AS MATERIALIZED (
        SELECT f.id FROM promotrot_lane f WHERE f.emission_id = p_emission AND f.open
         ORDER BY f.opening, f.first LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE promotrot_lane l SET taken = l.taken + 1, open = l.taken + 1 < l.tickets
      FROM free WHERE l.id = free.id AND l.open
    RETURNING l.opening, l.first + l.taken - 1 INTO opening, position;
    -- The inner block releases a lane that turned out to be shut, so that a sale that waits for a
    -- lane holds no other lane.
    WHILE opening IS NULL LOOP
        BEGIN
            IF v_waiting THEN
                SELECT l.id INTO v_lane FROM promotrot_lane l
                 WHERE l.emission_id = p_emission AND l.open ORDER BY random() LIMIT 1;
                EXIT WHEN v_lane IS NULL;
            ELSE
                SELECT l.id INTO v_lane FROM promotrot_lane l
                 WHERE l.emission_id = p_emission AND l.open
                 ORDER BY l.opening, l.first LIMIT 1 FOR UPDATE SKIP LOCKED;
            END IF;
            UPDATE promotrot_lane l SET taken = l.taken + 1, open = l.taken + 1 < l.tickets
             WHERE l.id = v_lane AND l.open
            RETURNING l.opening, l.first + l.taken - 1 INTO opening, position;
            EXIT WHEN FOUND;
            v_waiting := NOT v_waiting;
            RAISE SQLSTATE 'PT409';
        EXCEPTION WHEN SQLSTATE 'PT409' THEN NULL;
        END;
    END LOOP;
    IF opening IS NULL THEN
        outcome := CASE WHEN EXISTS (
            SELECT FROM promotrot_emission e WHERE e.id = p_emission AND e.state = 'open')
            THEN 'emission_sold_out' ELSE 'emission_closed' END;
        RETURN;
    END IF;
    v_done := set_config('core.act', concat_ws('|', 'promotrot.sale', '', '', terminal_id,
        operator_id, p_uuid), true);
    INSERT INTO promotrot_playticket (uuid, emission_id, opening, position, premises_id,
            terminal_id, operator_id, sold_at, price_cents)
    VALUES (p_uuid, p_emission, opening, "position", premises_id, terminal_id,
            operator_id, sold_at, p_price)
    RETURNING id INTO ticket_id;
    INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
    VALUES (p_uuid, 0, 'promotrot.sale', v_credit.account_id, v_emission.takings_account_id,
            p_price, sold_at);
    v_done := statements_till_add_sale(
        p_terminal => terminal_id, p_amount => p_price, p_at => sold_at);
    outcome := 'sold';
END $$;

SELECT core_each('promotrot_sell');

-- Return whether the UUID of a play was sold. Burn an unknown UUID (core/premises/sql).
CREATE OR REPLACE FUNCTION promotrot_request_state(p_terminal bigint, p_uuid uuid,
    OUT outcome text, OUT ticket_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_owner bigint;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.request}, core_request_key(p_uuid));
    SELECT t.id, t.terminal_id INTO ticket_id, v_owner
      FROM promotrot_playticket t WHERE t.uuid = p_uuid;
    outcome := premises_request_state(
        p_terminal => p_terminal, p_uuid => p_uuid, p_sold_by => v_owner);
    IF outcome <> 'sold' THEN
        ticket_id := NULL;
    END IF;
END $$;

-- All sales of an emission update its lanes. With few rows on a page, sales do not wait for each
-- other's pages, and each update stays on its page.
ALTER TABLE promotrot_lane SET (fillfactor = 10);
