-- Whether each paper that was deposited for a claim was matched from the records and refused alone.
CREATE OR REPLACE FUNCTION payoffice_papers_refused(p_claim bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(bool_and(m.staff_id IS NOT NULL AND r.id IS NOT NULL), false)
      FROM payoffice_depositmatch m
      LEFT JOIN payoffice_ruling r ON r.deposit_id = m.deposit_id AND r.claim_id IS NULL
     WHERE m.claim_id = p_claim
$$;

-- Every state of a claim has an act on record, and every act has its claim. Each state has a query
-- of its own, because one query for all is set up whole for each claim.
CREATE OR REPLACE FUNCTION payoffice_claim_grounded() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_grounded boolean;
BEGIN
    CASE NEW.state
        WHEN 'paid' THEN
            v_grounded := EXISTS (SELECT FROM payoffice_payment p
                WHERE p.claim_id = NEW.id AND p.amount_cents = NEW.amount_cents);
        WHEN 'exchanged' THEN
            v_grounded := EXISTS (SELECT FROM payoffice_exchange e
                WHERE e.claim_id = NEW.id AND e.amount_cents = NEW.amount_cents);
        WHEN 'presented' THEN
            v_grounded := EXISTS (SELECT FROM payoffice_presentation p WHERE p.claim_id = NEW.id)
                OR EXISTS (SELECT FROM payoffice_ruling r
                             JOIN payoffice_depositmatch m ON m.deposit_id = r.deposit_id
                            WHERE m.claim_id = NEW.id AND m.staff_id IS NOT NULL
                              AND r.claim_id IS NULL);
        WHEN 'early' THEN
            v_grounded := EXISTS (SELECT FROM payoffice_presentation p WHERE p.claim_id = NEW.id)
                OR EXISTS (SELECT FROM payoffice_depositmatch m WHERE m.claim_id = NEW.id);
        ELSE
            v_grounded := EXISTS (SELECT FROM payoffice_ruling r
                WHERE r.claim_id = NEW.id AND r.verdict = NEW.state);
    END CASE;
    IF NOT v_grounded THEN
        RAISE EXCEPTION 'claim %: no act on record makes it %', NEW.id, NEW.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS grounded ON payoffice_claim;
CREATE CONSTRAINT TRIGGER grounded AFTER INSERT OR UPDATE ON payoffice_claim
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.state NOT IN ('held', 'lapsed', 'no_prize'))
    EXECUTE FUNCTION payoffice_claim_grounded();

CREATE OR REPLACE FUNCTION payoffice_of_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payoffice_claim c
                    WHERE c.id = NEW.claim_id AND c.state = ANY (TG_ARGV)) THEN
        RAISE EXCEPTION 'table %: the claim is not %', TG_TABLE_NAME, TG_ARGV[0]
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_claim BEFORE INSERT ON payoffice_exchange
    FOR EACH ROW EXECUTE FUNCTION payoffice_of_claim('exchanged');
CREATE OR REPLACE TRIGGER of_claim BEFORE INSERT ON payoffice_depositmatch
    FOR EACH ROW EXECUTE FUNCTION payoffice_of_claim('held', 'early');
CREATE OR REPLACE TRIGGER of_claim BEFORE INSERT ON payoffice_restoration
    FOR EACH ROW EXECUTE FUNCTION payoffice_of_claim('held');
CREATE OR REPLACE TRIGGER of_claim BEFORE INSERT ON payoffice_ruling
    FOR EACH ROW WHEN (NEW.claim_id IS NOT NULL) EXECUTE FUNCTION payoffice_of_claim('held');

-- The amount of a claim is known once it is valued, and stays.
CREATE OR REPLACE FUNCTION payoffice_amount_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'claim %: its amount is known and stays', NEW.id
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER amount_stays BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (OLD.state <> 'early' AND (NEW.amount_cents, NEW.valued_at)
                       IS DISTINCT FROM (OLD.amount_cents, OLD.valued_at))
    EXECUTE FUNCTION payoffice_amount_stays();
CREATE OR REPLACE TRIGGER valued BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (OLD.state = 'early' AND NEW.valued_at IS NULL)
    EXECUTE FUNCTION payoffice_amount_stays();

-- A held document is presented again only where two persons refused the paper that was matched with it
-- from the records, and no other paper was deposited for it [C5].
CREATE OR REPLACE FUNCTION payoffice_need_presented() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT payoffice_papers_refused(NEW.id) THEN
        RAISE EXCEPTION 'claim %: it is held, and no paper from the records was refused', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER presented_again BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (OLD.state = 'held' AND NEW.state = 'presented')
    EXECUTE FUNCTION payoffice_need_presented();

-- What has lapsed comes back only for a document that was deposited in time [C8].
CREATE OR REPLACE FUNCTION payoffice_need_restoration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM payoffice_restoration r
          JOIN payoffice_depositmatch m ON m.id = r.match_id AND m.claim_id = r.claim_id
          JOIN payoffice_deposit d ON d.id = m.deposit_id
         WHERE r.claim_id = NEW.id AND r.lapsed_day = OLD.day AND r.cents = NEW.amount_cents
           AND (d.deposited_at AT TIME ZONE 'Europe/Madrid')::date <= OLD.day) THEN
        RAISE EXCEPTION 'claim %: it has lapsed, and was not deposited in time', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS restored ON payoffice_claim;
CREATE CONSTRAINT TRIGGER restored AFTER UPDATE ON payoffice_claim
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.state = 'lapsed')
    EXECUTE FUNCTION payoffice_need_restoration();

-- Two persons are needed for these acts.
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_ruling
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.ruling');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_payment
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.payment');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_exchange
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.exchange');
CREATE OR REPLACE TRIGGER two_persons BEFORE UPDATE ON payoffice_cashsession
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.cash_closing');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_cashmovement
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.cash_taking');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_stockmovement
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.stock_movement');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_cashceiling
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.cash_ceiling');
CREATE OR REPLACE TRIGGER two_persons_reissue BEFORE INSERT ON payoffice_cheque
    FOR EACH ROW WHEN (NEW.reissue_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('reissue_id', 'payoffice.cheque_reissue');
CREATE OR REPLACE TRIGGER two_persons_void BEFORE UPDATE ON payoffice_cheque
    FOR EACH ROW WHEN (NEW.voiding_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('voiding_id', 'payoffice.cheque_void');

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_voidedchequepayment
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.cheque_paid_voided');

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_chequerecovery
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.cheque_recovery');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_chequewriteoff
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.cheque_write_off');
CREATE OR REPLACE TRIGGER two_persons_reverse BEFORE UPDATE ON payoffice_voidedchequepayment
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('reversal_id', 'payoffice.loss_reversal');
CREATE OR REPLACE TRIGGER two_persons_reverse BEFORE UPDATE ON payoffice_chequerecovery
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('reversal_id', 'payoffice.loss_reversal');
CREATE OR REPLACE TRIGGER two_persons_reverse BEFORE UPDATE ON payoffice_chequewriteoff
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('reversal_id', 'payoffice.loss_reversal');

-- What the bank paid for a voided cheque is its amount. Where its payee has the money, no other cheque
-- of the payment stands, and none is drawn any more.
CREATE OR REPLACE FUNCTION payoffice_is_settled(p_payment bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM payoffice_voidedchequepayment v
                     JOIN payoffice_cheque c ON c.id = v.cheque_id
                    WHERE c.payment_id = p_payment AND v.outcome = 'settled'
                      AND v.reversed_at IS NULL)
$$;

CREATE OR REPLACE FUNCTION payoffice_guard_voided_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM payoffice_cheque c
         WHERE c.id = NEW.cheque_id AND c.state = 'voided' AND c.amount_cents = NEW.amount_cents
           AND NEW.reversed_at IS NULL
           AND (NEW.outcome <> 'settled' OR NOT payoffice_is_settled(c.payment_id)
                AND NOT EXISTS (SELECT FROM payoffice_cheque o
                                 WHERE o.payment_id = c.payment_id AND o.state <> 'voided'))) THEN
        RAISE EXCEPTION 'cheque %: it is not voided, or another stands for it', NEW.cheque_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_voided BEFORE INSERT ON payoffice_voidedchequepayment
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_voided_payment();

-- What is given back or written off is of a loss, and all of it together no more than the loss. The lock of cheques is held until the transaction ends.
CREATE OR REPLACE FUNCTION payoffice_still_lost(p_cheque bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT v.amount_cents FROM payoffice_voidedchequepayment v
                      WHERE v.cheque_id = p_cheque AND v.outcome = 'loss'
                        AND v.reversed_at IS NULL), 0)
         - coalesce((SELECT sum(r.amount_cents) FROM payoffice_chequerecovery r
                      WHERE r.cheque_id = p_cheque AND r.reversed_at IS NULL), 0)::bigint
         - coalesce((SELECT sum(w.amount_cents) FROM payoffice_chequewriteoff w
                      WHERE w.cheque_id = p_cheque AND w.reversed_at IS NULL), 0)::bigint
$$;

CREATE OR REPLACE FUNCTION payoffice_guard_loss() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_presented_on date := (SELECT v.presented_on FROM payoffice_voidedchequepayment v
                             WHERE v.cheque_id = NEW.cheque_id AND v.reversed_at IS NULL);
BEGIN
    PERFORM pg_advisory_xact_lock({lock.cheque}, 0);
    IF NEW.amount_cents > payoffice_still_lost(NEW.cheque_id)
       OR NEW.reversed_at IS NOT NULL
       OR (to_jsonb(NEW) ->> 'credited_on')::date NOT BETWEEN v_presented_on
          AND (core_now() AT TIME ZONE 'Europe/Madrid')::date THEN
        RAISE EXCEPTION 'cheque %: it is not so much of a loss', NEW.cheque_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_loss BEFORE INSERT ON payoffice_chequerecovery
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_loss();
CREATE OR REPLACE TRIGGER of_loss BEFORE INSERT ON payoffice_chequewriteoff
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_loss();

-- An entry is taken back once. A loss is taken back once nothing of it is
-- given back or written off any more. The lock of cheques is held until the transaction ends.
CREATE OR REPLACE FUNCTION payoffice_guard_loss_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.reversed_at IS NOT NULL THEN
        RAISE EXCEPTION 'table %: it was taken back already', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM pg_advisory_xact_lock({lock.cheque}, 0);
    IF TG_ARGV[0] = 'loss' AND to_jsonb(NEW) ->> 'outcome' = 'loss'
       AND payoffice_still_lost(NEW.cheque_id) < NEW.amount_cents THEN
        RAISE EXCEPTION 'cheque %: some of the loss is given back or written off', NEW.cheque_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER reversed_once BEFORE UPDATE ON payoffice_voidedchequepayment
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_loss_reversal('loss');
CREATE OR REPLACE TRIGGER reversed_once BEFORE UPDATE ON payoffice_chequerecovery
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_loss_reversal();
CREATE OR REPLACE TRIGGER reversed_once BEFORE UPDATE ON payoffice_chequewriteoff
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_loss_reversal();

-- A cheque is of its payment: of the same amount, and of the same payee, unless it stands for a voided
-- cheque of that payment.
-- Its number is of the journal's lineage (docs/adr/0089).
CREATE OR REPLACE FUNCTION payoffice_guard_cheque() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number / 1000000 <> journal_base() >> 44 THEN
        RAISE EXCEPTION 'cheque %: its number is not of this lineage', NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.replaces_id IS NOT NULL AND payoffice_is_settled(NEW.payment_id) THEN
        RAISE EXCEPTION 'payment %: its payee has the money', NEW.payment_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NOT EXISTS (
        SELECT FROM payoffice_payment p JOIN payoffice_payee y ON y.id = NEW.payee_id
          LEFT JOIN payoffice_cheque r ON r.id = NEW.replaces_id
         WHERE p.id = NEW.payment_id AND p.means = 'nominative_cheque'
           AND p.amount_cents = NEW.amount_cents
           AND CASE WHEN NEW.replaces_id IS NULL THEN p.payee_id = y.id
                    ELSE r.payment_id = p.id AND r.state = 'voided' AND NEW.reissue_id IS NOT NULL END) THEN
        RAISE EXCEPTION 'cheque %: it is not what its payment is', NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_payment BEFORE INSERT ON payoffice_cheque
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_cheque();

-- A row that is final, and a claim within its state, cannot be updated.
CREATE OR REPLACE FUNCTION payoffice_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table %: this is done already', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER only_once BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (NEW.state = OLD.state) EXECUTE FUNCTION payoffice_once();
CREATE OR REPLACE TRIGGER only_once BEFORE UPDATE ON payoffice_cashsession
    FOR EACH ROW WHEN (OLD.closed_at IS NOT NULL) EXECUTE FUNCTION payoffice_once();
CREATE OR REPLACE TRIGGER only_once BEFORE UPDATE ON payoffice_cheque
    FOR EACH ROW WHEN (OLD.state <> 'issued') EXECUTE FUNCTION payoffice_once();

-- Encrypted content is erased after the day it is kept until: not before, and not replaced.
CREATE OR REPLACE FUNCTION payoffice_guard_encrypted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.encrypted IS NOT NULL
       OR (core_now() AT TIME ZONE 'Europe/Madrid')::date <= OLD.kept_until THEN
        RAISE EXCEPTION 'table %: encrypted content is kept until its day, and then erased',
            TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER encrypted_stays BEFORE UPDATE ON payoffice_payee
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_encrypted();
CREATE OR REPLACE TRIGGER encrypted_stays BEFORE UPDATE ON payoffice_depositimage
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_encrypted();

-- Refuse to delete a claim whose payment is there: payments leave first. A foreign key would lock the claim
-- of each payment, which the payment's own trigger asks for (payoffice_need_payable).
CREATE OR REPLACE FUNCTION payoffice_guard_paid() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_claim bigint;
BEGIN
    SELECT m.claim_id INTO v_claim
      FROM gone g JOIN public.payoffice_payment m ON m.claim_id = g.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'claim %: its payment is there', v_claim
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER with_payment AFTER DELETE ON payoffice_claim REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION payoffice_guard_paid();
