-- Find the bets of a contest registered in breach (14.I.6) [C6, E3, E10].
--
-- Only tickets sold too late, or at a terminal that could not sell during all of the sale, are
-- examined one by one. If sales ended before the limit, no ticket can be too late.

-- Return the instant from which a bet on the contest is in breach: the earliest of the newest
-- recorded starts of its races and of the declarations that one is not run; NULL if unknown.
CREATE OR REPLACE FUNCTION lototrot_limit(p_contest bigint) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT min(o.instant) FROM (
        (SELECT DISTINCT ON (s.race_id) s.actual_start_at AS instant
           FROM lototrot_contestleg l JOIN lototrot_racestart s ON s.race_id = l.race_id
          WHERE l.contest_id = p_contest ORDER BY s.race_id, s.id DESC)
        UNION ALL
        SELECT d.declared_at
          FROM lototrot_contestleg l JOIN lototrot_racedeclaration d ON d.race_id = l.race_id
         WHERE l.contest_id = p_contest AND d.kind = 'not_run' AND d.superseded_at IS NULL) o
$$;

-- Return the instant by which the sales of a closed contest had ended: its closing, or its scheduled
-- closing if a start or a declaration closed it, for sales went on until that was reported [E12].
CREATE OR REPLACE FUNCTION lototrot_sales_ended(p_contest bigint) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN c.closing_cause IN ('start', 'not_run') THEN c.scheduled_close_at
                ELSE c.closed_at END
      FROM lototrot_contest c WHERE c.id = p_contest AND c.closed_at IS NOT NULL
$$;

-- Return the terminals that could not sell during all of a contest's sale.
CREATE OR REPLACE FUNCTION lototrot_suspects(p_opened_at timestamptz, p_closed_at timestamptz)
RETURNS TABLE (id bigint) LANGUAGE sql STABLE AS $$
    SELECT m.id FROM premises_terminal m
     WHERE m.revoked_at <= p_closed_at
        OR NOT EXISTS (
            SELECT FROM premises_authorisation a
             WHERE a.premises_id = m.premises_id AND a.game = 'lototrot'
               AND a.valid_from <= p_opened_at
               AND (a.valid_until IS NULL OR a.valid_until >= p_closed_at))
        OR EXISTS (
            SELECT FROM premises_suspension s
             WHERE s.since <= p_closed_at
               AND (s.lifted_at IS NULL OR s.lifted_at > p_opened_at)
               AND (s.premises_id IS NULL OR s.premises_id = m.premises_id)
               AND (s.terminal_id IS NULL OR s.terminal_id = m.id))
$$;

-- Return the tickets in breach that are neither voided nor blocked nor paid, nor decided by two
-- persons, with the reasons.
-- `p_limit` is that of `lototrot_limit`; sales ran from `p_opened_at` to `p_closed_at`.
CREATE OR REPLACE FUNCTION lototrot_breaches(p_contest bigint, p_limit timestamptz,
    p_opened_at timestamptz, p_closed_at timestamptz)
RETURNS TABLE (id bigint, uuid uuid, contest_id bigint, sold_at timestamptz, premises_id bigint,
    terminal_id bigint, bets integer, amount_cents bigint, reasons text[])
LANGUAGE sql STABLE AS $$
    WITH examined AS (
        SELECT t.* FROM lototrot_ticket t
         WHERE t.contest_id = p_contest AND t.sold_at >= p_limit AND p_limit <= p_closed_at
         UNION ALL
        SELECT t.* FROM lototrot_suspects(p_opened_at, p_closed_at) s
          JOIN lototrot_ticket t ON t.terminal_id = s.id
         WHERE t.contest_id = p_contest AND (t.sold_at >= p_limit) IS NOT TRUE
    ), judged AS (
        SELECT t.*, array_remove(ARRAY[
            CASE WHEN t.sold_at >= p_limit THEN 'after_limit' END,
            CASE WHEN NOT EXISTS (
                SELECT FROM premises_authorisation a
                 WHERE a.premises_id = t.premises_id AND a.game = 'lototrot'
                   AND a.valid_from <= t.sold_at
                   AND (a.valid_until IS NULL OR a.valid_until > t.sold_at))
                THEN 'premises_not_authorised' END,
            CASE WHEN EXISTS (
                SELECT FROM premises_terminal m
                 WHERE m.id = t.terminal_id AND m.revoked_at <= t.sold_at)
                THEN 'terminal_revoked' END,
            CASE WHEN EXISTS (
                SELECT FROM premises_suspension s
                 WHERE s.since <= t.sold_at AND (s.lifted_at IS NULL OR s.lifted_at > t.sold_at)
                   AND (s.premises_id IS NULL OR s.premises_id = t.premises_id)
                   AND (s.terminal_id IS NULL OR s.terminal_id = t.terminal_id))
                THEN 'sales_suspended' END], NULL) AS reasons
          FROM examined t
         WHERE NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id)
           AND NOT EXISTS (SELECT FROM lototrot_block b WHERE b.ticket_id = t.id)
           AND NOT EXISTS (
            SELECT FROM payoffice_claim c WHERE c.game = 'lototrot' AND c.document_id = t.id
               AND (c.state NOT IN ('early', 'no_prize', 'presented', 'held')
                    OR EXISTS (SELECT FROM payoffice_ruling r WHERE r.claim_id = c.id)
                    OR c.state = 'presented' AND payoffice_papers_refused(c.id)))
    )
    SELECT j.id, j.uuid, j.contest_id, j.sold_at, j.premises_id, j.terminal_id, j.bets,
           j.amount_cents, j.reasons
      FROM judged j WHERE cardinality(j.reasons) > 0
$$;

-- Refuse a payment order while a bet in breach is neither voided nor blocked [C9].
CREATE OR REPLACE FUNCTION lototrot_guard_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lototrot_contest k, lototrot_breaches(
            p_contest => k.id, p_limit => lototrot_limit(k.id), p_opened_at => k.opened_at,
            p_closed_at => lototrot_sales_ended(k.id))
         WHERE k.id = NEW.contest_id) THEN
        RAISE EXCEPTION 'contest %: bets in breach are pending', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER breach_pending BEFORE INSERT ON lototrot_paymentorder
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_order();

-- Refuse that two persons void or block bets in breach, or order payment, while a correction waits of the
-- start or the declaration from which bets are in breach [C6, C9], and that they order payment while one of
-- a result waits: after the order it never could be put right [B14]. This is looked at once for each such
-- decision, not for each bet, and when its transaction ends: the service has refused it before.
CREATE OR REPLACE FUNCTION lototrot_guard_correction_waits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM staff_proposal p
          JOIN lototrot_contestleg l ON l.contest_id = (p.content ->> 'contest')::bigint
          LEFT JOIN lototrot_racedeclaration d ON d.race_id = l.race_id AND d.superseded_at IS NULL
          LEFT JOIN lototrot_withdrawal h ON h.race_id = l.race_id AND h.reversed_at IS NULL
           AND p.kind = 'lototrot.payment_order'
          JOIN staff_proposal w ON NOT w.decided AND (w.kind, w.subject) IN (
               ('lototrot.start_correction', 'race:' || l.race_id),
               (CASE WHEN d.id IS NOT NULL THEN 'lototrot.start' END, 'race:' || l.race_id),
               ('lototrot.declaration_retraction', 'declaration:' || d.id),
               (CASE p.kind WHEN 'lototrot.payment_order' THEN 'lototrot.classification_correction' END,
                'race:' || l.race_id),
               ('lototrot.withdrawal_reversal', 'withdrawal:' || h.id))
         WHERE p.id = NEW.proposal_id
           AND p.kind IN ('lototrot.breach_void', 'lototrot.breach_block', 'lototrot.payment_order')
           AND NOT staff_lapsed(w.id)) THEN
        RAISE EXCEPTION 'proposal %: a correction of a start, a declaration or a result waits',
            NEW.proposal_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS correction_waits ON staff_decision;
CREATE CONSTRAINT TRIGGER correction_waits AFTER INSERT ON staff_decision
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.verdict = 'confirmed') EXECUTE FUNCTION lototrot_guard_correction_waits();
