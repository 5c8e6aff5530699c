-- Sum the payments that leave, in the transaction that retires them, and refuse other ones than were
-- published.
CREATE OR REPLACE FUNCTION periods_sum_payments() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_summed bigint;
BEGIN
    WITH amounts AS (
        SELECT k.game, (m.paid_at AT TIME ZONE 'Europe/Madrid')::date AS day, m.premises_id, m.place,
               m.means, m.amount_cents, count(*) AS payments
          FROM public.payoffice_payment m JOIN public.payoffice_claim k ON k.id = m.claim_id
         WHERE m.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.payoffice_payment_leaves(m.id)
         GROUP BY 1, 2, 3, 4, 5, 6
    ), summed AS (
        INSERT INTO public.payoffice_retiredpayments (retired, game, day, premises_id, place, means,
               payments, amount_cents, amounts_cents, counts)
        SELECT NEW.id, a.game, a.day, a.premises_id, a.place, a.means, sum(a.payments)::bigint,
               sum(a.payments * a.amount_cents)::bigint,
               array_agg(a.amount_cents ORDER BY a.amount_cents),
               array_agg(a.payments ORDER BY a.amount_cents)
          FROM amounts a GROUP BY 2, 3, 4, 5, 6 ORDER BY 3, 4, 2, 5, 6
        RETURNING payments)
    SELECT coalesce(sum(payments), 0) INTO v_summed FROM summed;
    IF v_summed <> NEW.leaves THEN
        RAISE EXCEPTION 'payments % to %: % leave, and % were published', NEW.first_row,
            NEW.last_row, v_summed, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER payments_summed AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'payoffice_payment')
    EXECUTE FUNCTION periods_sum_payments();
