-- What two persons confirmed is paid, exchanged or ruled on, and nothing else: each function says what a
-- proposal must say of a row of its table (core/staff/sql/two_persons.sql).

-- The same document, sum, payee and drawer, as the same request asked for it.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_payment) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'uuid', 'amount_cents') AND p.proposed_by_id = r.staff_id
       AND (p.content ->> 'game', p.content -> 'document_id') = (c.game, to_jsonb(c.document_id))
       AND (p.content ->> 'cash_session', p.content ->> 'payee') IS NOT DISTINCT FROM (
           (SELECT s.uuid::text FROM payoffice_cashsession s WHERE s.id = r.cash_session_id),
           (SELECT y.uuid::text FROM payoffice_payee y WHERE y.id = r.payee_id))
      FROM payoffice_claim c WHERE c.id = r.claim_id
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_exchange) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'uuid', 'amount_cents', 'unit_cents')
       AND p.proposed_by_id = r.staff_id AND p.content ->> 'item' = i.code
       AND (p.content ->> 'game', p.content -> 'document_id') = (c.game, to_jsonb(c.document_id))
      FROM payoffice_claim c, payoffice_stockitem i WHERE c.id = r.claim_id AND i.id = r.item_id
$$;

-- A ruling on a claim is on the papers that were deposited for it, too.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_ruling) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'verdict', 'reason')
       AND (r.claim_id IS NULL OR p.content -> 'claim' = to_jsonb(r.claim_id))
       AND (r.deposit_id IS NULL
            OR p.content ->> 'deposit' = (
                SELECT d.uuid::text FROM payoffice_deposit d WHERE d.id = r.deposit_id)
            OR p.content ->> 'deposit' IS NULL AND EXISTS (
                SELECT FROM payoffice_depositmatch m WHERE m.deposit_id = r.deposit_id
                   AND p.content -> 'claim' = to_jsonb(m.claim_id)))
$$;

-- What things are worth is looked at when they come or go (`in_stock`): it may be corrected later.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_stockmovement) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'units', 'reason') AND p.proposed_by_id = r.staff_id
       AND (p.content ->> 'item', p.content ->> 'premises') = (i.code, s.code)
      FROM payoffice_stockitem i, premises_premises s WHERE i.id = r.item_id AND s.id = r.premises_id
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_stockcorrection) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'from_cents', 'to_cents', 'units', 'reason')
       AND p.content ->> 'item' = (SELECT i.code FROM payoffice_stockitem i WHERE i.id = r.item_id)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_cashceiling) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'in_force_from', 'cents', 'source')
$$;

-- Two persons void the cheque that they named, or draw another in its place for the payee whom they named.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_cheque) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE p.kind
           WHEN 'payoffice.cheque_void' THEN
                (p.content -> 'cheque', p.content ->> 'reason') = (to_jsonb(r.number), r.void_reason)
           WHEN 'payoffice.cheque_reissue' THEN (p.content -> 'cheque', p.content ->> 'payee') = (
                (SELECT to_jsonb(o.number) FROM payoffice_cheque o WHERE o.id = r.replaces_id),
                (SELECT y.uuid::text FROM payoffice_payee y WHERE y.id = r.payee_id)) END
$$;

-- An entry about a loss is of the cheque that two persons named. It is taken back as they named it.
CREATE OR REPLACE FUNCTION payoffice_proposes_entry(p staff_proposal, p_row jsonb, VARIADIC p_names text[])
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE p.kind
           WHEN 'payoffice.loss_reversal' THEN (p.content -> 'entry', p.content -> 'reason')
                = (p_row -> 'uuid', p_row -> 'reversed_reason')
           ELSE staff_same(p.content, p_row, VARIADIC p_names) AND p.content -> 'cheque' = (
                SELECT to_jsonb(c.number) FROM payoffice_cheque c
                 WHERE c.id = (p_row ->> 'cheque_id')::bigint) END
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_voidedchequepayment)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT payoffice_proposes_entry(p, to_jsonb(r), 'amount_cents', 'outcome', 'presented_on', 'reason')
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_chequerecovery)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT payoffice_proposes_entry(
        p, to_jsonb(r), 'amount_cents', 'credited_on', 'reference', 'returned_by')
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_chequewriteoff)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT payoffice_proposes_entry(p, to_jsonb(r), 'amount_cents', 'reason')
$$;

-- Cash leaves a drawer as two persons named it.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_cashsession) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'expected_cents', 'counted_cents', 'count',
                      'difference_reason', 'difference_words')
       AND p.content ->> 'cash_session' = r.uuid::text
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r payoffice_cashmovement) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'cents', 'reason') AND p.content ->> 'cash_session' = (
           SELECT s.uuid::text FROM payoffice_cashsession s WHERE s.id = r.session_id)
$$;
