-- Check plays and vouchers on every write, by any program: these rules concern several rows.

-- Refuse a ticket that its lane has not just given, or at another price; and one under a UUID that no
-- sale of now can have: it may be that of a play that left, which is still drawn (docs/adr/0091).
CREATE OR REPLACE FUNCTION promotrot_guard_ticket() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_lane l JOIN promotrot_emission e ON e.id = l.emission_id
         WHERE l.emission_id = NEW.emission_id AND l.opening = NEW.opening
           AND l.taken > 0 AND l.first + l.taken - 1 = NEW.position
           AND e.price_cents = NEW.price_cents) THEN
        RAISE EXCEPTION 'emission %: no lane has given ticket %/%', NEW.emission_id, NEW.opening,
            NEW.position USING ERRCODE = 'restrict_violation';
    END IF;
    IF premises_new_request(NEW.uuid, core_now()) IS NOT NULL THEN
        RAISE EXCEPTION 'play %: no sale of now has that UUID', NEW.uuid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse an act that is not the next one, or that comes after the end.
CREATE OR REPLACE FUNCTION promotrot_guard_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = NEW.ticket_id)
       OR (SELECT count(*) FROM promotrot_playact a WHERE a.ticket_id = NEW.ticket_id)
          <> NEW.number - 1 THEN
        RAISE EXCEPTION 'play %: act % is out of turn', NEW.ticket_id, NEW.number
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse to stop a play, or to refund one that has an act, without two persons at the Central Office
-- [P11, P19]; and to do either with a pre-drawn one.
CREATE OR REPLACE FUNCTION promotrot_guard_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM promotrot_playticket t JOIN promotrot_emission e ON e.id = t.emission_id
                 JOIN promotrot_game g ON g.id = e.game_id JOIN promotrot_gametype k ON k.id = g.type_id
                WHERE t.id = NEW.ticket_id AND k.mode = 'predrawn') THEN
        RAISE EXCEPTION 'play %: it is pre-drawn, and its result stands', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.cause = 'stopped'
        OR EXISTS (SELECT FROM promotrot_playact a WHERE a.ticket_id = NEW.ticket_id))
       AND NOT EXISTS (SELECT FROM promotrot_officeend o WHERE o.ticket_id = NEW.ticket_id) THEN
        RAISE EXCEPTION 'play %: only two persons at the Central Office end it so', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse to move a finished play, or to a terminal of other premises [P11].
CREATE OR REPLACE FUNCTION promotrot_guard_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_playticket t JOIN premises_terminal p ON p.id = NEW.to_terminal_id
         WHERE t.id = NEW.ticket_id AND p.premises_id = t.premises_id
           AND NEW.from_terminal_id = promotrot_terminal_of(t.id, t.terminal_id)
           AND NEW.number = 1 + (SELECT count(*) FROM promotrot_playmove m WHERE m.ticket_id = t.id)
           AND NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = t.id)) THEN
        RAISE EXCEPTION 'play %: it cannot be moved there', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Check that the vouchers of a play add up to its award, or to its price if that is due back, and are of
-- its emission; and that the award is what its tiers are worth.
CREATE OR REPLACE FUNCTION promotrot_check_award() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_playend e JOIN promotrot_playticket t ON t.id = e.ticket_id
         WHERE e.ticket_id = NEW.ticket_id
           AND (SELECT coalesce(sum(v.amount_cents), 0) FROM promotrot_voucher v
                 WHERE v.ticket_id = t.id AND v.nature <> 'drawn')
             = CASE e.cause WHEN 'refund' THEN t.price_cents
                    ELSE e.awarded_cents + e.extra_cents END
           AND NOT EXISTS (SELECT FROM promotrot_voucher v
                            WHERE v.ticket_id = t.id AND v.emission_id <> t.emission_id)
           AND ((e.tier > 0)::integer + (e.extra_tier > 0)::integer, e.awarded_cents, e.extra_cents)
             = (SELECT count(*), coalesce(sum(p.value_cents) FILTER (WHERE NOT p.extra), 0),
                       coalesce(sum(p.value_cents) FILTER (WHERE p.extra), 0)
                  FROM promotrot_prizetier p
                 WHERE p.emission_id = t.emission_id AND p.number IN (e.tier, e.extra_tier))) THEN
        RAISE EXCEPTION 'play %: its vouchers are not what it was awarded', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

-- Return until when the terminal, or the desk that handed it over, may have a voucher's paper again:
-- noon of the day after its code was given [P16]. It is `paper_until` of promotrot/engine/rules.py.
CREATE OR REPLACE FUNCTION promotrot_paper_until(p_voucher bigint) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT (coalesce((SELECT max(h.handed_at) AT TIME ZONE 'Europe/Madrid'
                        FROM promotrot_voucherhandover h WHERE h.voucher_id = v.id)::date,
                     v.issue_day) + 1 + time '12:00') AT TIME ZONE 'Europe/Madrid'
      FROM promotrot_voucher v WHERE v.id = p_voucher
$$;

-- Refuse to hand over a voucher that is not held: one that was printed or claimed, whose last day has
-- passed (15.III.6.6), or whose paper may still be had at its terminal [P11, P16].
CREATE OR REPLACE FUNCTION promotrot_guard_handover() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM promotrot_voucher v
         WHERE v.id = NEW.voucher_id AND v.code_digest IS NOT DISTINCT FROM NEW.replaced_digest
           AND (v.nature = 'refund'
                OR v.last_day >= (NEW.handed_at AT TIME ZONE 'Europe/Madrid')::date)
           AND NEW.number = 1 + (SELECT count(*) FROM promotrot_voucherhandover h
                                  WHERE h.voucher_id = v.id)
           AND (v.code_digest IS NULL OR NEW.handed_at >= promotrot_paper_until(v.id)))
       OR promotrot_printed(p_voucher => NEW.voucher_id)
       OR EXISTS (SELECT FROM payoffice_claim c
                   WHERE c.game = 'promotrot' AND c.document_id = NEW.voucher_id) THEN
        RAISE EXCEPTION 'voucher %: it is not held', NEW.voucher_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse that who handed a voucher over, as the first or the second person, pays or exchanges it, or
-- confirms that.
CREATE OR REPLACE FUNCTION promotrot_guard_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM payoffice_claim c
          JOIN promotrot_voucherhandover h ON h.voucher_id = c.document_id
          JOIN staff_decision d ON d.proposal_id = h.proposal_id
          LEFT JOIN staff_decision s ON s.proposal_id = NEW.proposal_id
         WHERE c.id = NEW.claim_id AND c.game = 'promotrot'
           AND (NEW.staff_id IN (h.handed_by_id, d.decided_by_id)
                OR s.decided_by_id IN (h.handed_by_id, d.decided_by_id))) THEN
        RAISE EXCEPTION 'table %: who handed the voucher over does not pay it', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse a change of a voucher's code, except after its newest handover, once.
CREATE OR REPLACE FUNCTION promotrot_guard_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.code_digest IS NULL OR OLD.code_digest IS DISTINCT FROM (
            SELECT h.replaced_digest FROM promotrot_voucherhandover h
             WHERE h.voucher_id = OLD.id ORDER BY h.number DESC LIMIT 1)
       OR NOT EXISTS (SELECT FROM promotrot_voucherhandover h WHERE h.voucher_id = OLD.id) THEN
        RAISE EXCEPTION 'voucher %: its code stays as it is', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION promotrot_guard_secret() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.secret IS NOT NULL THEN
        RAISE EXCEPTION 'the secret of % is erased, never changed', OLD.day
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER given_by_lane BEFORE INSERT ON promotrot_playticket
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_ticket();
CREATE OR REPLACE TRIGGER in_turn BEFORE INSERT ON promotrot_playact
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_act();
CREATE OR REPLACE TRIGGER not_begun BEFORE INSERT ON promotrot_playend
    FOR EACH ROW WHEN (NEW.cause IN ('refund', 'stopped'))
    EXECUTE FUNCTION promotrot_guard_end();
CREATE OR REPLACE TRIGGER same_premises BEFORE INSERT ON promotrot_playmove
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_move();
CREATE OR REPLACE TRIGGER held BEFORE INSERT ON promotrot_voucherhandover
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_handover();
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_voucherhandover
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.handover');
CREATE OR REPLACE TRIGGER not_by_who_handed_over BEFORE INSERT ON payoffice_payment
    FOR EACH ROW WHEN (NEW.staff_id IS NOT NULL) EXECUTE FUNCTION promotrot_guard_payer();
CREATE OR REPLACE TRIGGER not_by_who_handed_over BEFORE INSERT ON payoffice_exchange
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_payer();
CREATE OR REPLACE TRIGGER once BEFORE UPDATE ON promotrot_voucher
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_code();
CREATE OR REPLACE TRIGGER erased BEFORE UPDATE ON promotrot_vouchersecret
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_secret();
-- A constraint trigger cannot be replaced, so each is dropped and created again.
DROP TRIGGER IF EXISTS as_awarded ON promotrot_playend;
CREATE CONSTRAINT TRIGGER as_awarded AFTER INSERT ON promotrot_playend
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.tier + NEW.extra_tier + NEW.awarded_cents + NEW.extra_cents > 0
          OR NEW.cause = 'refund')
    EXECUTE FUNCTION promotrot_check_award();
DROP TRIGGER IF EXISTS as_awarded ON promotrot_voucher;
CREATE CONSTRAINT TRIGGER as_awarded AFTER INSERT ON promotrot_voucher
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.nature <> 'drawn')
    EXECUTE FUNCTION promotrot_check_award();
