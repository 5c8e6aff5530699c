-- A sale, whole, in one statement: who, whether, and the writing (14.III.1, 14.III.4, 14.I.6).
--
-- The API has checked the shape of the request and the engine its selections against the programme;
-- everything that can change while a sale is under way is decided here. `outcome` is 'sold',
-- 'replayed', or the code of a refusal, of which nothing is written or remembered. `leg` is the
-- place of the leg at fault, where one is.
--
-- Locks, in the order of core/database/locks.py: the request's, alone, so that a replay waits for
-- the sale still in flight and learns what it became; then, shared by sales, the contest's (held
-- alone by closing and withdrawal) and that of all sales (held alone by suspending, revoking and
-- ending an authorisation). Who sells, whether and when are read under them: what ends a sale has
-- every ticket before it and none after it.
CREATE OR REPLACE FUNCTION lototrot_sell(
    p_token bytea, p_session bytea, p_contest bigint, p_uuid uuid, p_request bytea,
    p_legs integer[], p_quick_legs integer, p_bets integer, p_amount bigint, p_code bytea,
    p_commitment bytea,
    OUT outcome text, OUT ticket_id bigint, OUT sold_at timestamptz, OUT leg integer,
    OUT terminal_id bigint, OUT operator_id bigint)
LANGUAGE plpgsql AS $$
DECLARE
    v_who record;
    v_known record;
    v_contest record;
BEGIN
    PERFORM pg_advisory_xact_lock(2, hashtext(p_uuid::text));
    SELECT t.id, t.terminal_id, t.request_digest INTO v_known
      FROM lototrot_ticket t WHERE t.uuid = p_uuid;
    IF v_known.id IS NULL THEN
        PERFORM pg_advisory_xact_lock_shared(6, p_contest::integer);
        PERFORM pg_advisory_xact_lock_shared(7, 0);
        sold_at := core_now();
    END IF;

    v_who := premises_identify(p_token, p_session);
    IF v_who.terminal_id IS NULL OR v_who.refusal = 'terminal_revoked' THEN
        outcome := v_who.refusal;
        RETURN;
    END IF;
    terminal_id := v_who.terminal_id;
    operator_id := v_who.operator_id;
    IF v_known.id IS NOT NULL THEN
        IF v_known.terminal_id = v_who.terminal_id AND v_known.request_digest = p_request THEN
            outcome := 'replayed';
            ticket_id := v_known.id;
        ELSE
            outcome := 'uuid_reused';
        END IF;
        RETURN;
    END IF;
    IF v_who.refusal IS NOT NULL THEN
        outcome := v_who.refusal;
        RETURN;
    END IF;
    IF v_who.premises_kind NOT IN ('establishment', 'racecourse_point') THEN
        outcome := 'terminal_cannot';
        RETURN;
    END IF;

    SELECT c.state, c.scheduled_close_at, c.offered_masks, c.price_cents,
           c.takings_account_id
      INTO v_contest FROM lototrot_contest c WHERE c.id = p_contest;
    outcome := CASE
        WHEN NOT FOUND THEN 'contest_unknown'
        WHEN v_contest.state = 'draft' THEN 'contest_not_open'
        WHEN v_contest.state <> 'open' OR sold_at >= v_contest.scheduled_close_at
            THEN 'contest_closed'
        WHEN EXISTS (SELECT FROM lototrot_burntrequest b WHERE b.uuid = p_uuid) THEN 'uuid_burnt'
        WHEN EXISTS (SELECT FROM ledger_transfer x WHERE x.reference = p_uuid) THEN 'uuid_reused'
        WHEN cardinality(p_legs) <> cardinality(v_contest.offered_masks) THEN 'wrong_race_count'
        WHEN p_amount <> p_bets * v_contest.price_cents THEN 'wrong_price'
        ELSE premises_sale_refusal(v_who.terminal_id, v_who.premises_id, 'lototrot', sold_at) END;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM lototrot_displayacknowledgement d
                    WHERE d.contest_id = p_contest AND d.terminal_id = v_who.terminal_id
                      AND d.operator_id = v_who.operator_id) THEN
        outcome := 'display_not_acknowledged';
        RETURN;
    END IF;
    FOR i IN 1 .. cardinality(p_legs) LOOP
        IF p_legs[i] & ~v_contest.offered_masks[i] <> 0 THEN
            outcome := 'withdrawn_number';
            leg := i;
            RETURN;
        END IF;
    END LOOP;

    PERFORM set_config('core.act', concat_ws('|', 'lototrot.sale', '', '', terminal_id, operator_id,
        p_uuid), true);
    INSERT INTO lototrot_ticket (uuid, contest_id, premises_id, terminal_id, operator_id, sold_at,
            bets, quick_legs, leg_1, leg_2, leg_3, leg_4, leg_5, leg_6, leg_7, leg_8, leg_9, leg_10,
            amount_cents, code_digest, request_digest, code_commitment)
    VALUES (p_uuid, p_contest, v_who.premises_id, v_who.terminal_id, v_who.operator_id, sold_at,
            p_bets, p_quick_legs, p_legs[1], p_legs[2], p_legs[3], p_legs[4], p_legs[5], p_legs[6],
            p_legs[7], p_legs[8], p_legs[9], p_legs[10], p_amount, p_code, p_request,
            p_commitment)
    RETURNING id INTO ticket_id;
    INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
    SELECT p_uuid, 0, 'lototrot.sale', a.id, v_contest.takings_account_id, p_amount, sold_at
      FROM ledger_account a WHERE a.code = 'premises:' || v_who.premises_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'premises % have no account', v_who.premises_id;
    END IF;
    outcome := 'sold';
END $$;
