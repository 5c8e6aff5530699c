-- Sell a ticket in one statement: check the seller, the contest and the ticket, and write the
-- ticket and its transfer (14.III.1, 14.III.4, 14.I.6).
--
-- The API has checked the form of the request, and the engine has checked the selections against
-- the programme. This function decides everything that can change during a sale. `outcome` is
-- 'sold', 'replayed', or the code of a refusal; a refusal writes nothing. `leg` is the position of
-- the leg that is refused, if one is.
--
-- Locks, in the order of core/database/locks.py: the lock of the request, exclusive, so that a
-- replay waits for the running sale and returns its answer; then, shared by sales, the lock of the
-- contest (exclusive for stopping, closing and withdrawal) and the lock of all sales (exclusive for
-- suspending, revoking, ending an authorisation and setting a limit of debt). Seller, contest and
-- time are read under these locks. So an act that ends sales comes after every ticket sold before
-- it, and no ticket is sold after it. Last the lock of the premises' credit, exclusive, which only
-- the terminals of one premises share: the limit of their debt, and the contest's cap on what one
-- premises sell, hold whatever is sold at once.
--
-- Each query takes a snapshot and is set up and taken down again, which costs more than what it
-- reads: so there are few of them, and what needs no query is an assignment (docs/adr/0030).
CREATE OR REPLACE FUNCTION lototrot_sell(
    p_token bytea, p_session bytea, p_contest bigint, p_uuid uuid, p_request bytea,
    p_legs integer[], p_quick_legs integer, p_bets integer, p_amount bigint, p_code bytea,
    p_commitment bytea,
    OUT outcome text, OUT ticket_id bigint, OUT sold_at timestamptz, OUT terminal_id bigint,
    OUT operator_id bigint, OUT leg integer)
LANGUAGE plpgsql AS $$
DECLARE
    v_seller record;
    v_known record;
    v_contest record;
    v_credit record;
    v_done text;
BEGIN
    v_done := pg_advisory_xact_lock({lock.request}, core_request_key(p_uuid));
    SELECT t.id, t.terminal_id, t.request_digest INTO v_known
      FROM lototrot_ticket t WHERE t.uuid = p_uuid;
    IF v_known.id IS NULL THEN
        v_done := pg_advisory_xact_lock_shared({lock.contest}, (p_contest & 2147483647)::integer);
        v_done := pg_advisory_xact_lock_shared({lock.sales}, 0);
        sold_at := core_now();
    END IF;

    v_seller := premises_seller(
        p_token => p_token, p_session => p_session, p_game => 'lototrot', p_uuid => p_uuid,
        p_sold_by => v_known.terminal_id, p_same => v_known.request_digest = p_request,
        p_at => sold_at);
    outcome := v_seller.outcome;
    terminal_id := v_seller.terminal_id;
    operator_id := v_seller.operator_id;
    IF outcome IS NOT NULL THEN
        IF outcome = 'replayed' THEN
            ticket_id := v_known.id;
        END IF;
        RETURN;
    END IF;

    SELECT c.state, c.scheduled_close_at, c.offered_masks, c.price_cents,
           c.takings_account_id, c.premises_cap_cents, EXISTS (
                SELECT FROM lototrot_displayacknowledgement d
                 WHERE d.contest_id = p_contest AND d.terminal_id = v_seller.terminal_id
                   AND d.operator_id = v_seller.operator_id) AS displayed
      INTO v_contest FROM lototrot_contest c WHERE c.id = p_contest;
    outcome := CASE WHEN NOT FOUND THEN 'contest_unknown'
        WHEN v_contest.state IN ('draft', 'discarded') THEN 'contest_not_open'
        WHEN v_contest.state NOT IN ('open', 'stopped')
            OR sold_at >= v_contest.scheduled_close_at THEN 'contest_closed'
        WHEN v_contest.state = 'stopped' THEN 'sales_stopped'
        WHEN v_seller.uuid_refusal IS NOT NULL THEN v_seller.uuid_refusal
        WHEN cardinality(p_legs) <> cardinality(v_contest.offered_masks) THEN 'wrong_race_count'
        WHEN p_amount <> p_bets * v_contest.price_cents THEN 'wrong_price'
        WHEN v_seller.place_refusal IS NOT NULL THEN v_seller.place_refusal
        WHEN NOT v_contest.displayed THEN 'display_not_acknowledged' END;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;
    FOR i IN 1 .. cardinality(p_legs) LOOP
        IF p_legs[i] & ~v_contest.offered_masks[i] <> 0 THEN
            outcome := 'withdrawn_number';
            leg := i;
            RETURN;
        END IF;
    END LOOP;

    v_done := pg_advisory_xact_lock({lock.credit}, (v_seller.premises_id & 2147483647)::integer);
    SELECT * INTO v_credit
      FROM statements_may_owe(
          p_premises => v_seller.premises_id, p_terminal => v_seller.terminal_id,
          p_amount => p_amount, p_at => sold_at);
    outcome := v_credit.refusal;
    IF outcome IS NULL AND v_contest.premises_cap_cents IS NOT NULL THEN
        SELECT 'premises_cap_reached' INTO outcome
         WHERE p_amount + coalesce((SELECT s.sold_cents FROM lototrot_premisessales s
                WHERE s.contest_id = p_contest AND s.premises_id = v_seller.premises_id), 0)
             > v_contest.premises_cap_cents;
    END IF;
    IF outcome IS NOT NULL THEN
        RETURN;
    END IF;

    v_done := set_config('core.act', concat_ws('|', 'lototrot.sale', '', '', terminal_id,
        operator_id, p_uuid), true);
    INSERT INTO lototrot_ticket (uuid, contest_id, premises_id, terminal_id, operator_id, sold_at,
            bets, quick_legs, leg_1, leg_2, leg_3, leg_4, leg_5, leg_6, leg_7, leg_8, leg_9, leg_10,
            amount_cents, code_digest, request_digest, code_commitment)
    VALUES (p_uuid, p_contest, v_seller.premises_id, terminal_id, operator_id, sold_at, p_bets,
            p_quick_legs, p_legs[1], p_legs[2], p_legs[3], p_legs[4], p_legs[5], p_legs[6],
            p_legs[7], p_legs[8], p_legs[9], p_legs[10], p_amount, p_code, p_request,
            p_commitment)
    RETURNING id INTO ticket_id;
    INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
    VALUES (p_uuid, 0, 'lototrot.sale', v_credit.account_id, v_contest.takings_account_id, p_amount,
            sold_at);
    v_done := statements_till_add_sale(
        p_terminal => terminal_id, p_amount => p_amount, p_at => sold_at);
    IF v_contest.premises_cap_cents IS NOT NULL THEN
        INSERT INTO lototrot_premisessales AS s (contest_id, premises_id, sold_cents)
        VALUES (p_contest, v_seller.premises_id, p_amount)
        ON CONFLICT (contest_id, premises_id)
        DO UPDATE SET sold_cents = s.sold_cents + EXCLUDED.sold_cents;
    END IF;
    outcome := 'sold';
END $$;

SELECT core_each('lototrot_sell');
