-- Prints, tickets and voids are retired only of contests that are ordered and have lapsed, and are not of a
-- later month; and of no print on whose ticket somebody may still have a right.
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
    ELSE
        SELECT array_agg(DISTINCT t.contest_id) INTO v_contests
          FROM lototrot_printconfirmation p JOIN lototrot_ticket t ON t.id = p.ticket_id
         WHERE p.ticket_id BETWEEN NEW.first_row AND NEW.last_row;
        v_held := EXISTS (
            SELECT FROM payoffice_claim k
              JOIN lototrot_printconfirmation p ON p.ticket_id = k.document_id
             WHERE k.game = 'lototrot' AND k.state IN ('early', 'presented', 'held', 'granted')
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
        NEW.relation IN ('lototrot_printconfirmation', 'lototrot_ticket', 'lototrot_void'))
    EXECUTE FUNCTION lototrot_guard_retired();

-- Return whether a void is of an error and is retired together with its ticket: by the same
-- retirement, or, before it, by the archive that is retired next. A void in one month's range whose
-- ticket is in another's stays for good, and its ticket with it.
CREATE OR REPLACE FUNCTION lototrot_void_together(p_void bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_ticket bigint;
    v_with_void bigint;
    v_with_ticket bigint;
BEGIN
    SELECT v.ticket_id INTO v_ticket FROM public.lototrot_void v
     WHERE v.id = p_void AND v.reason = 'error';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT r.retirement_id INTO v_with_void FROM public.periods_retiredrows r
     WHERE r.relation = 'lototrot_void' AND p_void BETWEEN r.first_row AND r.last_row;
    SELECT r.retirement_id INTO v_with_ticket FROM public.periods_retiredrows r
     WHERE r.relation = 'lototrot_ticket' AND v_ticket BETWEEN r.first_row AND r.last_row;
    IF v_with_void IS NOT NULL OR v_with_ticket IS NOT NULL THEN
        RETURN v_with_void IS NOT DISTINCT FROM v_with_ticket;
    END IF;
    RETURN 2 = (
        SELECT count(*) FROM public.periods_archive a
          JOIN public.periods_closedperiod p ON p.id = a.period_id
         CROSS JOIN jsonb_array_elements(a.manifest -> 'tables') e
         WHERE p.number = 1 + (SELECT count(*) FROM public.periods_retirement)
           AND CASE e ->> 'table' WHEN 'lototrot_void' THEN p_void
                                  WHEN 'lototrot_ticket' THEN v_ticket END
               BETWEEN (e -> 'retires' ->> 'first_row')::bigint
                   AND (e -> 'retires' ->> 'last_row')::bigint);
END $$;

-- Return whether a retired ticket leaves: it won nothing or was annulled as an error, and no other
-- row but its print ever named it. No such row can come after the retirement, and a void never
-- changes, so the answer never changes.
CREATE OR REPLACE FUNCTION lototrot_ticket_leaves(p_ticket bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (
            SELECT FROM public.lototrot_ticket t
              JOIN public.lototrot_settlement s ON s.contest_id = t.contest_id
              JOIN public.lototrot_prize p ON p.settlement_id = s.id AND p.ticket_id = t.id
             WHERE t.id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_void v
                        WHERE v.ticket_id = p_ticket
                          AND NOT public.lototrot_void_together(v.id))
       AND NOT EXISTS (SELECT FROM public.lototrot_unprinted u WHERE u.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_block b WHERE b.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_reprint r WHERE r.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.lototrot_codegiven g WHERE g.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.payoffice_claim k
                        WHERE k.game = 'lototrot' AND k.document_id = p_ticket)
$$;

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

-- Refuse to delete a void whose ticket is there: it would count as sold.
CREATE OR REPLACE FUNCTION lototrot_guard_void_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.lototrot_ticket t WHERE t.id = OLD.ticket_id) THEN
        RAISE EXCEPTION 'void %: its ticket is there', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER with_ticket BEFORE DELETE ON lototrot_void
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_void_alone();

-- Sum the tickets that leave, in the transaction that retires them, and refuse other ones than were
-- published. A block may not come meanwhile; it is the only row that could name so old a ticket.
CREATE OR REPLACE FUNCTION lototrot_sum_retired() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_summed bigint;
BEGIN
    LOCK TABLE public.lototrot_block IN SHARE MODE;
    WITH summed AS (
        INSERT INTO public.lototrot_retiredsales (contest_id, retired_id, day, premises_id,
               terminal_id, tickets, bets, amount_cents, annulled_tickets, annulled_bets,
               annulled_cents)
        SELECT t.contest_id, NEW.id, (t.sold_at AT TIME ZONE 'Europe/Madrid')::date, t.premises_id,
               t.terminal_id, count(*) FILTER (WHERE v.id IS NULL),
               coalesce(sum(t.bets) FILTER (WHERE v.id IS NULL), 0)::bigint,
               coalesce(sum(t.amount_cents) FILTER (WHERE v.id IS NULL), 0)::bigint,
               count(v.id), coalesce(sum(t.bets) FILTER (WHERE v.id IS NOT NULL), 0)::bigint,
               coalesce(sum(t.amount_cents) FILTER (WHERE v.id IS NOT NULL), 0)::bigint
          FROM public.lototrot_ticket t LEFT JOIN public.lototrot_void v ON v.ticket_id = t.id
         WHERE t.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.lototrot_ticket_leaves(t.id)
         GROUP BY 1, 3, 4, 5 ORDER BY 3, 1, 4, 5
        RETURNING tickets + annulled_tickets AS tickets)
    SELECT coalesce(sum(tickets), 0) INTO v_summed FROM summed;
    IF v_summed <> NEW.leaves THEN
        RAISE EXCEPTION 'tickets % to %: % leave, and % were published', NEW.first_row,
            NEW.last_row, v_summed, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO public.lototrot_retiredmarks (contest_id, retired_id, leg, number, bets)
    SELECT m.contest_id, NEW.id, m.leg, n.number, sum(m.bets)::bigint
      FROM (SELECT t.contest_id, l.leg, l.mask, sum(t.bets / bit_count(l.mask::bit(32))) AS bets
              FROM public.lototrot_ticket t CROSS JOIN LATERAL (VALUES
                   (1, t.leg_1), (2, t.leg_2), (3, t.leg_3), (4, t.leg_4), (5, t.leg_5),
                   (6, t.leg_6), (7, t.leg_7), (8, t.leg_8), (9, t.leg_9), (10, t.leg_10))
                   l(leg, mask)
             WHERE t.id BETWEEN NEW.first_row AND NEW.last_row AND l.mask IS NOT NULL
               AND public.lototrot_ticket_leaves(t.id)
               AND NOT EXISTS (SELECT FROM public.lototrot_void v WHERE v.ticket_id = t.id)
             GROUP BY 1, 2, 3) m
      JOIN generate_series(1, 31) n(number) ON m.mask & (1 << (n.number - 1)) <> 0
     GROUP BY 1, 3, 4 ORDER BY 1, 3, 4;
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
