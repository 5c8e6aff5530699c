-- Prints, tickets, voids and declarations of display are retired only of contests that are ordered and have
-- lapsed, and are not of a later month; and of no print on whose ticket a claim is still to be decided.
CREATE OR REPLACE FUNCTION lototrot_guard_retired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_contests bigint[];
    v_held boolean := false;
BEGIN
    IF NEW.relation = 'lototrot_ticket' THEN
        SELECT array_agg(DISTINCT t.contest_id) INTO v_contests FROM lototrot_ticket t
         WHERE t.id BETWEEN NEW.first_row AND NEW.last_row;
    ELSIF NEW.relation = 'lototrot_void' THEN
        SELECT array_agg(DISTINCT t.contest_id) INTO v_contests
          FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
         WHERE v.id BETWEEN NEW.first_row AND NEW.last_row AND v.reason = 'error';
    ELSIF NEW.relation = 'lototrot_displayacknowledgement' THEN
        SELECT array_agg(DISTINCT d.contest_id) INTO v_contests
          FROM lototrot_displayacknowledgement d
         WHERE d.id BETWEEN NEW.first_row AND NEW.last_row;
    ELSE
        SELECT array_agg(DISTINCT t.contest_id) INTO v_contests
          FROM lototrot_printconfirmation p JOIN lototrot_ticket t ON t.id = p.ticket_id
         WHERE p.ticket_id BETWEEN NEW.first_row AND NEW.last_row;
        v_held := EXISTS (
            SELECT FROM payoffice_claim k
              JOIN lototrot_printconfirmation p ON p.ticket_id = k.document_id
             WHERE k.game = 'lototrot' AND k.state IN ('early', 'held')
               AND p.ticket_id BETWEEN NEW.first_row AND NEW.last_row);
    END IF;
    IF v_held OR EXISTS (
        SELECT FROM unnest(v_contests) u(id) LEFT JOIN lototrot_contest c ON c.id = u.id
         WHERE c.state IS DISTINCT FROM 'ordered'
            OR NOT EXISTS (SELECT FROM lototrot_lapse l WHERE l.contest_id = c.id)
            OR c.day > (SELECT d.last_day FROM periods_retirement r
                          JOIN periods_closedperiod d ON d.id = r.period_id
                         WHERE r.id = NEW.retirement_id)) THEN
        RAISE EXCEPTION '% % to %: a contest or a right of them is not finished', NEW.relation,
            NEW.first_row, NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER finished BEFORE INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (
        NEW.relation IN ('lototrot_displayacknowledgement', 'lototrot_printconfirmation',
                         'lototrot_ticket', 'lototrot_void'))
    EXECUTE FUNCTION lototrot_guard_retired();

-- Return whether a void is of an error and is retired together with its ticket. A void in one month's range
-- whose ticket is in another's stays for good, and its ticket with it.
CREATE OR REPLACE FUNCTION lototrot_void_together(p_void bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM public.lototrot_void v
         WHERE v.id = p_void AND v.reason = 'error'
           AND public.periods_together(
                   p_relation => 'lototrot_void', p_row => v.id,
                   p_with_relation => 'lototrot_ticket', p_with_row => v.ticket_id))
$$;

-- Return whether nobody has a right on a ticket any more, and only rows that leave after it say so:
-- it won nothing; or it has one prize, which was paid at a terminal in cash, has lapsed, or is zero.
-- A claim that ever changed has acts of its own, and stays with its ticket.
CREATE OR REPLACE FUNCTION lototrot_ticket_ended(p_ticket bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN w.prizes = 0 THEN k.id IS NULL
                WHEN w.prizes > 1 THEN false
                WHEN k.id IS NULL THEN w.cents = 0 AND w.in_force
                ELSE k.changed_at IS NULL AND w.in_force
                 AND (k.state = 'lapsed' OR k.state = 'paid' AND EXISTS (
                        SELECT FROM public.payoffice_payment m
                         WHERE m.claim_id = k.id AND m.terminal_id IS NOT NULL
                           AND m.payee_id IS NULL)) END
      FROM (SELECT count(*) AS prizes, min(p.prize_cents) AS cents, bool_and(s.in_force) AS in_force
              FROM public.lototrot_ticket t
              JOIN public.lototrot_settlement s ON s.contest_id = t.contest_id
              JOIN public.lototrot_prize p ON p.settlement_id = s.id AND p.ticket_id = t.id
             WHERE t.id = p_ticket) w
      LEFT JOIN public.payoffice_claim k ON k.game = 'lototrot' AND k.document_id = p_ticket
$$;

-- Return whether a retired ticket leaves: nobody has a right on it, and no row names it but its
-- print, the void of an error, and what follows from its prize. No other row can come after the
-- retirement, a void never changes and neither does an ended claim, so the answer never changes.
-- A ticket that is gone has left.
CREATE OR REPLACE FUNCTION lototrot_ticket_leaves(p_ticket bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT EXISTS (SELECT FROM public.lototrot_ticket t WHERE t.id = p_ticket)
                THEN EXISTS (SELECT FROM public.periods_retiredrows r
                              WHERE r.relation = 'lototrot_ticket'
                                AND p_ticket BETWEEN r.first_row AND r.last_row)
                ELSE public.lototrot_ticket_ended(p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_void v
                        WHERE v.ticket_id = p_ticket
                          AND NOT public.lototrot_void_together(v.id))
       AND NOT EXISTS (SELECT FROM public.lototrot_unprinted u WHERE u.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_block b WHERE b.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_reprint r WHERE r.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_codegiven g WHERE g.ticket_id = p_ticket)
           END
$$;

-- Return whether a retired prize, claim or payment leaves: its ticket has left, or leaves before it.
CREATE OR REPLACE FUNCTION lototrot_prize_leaves(p_prize bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.lototrot_prize p
                    WHERE p.id = p_prize AND public.lototrot_ticket_leaves(p.ticket_id))
$$;

CREATE OR REPLACE FUNCTION payoffice_claim_leaves(p_claim bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.payoffice_claim k
                    WHERE k.id = p_claim AND k.game = 'lototrot'
                      AND public.lototrot_ticket_leaves(k.document_id))
$$;

CREATE OR REPLACE FUNCTION payoffice_payment_leaves(p_payment bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.payoffice_payment m
                    WHERE m.id = p_payment AND public.payoffice_claim_leaves(m.claim_id))
$$;

-- Refuse to delete what follows from a ticket that is there: the ticket would count as unclaimed or sold.
CREATE OR REPLACE FUNCTION lototrot_guard_ticket_there() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_ticket bigint;
BEGIN
    IF TG_TABLE_NAME IN ('lototrot_prize', 'lototrot_void') THEN
        v_ticket := OLD.ticket_id;
    ELSIF TG_TABLE_NAME = 'payoffice_claim' THEN
        v_ticket := OLD.document_id;
    ELSE
        SELECT k.document_id INTO v_ticket FROM public.payoffice_claim k WHERE k.id = OLD.claim_id;
    END IF;
    IF EXISTS (SELECT FROM public.lototrot_ticket t WHERE t.id = v_ticket) THEN
        RAISE EXCEPTION 'row % of %: its ticket is there', OLD.id, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER with_ticket AFTER DELETE ON lototrot_prize
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ticket_there();
CREATE OR REPLACE TRIGGER with_ticket AFTER DELETE ON lototrot_void
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ticket_there();
CREATE OR REPLACE TRIGGER with_ticket AFTER DELETE ON payoffice_claim
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ticket_there();
CREATE OR REPLACE TRIGGER with_ticket AFTER DELETE ON payoffice_payment
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_ticket_there();

-- Refuse to retire what follows from a ticket before its ticket is retired: nobody knows yet whether
-- that leaves.
CREATE OR REPLACE FUNCTION lototrot_guard_after_tickets() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_last bigint := coalesce((SELECT max(r.last_row) FROM periods_retiredrows r
                                WHERE r.relation = 'lototrot_ticket'), 0);
    v_later boolean;
BEGIN
    IF NEW.relation = 'lototrot_prize' THEN
        v_later := EXISTS (SELECT FROM lototrot_prize p WHERE p.ticket_id > v_last
                              AND p.id BETWEEN NEW.first_row AND NEW.last_row);
    ELSIF NEW.relation = 'payoffice_claim' THEN
        v_later := EXISTS (SELECT FROM payoffice_claim k
                            WHERE k.game = 'lototrot' AND k.document_id > v_last
                              AND k.id BETWEEN NEW.first_row AND NEW.last_row);
    ELSE
        v_later := EXISTS (SELECT FROM payoffice_payment m JOIN payoffice_claim k
                               ON k.id = m.claim_id
                            WHERE k.game = 'lototrot' AND k.document_id > v_last
                              AND m.id BETWEEN NEW.first_row AND NEW.last_row);
    END IF;
    IF v_later THEN
        RAISE EXCEPTION '% % to %: a ticket of them is not retired', NEW.relation, NEW.first_row,
            NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER after_tickets AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (
        NEW.relation IN ('lototrot_prize', 'payoffice_claim', 'payoffice_payment'))
    EXECUTE FUNCTION lototrot_guard_after_tickets();

-- Refuse to restore what lapsed of a ticket of a retired range: it may be gone, or be about to go. No
-- deposit in time waits when its month is closed.
CREATE OR REPLACE FUNCTION lototrot_guard_lapsed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM periods_retiredrows r WHERE r.relation = 'lototrot_ticket'
                  AND NEW.document_id BETWEEN r.first_row AND r.last_row) THEN
        RAISE EXCEPTION 'claim %: the month of its ticket was retired', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER not_retired BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (OLD.state = 'lapsed' AND NEW.game = 'lototrot')
    EXECUTE FUNCTION lototrot_guard_lapsed();

-- Return whether a retired void leaves: its ticket leaves with it.
CREATE OR REPLACE FUNCTION lototrot_void_leaves(p_void bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.lototrot_void v
                    WHERE v.id = p_void AND public.lototrot_void_together(v.id)
                      AND public.lototrot_ticket_leaves(v.ticket_id))
$$;

-- Delete the voids of tickets that left, in the same statement: nobody reads the one without the
-- other. The owner's trigger decides about each void.
CREATE OR REPLACE FUNCTION lototrot_take_voids() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM public.lototrot_void v USING gone g WHERE v.ticket_id = g.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER with_voids AFTER DELETE ON lototrot_ticket REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION lototrot_take_voids();

-- Refuse to delete a ticket whose print is there: prints leave first.
CREATE OR REPLACE FUNCTION lototrot_guard_printed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_ticket bigint;
BEGIN
    SELECT p.ticket_id INTO v_ticket
      FROM gone g JOIN public.lototrot_printconfirmation p ON p.ticket_id = g.id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'ticket %: its print is there', v_ticket
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER printed AFTER DELETE ON lototrot_ticket REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION lototrot_guard_printed();

-- Show the sums of tickets that left: a row for each contest, day of sale and terminal.
CREATE OR REPLACE VIEW lototrot_left_by_terminal AS
SELECT s.contest_id, s.retired_id, s.day, u.premises_id, u.terminal_id, u.tickets, u.bets,
       u.amount_cents, u.annulled_tickets, u.annulled_bets, u.annulled_cents
  FROM lototrot_retiredsales s CROSS JOIN LATERAL unnest(
       s.premises, s.terminals, s.tickets, s.bets, s.amounts_cents, s.annulled_tickets,
       s.annulled_bets, s.annulled_cents) u(premises_id, terminal_id, tickets, bets, amount_cents,
       annulled_tickets, annulled_bets, annulled_cents);

-- Show the bets of tickets that left: a row for each number of a leg that was marked.
CREATE OR REPLACE VIEW lototrot_left_by_number AS
SELECT m.contest_id, m.retired_id, m.leg, u.number::integer AS number, u.bets
  FROM lototrot_retiredmarks m
 CROSS JOIN LATERAL unnest(m.bets) WITH ORDINALITY u(bets, number) WHERE u.bets > 0;

-- Refuse bets that are not one figure for each number that a ticket can mark, and of some number.
CREATE OR REPLACE FUNCTION lototrot_guard_marks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF array_dims(NEW.bets) IS DISTINCT FROM '[1:31]' OR array_position(NEW.bets, NULL) > 0
        OR 0 > ANY (NEW.bets) OR NOT 0 < ANY (NEW.bets) THEN
        RAISE EXCEPTION 'contest %: these are no bets of tickets that left', NEW.contest_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER sums AFTER INSERT OR UPDATE ON lototrot_retiredmarks
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_marks();

-- Refuse sums that are not of up to 128 terminals, with every sum of each; of a terminal without any
-- ticket; or of tickets without bets or without an amount. An array that is too short ends in NULL.
CREATE OR REPLACE FUNCTION lototrot_guard_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT cardinality(NEW.terminals) BETWEEN 1 AND 128 OR EXISTS (
        SELECT FROM unnest(NEW.premises, NEW.terminals, NEW.tickets, NEW.bets, NEW.amounts_cents,
                           NEW.annulled_tickets, NEW.annulled_bets, NEW.annulled_cents)
               u(premises, terminal, sold, bets, cents, void, void_bets, void_cents)
         WHERE (u.premises > 0 AND u.terminal > 0 AND u.sold + u.void > 0
                AND least(u.sold, u.bets, u.cents, u.void, u.void_bets, u.void_cents) >= 0
                AND (u.sold = 0) = (u.bets = 0) AND (u.sold = 0) = (u.cents = 0)
                AND (u.void = 0) = (u.void_bets = 0) AND (u.void = 0) = (u.void_cents = 0)
               ) IS NOT TRUE) THEN
        RAISE EXCEPTION 'contest %: these are no sums of tickets that left', NEW.contest_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER sums AFTER INSERT OR UPDATE ON lototrot_retiredsales
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_sums();

-- Sum the tickets that leave, in the transaction that retires them, and refuse other ones than were
-- published. A block may not come meanwhile; it is the only row that could name so old a ticket.
CREATE OR REPLACE FUNCTION lototrot_sum_retired() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_summed bigint;
BEGIN
    LOCK TABLE public.lototrot_block IN SHARE MODE;
    WITH sold AS MATERIALIZED (
        SELECT t.contest_id, (t.sold_at AT TIME ZONE 'Europe/Madrid')::date AS day, t.premises_id,
               t.terminal_id, count(*) FILTER (WHERE v.id IS NULL) AS tickets,
               coalesce(sum(t.bets) FILTER (WHERE v.id IS NULL), 0)::bigint AS bets,
               coalesce(sum(t.amount_cents) FILTER (WHERE v.id IS NULL), 0)::bigint AS cents,
               count(v.id) AS void_tickets,
               coalesce(sum(t.bets) FILTER (WHERE v.id IS NOT NULL), 0)::bigint AS void_bets,
               coalesce(sum(t.amount_cents) FILTER (WHERE v.id IS NOT NULL), 0)::bigint AS void_cents
          FROM public.lototrot_ticket t LEFT JOIN public.lototrot_void v ON v.ticket_id = t.id
         WHERE t.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.lototrot_ticket_leaves(t.id)
         GROUP BY 1, 2, 3, 4
    ), numbered AS (
        SELECT s.*, row_number() OVER (
                   PARTITION BY s.day, s.contest_id ORDER BY s.premises_id, s.terminal_id) AS number
          FROM sold s
    ), summed AS (
        INSERT INTO public.lototrot_retiredsales (contest_id, retired_id, day, premises, terminals,
               tickets, bets, amounts_cents, annulled_tickets, annulled_bets, annulled_cents)
        SELECT n.contest_id, NEW.id, n.day, array_agg(n.premises_id ORDER BY n.number),
               array_agg(n.terminal_id ORDER BY n.number), array_agg(n.tickets ORDER BY n.number),
               array_agg(n.bets ORDER BY n.number), array_agg(n.cents ORDER BY n.number),
               array_agg(n.void_tickets ORDER BY n.number),
               array_agg(n.void_bets ORDER BY n.number), array_agg(n.void_cents ORDER BY n.number)
          FROM numbered n GROUP BY n.day, n.contest_id, (n.number - 1) / 128
         ORDER BY n.day, n.contest_id, min(n.number)
        RETURNING tickets, annulled_tickets)
    SELECT coalesce(sum(u.tickets + u.annulled), 0) INTO v_summed
      FROM summed s CROSS JOIN LATERAL unnest(s.tickets, s.annulled_tickets) u(tickets, annulled);
    IF v_summed <> NEW.leaves THEN
        RAISE EXCEPTION 'tickets % to %: % leave, and % were published', NEW.first_row,
            NEW.last_row, v_summed, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO public.lototrot_retiredmarks (contest_id, retired_id, leg, bets)
    SELECT b.contest_id, NEW.id, b.leg, array_agg(b.bets ORDER BY b.number)
      FROM (SELECT m.contest_id, m.leg, n.number, coalesce(sum(m.bets) FILTER (
                       WHERE m.mask & (1 << (n.number - 1)) <> 0), 0)::bigint AS bets
              FROM (SELECT t.contest_id, l.leg, l.mask, sum(t.bets / bit_count(l.mask::bit(32))) AS bets
                      FROM public.lototrot_ticket t CROSS JOIN LATERAL (VALUES
                           (1, t.leg_1), (2, t.leg_2), (3, t.leg_3), (4, t.leg_4), (5, t.leg_5),
                           (6, t.leg_6), (7, t.leg_7), (8, t.leg_8), (9, t.leg_9), (10, t.leg_10))
                           l(leg, mask)
                     WHERE t.id BETWEEN NEW.first_row AND NEW.last_row AND l.mask IS NOT NULL
                       AND public.lototrot_ticket_leaves(t.id)
                       AND NOT EXISTS (SELECT FROM public.lototrot_void v WHERE v.ticket_id = t.id)
                     GROUP BY 1, 2, 3) m
             CROSS JOIN generate_series(1, 31) n(number)
             GROUP BY 1, 2, 3) b
     GROUP BY 1, 3 ORDER BY 1, 3;
    WITH won AS MATERIALIZED (
        SELECT t.contest_id, p.settlement_id, coalesce(k.state, '') AS state, k.day, p.winning_bets,
               p.prize_cents
          FROM public.lototrot_ticket t
          JOIN public.lototrot_settlement s ON s.contest_id = t.contest_id AND s.in_force
          JOIN public.lototrot_prize p ON p.settlement_id = s.id AND p.ticket_id = t.id
          LEFT JOIN public.payoffice_claim k ON k.game = 'lototrot' AND k.document_id = t.id
         WHERE t.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.lototrot_ticket_leaves(t.id)
    ), bets AS (
        SELECT w.settlement_id, w.state, w.day, u.place, sum(u.bets)::bigint AS bets
          FROM won w CROSS JOIN LATERAL unnest(w.winning_bets) WITH ORDINALITY u(bets, place)
         GROUP BY 1, 2, 3, 4)
    INSERT INTO public.lototrot_retiredprizes (contest_id, retired_id, settlement_id, state, day,
           tickets, winning_bets, prize_cents)
    SELECT w.contest_id, NEW.id, w.settlement_id, w.state, w.day, count(*),
           (SELECT array_agg(b.bets ORDER BY b.place) FROM bets b
             WHERE (b.settlement_id, b.state) = (w.settlement_id, w.state)
               AND b.day IS NOT DISTINCT FROM w.day), sum(w.prize_cents)::bigint
      FROM won w GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER summed AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'lototrot_ticket')
    EXECUTE FUNCTION lototrot_sum_retired();

-- Refuse a row that names a ticket of a retired range: the ticket may be gone, or be about to go.
CREATE OR REPLACE FUNCTION lototrot_guard_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM periods_retiredrows r WHERE r.relation = 'lototrot_ticket'
                  AND NEW.ticket_id BETWEEN r.first_row AND r.last_row) THEN
        RAISE EXCEPTION 'ticket %: its month was retired', NEW.ticket_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER not_retired BEFORE INSERT ON lototrot_block
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_left();
CREATE OR REPLACE TRIGGER not_retired BEFORE INSERT ON lototrot_codegiven
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_left();
