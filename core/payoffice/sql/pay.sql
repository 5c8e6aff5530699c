-- Pay a claim in one statement: recognise a retry, check that the place may still pay, and write the
-- claim, the payment and its transfer (14.III.10).
--
-- The caller has decided what the document is worth, and by whom, how and until when it may be
-- paid; `p_from` and `p_until` bound the natural day of that decision. This function checks what
-- can have changed since. `p_expected` is the state of the claim that the caller read, NULL for
-- none: of two payments at once, the second finds another state. `outcome` is 'paid', 'replayed' or
-- the code of a refusal, which writes nothing; after 'day_changed' and 'claim_changed' the caller
-- decides again.
--
-- What a new payment needs to know is one query: each is set up and taken down again, which costs
-- more than what it reads (docs/adr/0044). At a desk the authorisation is read again, at the time of
-- the payment, which is read after the wait for the session.
--
-- Locks, in the order of core/database/locks.py: the request's, so that a retry waits for a payment
-- in flight and answers as it did; the cashier's session, which its close holds too.
CREATE OR REPLACE FUNCTION payoffice_pay(p_payment jsonb, p_game text, p_document bigint,
    p_expected text, p_debit text, p_credit text, p_kind text,
    p_from timestamptz, p_until timestamptz,
    OUT outcome text, OUT payment_id bigint, OUT paid_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    v payoffice_payment := jsonb_populate_record(NULL::payoffice_payment, p_payment);
    v_known record;
    v_done text;
BEGIN
    v_done := pg_advisory_xact_lock({lock.request}, core_request_key(v.uuid));
    v.paid_at := core_now();
    SELECT p.id, p.request_digest, p.terminal_id, p.staff_id, p.paid_at, h.authorised,
           EXISTS (SELECT FROM ledger_transfer x WHERE x.reference = v.uuid)
               OR EXISTS (SELECT FROM payoffice_deposit d WHERE d.uuid = v.uuid) AS used INTO v_known
      FROM premises_holds(p_premises => v.premises_id, p_game => p_game, p_at => v.paid_at) h
      LEFT JOIN payoffice_payment p ON p.uuid = v.uuid;
    IF v_known.id IS NOT NULL THEN
        IF v_known.request_digest = v.request_digest
           AND (v_known.terminal_id, v_known.staff_id)
               IS NOT DISTINCT FROM (v.terminal_id, v.staff_id) THEN
            outcome := 'replayed';
            payment_id := v_known.id;
            paid_at := v_known.paid_at;
            v_done := core_on_disk();
        ELSE
            outcome := 'payment_uuid_reused';
        END IF;
        RETURN;
    END IF;
    IF v_known.used THEN
        outcome := 'payment_uuid_reused';
        RETURN;
    END IF;
    IF v.proposal_id IS NULL THEN  -- the UUID of a proposed payment was new when it was proposed
        outcome := premises_new_request(v.uuid, v.paid_at);
        IF outcome IS NOT NULL THEN
            RETURN;
        END IF;
    END IF;

    IF v.cash_session_id IS NOT NULL THEN
        v_done := pg_advisory_xact_lock({lock.cash}, (v.cash_session_id & 2147483647)::integer);
        IF NOT EXISTS (SELECT FROM payoffice_cashsession s
                        WHERE s.id = v.cash_session_id AND s.cashier_id = v.staff_id
                          AND s.closed_at IS NULL) THEN
            outcome := 'cash_session_missing';
            RETURN;
        END IF;
        v.paid_at := core_now();
        v_known.authorised := premises_authorised(
            p_premises => v.premises_id, p_game => p_game, p_at => v.paid_at);
    END IF;
    IF v.paid_at < p_from OR v.paid_at >= p_until THEN
        outcome := 'day_changed';
        RETURN;
    END IF;
    IF v.place <> 'central_office' AND NOT v_known.authorised THEN
        outcome := 'premises_not_authorised';
        RETURN;
    END IF;
    IF v.cash_session_id IS NOT NULL AND v.means = 'cash' AND v.amount_cents > (
        SELECT coalesce(sum(e.cents), 0)
          FROM ledger_standing e
         WHERE e.account_id = (SELECT a.id FROM ledger_account a WHERE a.code = p_credit)) THEN
        outcome := 'cash_short';
        RETURN;
    END IF;

    IF v.terminal_id IS NOT NULL THEN  -- at a desk the staff session names the act
        v_done := set_config('core.act', concat_ws('|', 'payoffice.payment', '', '', v.terminal_id,
            v.operator_id, v.uuid), true);
    END IF;
    IF p_expected IS NULL THEN
        INSERT INTO payoffice_claim (game, document_id, state, amount_cents, opened_at)
        VALUES (p_game, p_document, 'paid', v.amount_cents, v.paid_at)
        ON CONFLICT DO NOTHING RETURNING id INTO v.claim_id;
    ELSE
        UPDATE payoffice_claim c SET state = 'paid', changed_at = v.paid_at
         WHERE c.game = p_game AND c.document_id = p_document AND c.state = p_expected
        RETURNING id INTO v.claim_id;
    END IF;
    IF v.claim_id IS NULL THEN
        outcome := 'claim_changed';
        RETURN;
    END IF;
    INSERT INTO payoffice_payment (uuid, request_digest, claim_id, paid_at, amount_cents, means,
            place, premises_id, terminal_id, operator_id, session_id, second_operator_id,
            second_session_id, staff_id, cash_session_id, payee_id, proposal_id)
    VALUES (v.uuid, v.request_digest, v.claim_id, v.paid_at, v.amount_cents, v.means, v.place,
            v.premises_id, v.terminal_id, v.operator_id, v.session_id, v.second_operator_id,
            v.second_session_id, v.staff_id, v.cash_session_id, v.payee_id, v.proposal_id)
    RETURNING id INTO payment_id;
    INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
    SELECT v.uuid, 0, p_kind, d.id, c.id, v.amount_cents, v.paid_at
      FROM ledger_account d, ledger_account c WHERE d.code = p_debit AND c.code = p_credit;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no account % or %', p_debit, p_credit;
    END IF;
    paid_at := v.paid_at;
    outcome := 'paid';
END $$;

SELECT core_each('payoffice_pay');
