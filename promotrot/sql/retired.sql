-- Acts of players and confirmed prints of vouchers leave with a retired month (ADR 63). What is asked of
-- them afterwards is answered from rows that stay: the end of the play, and the list of vouchers that
-- never had a print.

-- Return whether a play ended in the month in which it was sold. Then all of its acts are of that month.
-- An end that somebody writes after that month was retired does not count, whatever time it names.
CREATE OR REPLACE FUNCTION promotrot_ended_in_month(p_ticket bigint) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.promotrot_playticket t
          JOIN public.promotrot_playend e ON e.ticket_id = t.id
         WHERE t.id = p_ticket
           AND date_trunc('month', t.sold_at AT TIME ZONE 'Europe/Madrid')
             = date_trunc('month', e.ended_at AT TIME ZONE 'Europe/Madrid')
           AND NOT EXISTS (
               SELECT FROM public.periods_retirement r
                 JOIN public.periods_closedperiod p ON p.id = r.period_id
                WHERE p.ends_at > e.ended_at AND r.journal_xid < e.journal_xid));
END $$;

-- Return whether a retired act leaves. All acts of a play leave, or none: the answer follows from its
-- ticket and its end, which stay. A play that is unfinished keeps its acts.
CREATE OR REPLACE FUNCTION promotrot_playact_leaves(p_act bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.promotrot_playact a
                    WHERE a.id = p_act AND public.promotrot_ended_in_month(a.ticket_id))
$$;

-- Return whether the acts of a play left with a retired month, or are about to: nobody counts on those
-- that a night has not deleted yet.
CREATE OR REPLACE FUNCTION promotrot_acts_left(p_ticket bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.promotrot_playend e
                    WHERE e.ticket_id = p_ticket AND e.ended_at < public.periods_retired_until())
       AND public.promotrot_ended_in_month(p_ticket)
$$;

-- Return until when the print of a claimed or lapsed voucher may be confirmed: the end of the seventh
-- day after its last day.
CREATE OR REPLACE FUNCTION promotrot_print_until(p_last_day date) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
    SELECT (p_last_day + 8)::timestamp AT TIME ZONE 'Europe/Madrid'
$$;

-- Return whether somebody claimed a voucher, or it lapsed, while its print could be confirmed. Such a
-- voucher is never held for its bearer again: nothing asks any more whether it was printed. A claim that
-- somebody writes after the month was retired does not count, whatever time it names.
CREATE OR REPLACE FUNCTION promotrot_claimed_in_time(p_voucher bigint) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM public.promotrot_voucher v
          JOIN public.payoffice_claim k ON k.game = 'promotrot' AND k.document_id = v.id
         WHERE v.id = p_voucher
           AND k.opened_at < public.promotrot_print_until(p_last_day => v.last_day)
           AND NOT EXISTS (
               SELECT FROM public.periods_retirement r
                 JOIN public.periods_closedperiod p ON p.id = r.period_id
                WHERE p.last_day >= v.issue_day AND r.journal_xid < k.journal_xid));
END $$;

-- Return whether a retired print leaves.
CREATE OR REPLACE FUNCTION promotrot_voucherprint_leaves(p_print bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.promotrot_voucherprint c
                    WHERE c.id = p_print AND public.promotrot_claimed_in_time(c.voucher_id))
$$;

-- Return whether a voucher was printed, though its print may have left with its month.
CREATE OR REPLACE FUNCTION promotrot_print_left(p_voucher bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM public.promotrot_voucher v
         WHERE v.id = p_voucher
           AND EXISTS (SELECT FROM public.periods_retirement r
                         JOIN public.periods_closedperiod p ON p.id = r.period_id
                        WHERE v.issue_day BETWEEN p.first_day AND p.last_day)
           AND NOT EXISTS (SELECT FROM public.promotrot_unprintedvoucher u
                            WHERE u.voucher_id = v.id))
$$;

-- Return whether the print of a voucher was confirmed.
CREATE OR REPLACE FUNCTION promotrot_printed(p_voucher bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM public.promotrot_voucherprint c
                              WHERE c.voucher_id = p_voucher) THEN true
                ELSE public.promotrot_print_left(p_voucher) END
$$;

-- Return whether no print of a voucher is confirmed any more.
CREATE OR REPLACE FUNCTION promotrot_print_over(p_voucher bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.promotrot_voucher v
                    WHERE v.id = p_voucher
                      AND public.promotrot_print_until(p_last_day => v.last_day) <= public.core_now())
       AND (public.promotrot_claimed_in_time(p_voucher)
            OR public.promotrot_print_left(p_voucher))
$$;

CREATE OR REPLACE FUNCTION promotrot_guard_print() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF promotrot_print_over(p_voucher => NEW.voucher_id) THEN
        RAISE EXCEPTION 'voucher %: no print of it is confirmed any more', NEW.voucher_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER in_time BEFORE INSERT ON promotrot_voucherprint
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_print();

-- Refuse to retire plays, acts, ends or prints of a later month.
CREATE OR REPLACE FUNCTION promotrot_guard_retired() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_period periods_closedperiod;
    v_later boolean;
BEGIN
    SELECT p.* INTO v_period
      FROM periods_retirement r JOIN periods_closedperiod p ON p.id = r.period_id
     WHERE r.id = NEW.retirement_id;
    IF NEW.relation = 'promotrot_playact' THEN
        v_later := EXISTS (SELECT FROM promotrot_playact a WHERE a.at >= v_period.ends_at
                              AND a.id BETWEEN NEW.first_row AND NEW.last_row);
    ELSIF NEW.relation = 'promotrot_playticket' THEN
        v_later := EXISTS (SELECT FROM promotrot_playticket t WHERE t.sold_at >= v_period.ends_at
                              AND t.id BETWEEN NEW.first_row AND NEW.last_row);
    ELSIF NEW.relation = 'promotrot_playend' THEN
        v_later := EXISTS (SELECT FROM promotrot_playend e WHERE e.ended_at >= v_period.ends_at
                              AND e.id BETWEEN NEW.first_row AND NEW.last_row);
    ELSE
        v_later := EXISTS (
            SELECT FROM promotrot_voucherprint c JOIN promotrot_voucher v ON v.id = c.voucher_id
             WHERE v.issue_day > v_period.last_day
               AND c.id BETWEEN NEW.first_row AND NEW.last_row);
    END IF;
    IF v_later THEN
        RAISE EXCEPTION '% % to %: a row of them is of a later month', NEW.relation, NEW.first_row,
            NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER plays_of_month BEFORE INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation IN ('promotrot_playact', 'promotrot_playend',
                                        'promotrot_playticket', 'promotrot_voucherprint'))
    EXECUTE FUNCTION promotrot_guard_retired();

-- List the vouchers of a month without a print as it is retired. Of those that were claimed or lapsed
-- nobody confirms one any more: a day has passed since then, so no confirmation is under way. Of others
-- a print may come, and stays.
CREATE OR REPLACE FUNCTION promotrot_list_unprinted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_first date;
    v_last date;
BEGIN
    SELECT p.first_day, p.last_day INTO STRICT v_first, v_last
      FROM public.periods_closedperiod p WHERE p.id = NEW.period_id;
    IF EXISTS (
        SELECT FROM public.promotrot_voucher v
         WHERE v.issue_day BETWEEN v_first AND v_last
           AND public.promotrot_print_until(p_last_day => v.last_day) + interval '1 day'
               > public.core_now()) THEN
        RAISE EXCEPTION 'period %: the print of a voucher may still be confirmed', NEW.period_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO public.promotrot_unprintedvoucher (voucher_id, retirement_id)
    SELECT v.id, NEW.id FROM public.promotrot_voucher v
     WHERE v.issue_day BETWEEN v_first AND v_last
       AND NOT EXISTS (SELECT FROM public.promotrot_voucherprint c WHERE c.voucher_id = v.id)
     ORDER BY v.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER unprinted AFTER INSERT ON periods_retirement
    FOR EACH ROW EXECUTE FUNCTION promotrot_list_unprinted();

-- Refuse to list a voucher but in the act that retires its month, or one that was printed.
CREATE OR REPLACE FUNCTION promotrot_guard_unprinted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM public.periods_retirement r
          JOIN public.periods_closedperiod p ON p.id = r.period_id
          JOIN public.promotrot_voucher v ON v.issue_day BETWEEN p.first_day AND p.last_day
         WHERE r.id = NEW.retirement_id AND v.id = NEW.voucher_id
           AND r.journal_xid = public.journal_number()
           AND NOT EXISTS (SELECT FROM public.promotrot_voucherprint c
                            WHERE c.voucher_id = v.id)) THEN
        RAISE EXCEPTION 'voucher %: it is not listed so', NEW.voucher_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER with_retirement BEFORE INSERT ON promotrot_unprintedvoucher
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_unprinted();
