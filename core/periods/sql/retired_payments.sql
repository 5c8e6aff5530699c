-- Show the sums of payments that left: a row for each day, premises and amount.
CREATE OR REPLACE VIEW payoffice_left_by_premises AS
SELECT s.retired, s.game, s.day, s.place, s.means, u.premises_id, u.amount_cents, u.payments
  FROM payoffice_retiredpayments s CROSS JOIN LATERAL unnest(s.premises, s.amounts_cents, s.counts)
       u(premises_id, amount_cents, payments);

-- Refuse sums that are not up to 128, each of some premises, an amount and a number of payments. An
-- array that is too short ends in NULL.
CREATE OR REPLACE FUNCTION periods_guard_payment_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT cardinality(NEW.counts) BETWEEN 1 AND 128 OR EXISTS (
        SELECT FROM unnest(NEW.premises, NEW.amounts_cents, NEW.counts) u(premises, cents, payments)
         WHERE (u.premises > 0 AND u.cents > 0 AND u.payments > 0) IS NOT TRUE) THEN
        RAISE EXCEPTION 'day %: these are no sums of payments that left', NEW.day
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER sums AFTER INSERT OR UPDATE ON payoffice_retiredpayments
    FOR EACH ROW EXECUTE FUNCTION periods_guard_payment_sums();

-- Sum the payments that leave, in the transaction that retires them, and refuse other ones than were
-- published.
CREATE OR REPLACE FUNCTION periods_sum_payments() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_summed bigint;
BEGIN
    WITH amounts AS (
        SELECT k.game, (m.paid_at AT TIME ZONE 'Europe/Madrid')::date AS day, m.place, m.means,
               m.premises_id, m.amount_cents, count(*) AS payments
          FROM public.payoffice_payment m JOIN public.payoffice_claim k ON k.id = m.claim_id
         WHERE m.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.payoffice_payment_leaves(m.id)
         GROUP BY 1, 2, 3, 4, 5, 6
    ), numbered AS (
        SELECT a.*, row_number() OVER (PARTITION BY a.day, a.game, a.place, a.means
                                       ORDER BY a.premises_id, a.amount_cents) AS number
          FROM amounts a
    ), summed AS (
        INSERT INTO public.payoffice_retiredpayments (retired, game, day, place, means, premises,
               amounts_cents, counts)
        SELECT NEW.id, n.game, n.day, n.place, n.means, array_agg(n.premises_id ORDER BY n.number),
               array_agg(n.amount_cents ORDER BY n.number), array_agg(n.payments ORDER BY n.number)
          FROM numbered n GROUP BY n.day, n.game, n.place, n.means, (n.number - 1) / 128
         ORDER BY n.day, n.game, n.place, n.means, min(n.number)
        RETURNING counts)
    SELECT coalesce(sum(u.payments), 0) INTO v_summed
      FROM summed s CROSS JOIN LATERAL unnest(s.counts) u(payments);
    IF v_summed <> NEW.leaves THEN
        RAISE EXCEPTION 'payments % to %: % leave, and % were published', NEW.first_row,
            NEW.last_row, v_summed, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_summed AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'payoffice_payment')
    EXECUTE FUNCTION periods_sum_payments();
