-- Statements of premises and their payments leave with a retired month (docs/adr/0081). A payment leaves in
-- the same statement of the database as the statement of account that it is of.

-- Return which retirement has a row of a table: its id, 0 for the archive that is retired next, or NULL.
CREATE OR REPLACE FUNCTION periods_retired_by(p_relation text, p_row bigint) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((
        SELECT r.retirement_id FROM public.periods_retiredrows r
         WHERE r.relation = p_relation AND p_row BETWEEN r.first_row AND r.last_row), (
        SELECT 0 FROM public.periods_archive a
          JOIN public.periods_closedperiod p ON p.id = a.period_id
         CROSS JOIN jsonb_array_elements(a.manifest -> 'tables') e
         WHERE p.number = 1 + (SELECT count(*) FROM public.periods_retirement)
           AND e ->> 'table' = p_relation
           AND p_row BETWEEN (e -> 'retires' ->> 'first_row')::bigint
                         AND (e -> 'retires' ->> 'last_row')::bigint))
$$;

-- Return whether a retired statement leaves: its own payments settle it, and all of them are retired with it.
-- No payment of such a statement can come any more (statements_guard_remittance), and a payment of another
-- range makes one stay for good: the answer never changes. A statement that is gone has left.
CREATE OR REPLACE FUNCTION statements_statement_leaves(p_statement bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN s.id IS NULL THEN EXISTS (
                    SELECT FROM public.periods_retiredrows r
                     WHERE r.relation = 'statements_statement'
                       AND p_statement BETWEEN r.first_row AND r.last_row)
                ELSE b.retired IS NOT NULL AND s.closing_cents = coalesce((
                    SELECT sum(m.amount_cents) FROM public.statements_remittance m
                     WHERE m.statement_id = s.id), 0)
                 AND NOT EXISTS (
                    SELECT FROM public.statements_remittance m
                     WHERE m.statement_id = s.id
                       AND public.periods_retired_by(
                               p_relation => 'statements_remittance', p_row => m.id)
                           IS DISTINCT FROM b.retired) END
      FROM (SELECT public.periods_retired_by(
                       p_relation => 'statements_statement', p_row => p_statement) AS retired) b
      LEFT JOIN public.statements_statement s ON s.id = p_statement
$$;

CREATE OR REPLACE FUNCTION statements_remittance_leaves(p_remittance bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.statements_remittance m
                    WHERE m.id = p_remittance
                      AND public.periods_retired_by(
                              p_relation => 'statements_remittance', p_row => m.id)
                          IS NOT DISTINCT FROM public.periods_retired_by(
                              p_relation => 'statements_statement', p_row => m.statement_id)
                      AND public.statements_statement_leaves(m.statement_id))
$$;

-- Return the acts of statements and payments that left, from one transaction to another. These acts stay. Of
-- parts of acts one is asked after the other: an index finds the rows.
CREATE OR REPLACE FUNCTION statements_statement_acts(p_first bigint, p_last bigint)
RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT a.act FROM public.statements_retiredstatements s CROSS JOIN LATERAL unnest(s.acts) a(act)
     WHERE s.last_act >= p_first AND s.first_act <= p_last AND a.act BETWEEN p_first AND p_last
$$;

CREATE OR REPLACE FUNCTION statements_remittance_acts(p_first bigint, p_last bigint)
RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT a.act FROM public.statements_retiredremittances s CROSS JOIN LATERAL unnest(s.acts) a(act)
     WHERE s.last_act >= p_first AND s.first_act <= p_last AND a.act BETWEEN p_first AND p_last
$$;

-- Return the digest of a bank movement: eight bytes of that of its reference, in capital letters.
CREATE OR REPLACE FUNCTION statements_movement(p_reference text) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT ('x' || encode(substr(sha256(convert_to(upper(p_reference), 'UTF8')), 1, 8), 'hex')
           )::bit(64)::bigint
$$;

-- Return the premises that have a part of a bank movement among the payments that left.
CREATE OR REPLACE FUNCTION statements_movement_left(p_reference text) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
    SELECT DISTINCT u.premises_id
      FROM public.statements_retiredremittances s
     CROSS JOIN LATERAL unnest(s.premises, s.movements) u(premises_id, movement)
     WHERE s.movements @> ARRAY[public.statements_movement(p_reference)]
       AND u.movement = public.statements_movement(p_reference)
$$;

-- Show what left: the last statement of each premises by retirement, commission, and each payment.
CREATE OR REPLACE VIEW statements_left AS
SELECT s.retired, u.premises_id, u.statements, u.last_number, u.last_sunday, u.closing_cents, s.part
  FROM statements_retiredstatements s CROSS JOIN LATERAL unnest(
       s.premises, s.statements, s.last_numbers, s.last_sundays, s.closings_cents)
       u(premises_id, statements, last_number, last_sunday, closing_cents);

CREATE OR REPLACE VIEW statements_left_commission AS
SELECT s.retired, s.game, u.premises_id, u.commission_cents
  FROM statements_retiredcommission s
 CROSS JOIN LATERAL unnest(s.premises, s.commissions_cents) u(premises_id, commission_cents);

CREATE OR REPLACE VIEW statements_left_payments AS
SELECT s.retired, u.premises_id, u.amount_cents, u.act
  FROM statements_retiredremittances s
 CROSS JOIN LATERAL unnest(s.premises, s.amounts_cents, s.acts) u(premises_id, amount_cents, act);

-- Refuse a row whose arrays have not one entry for each of its 1 to 64 premises or payments. The argument is
-- an array of other length.
CREATE OR REPLACE FUNCTION statements_guard_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT cardinality(NEW.premises) BETWEEN 1 AND 64 OR EXISTS (
        SELECT FROM jsonb_each(to_jsonb(NEW) - coalesce(TG_ARGV, '{}')) e
         WHERE jsonb_typeof(e.value) = 'array'
           AND (jsonb_array_length(e.value) <> cardinality(NEW.premises)
                OR e.value @> '[null]')) THEN
        RAISE EXCEPTION 'table %: these are no sums of statements that left', TG_TABLE_NAME
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER sums AFTER INSERT OR UPDATE ON statements_retiredstatements
    FOR EACH ROW EXECUTE FUNCTION statements_guard_left('acts');
CREATE OR REPLACE TRIGGER sums AFTER INSERT OR UPDATE ON statements_retiredcommission
    FOR EACH ROW EXECUTE FUNCTION statements_guard_left();
CREATE OR REPLACE TRIGGER sums AFTER INSERT OR UPDATE ON statements_retiredremittances
    FOR EACH ROW EXECUTE FUNCTION statements_guard_left();

-- Refuse a range with a statement of the last 91 days of the month or issued after it, the newest one of
-- premises, or a payment of a later day or of a statement that is not retired. It runs when all rows of the
-- retirement are there, and before their sums.
CREATE OR REPLACE FUNCTION periods_guard_statements() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_period periods_closedperiod;
    v_last bigint := coalesce((SELECT max(r.last_row) FROM periods_retiredrows r
                                WHERE r.relation = 'statements_statement'), 0);
BEGIN
    SELECT p.* INTO v_period FROM periods_retirement r JOIN periods_closedperiod p ON p.id = r.period_id
     WHERE r.id = NEW.retirement_id;
    IF (CASE NEW.relation WHEN 'statements_statement' THEN EXISTS (
            SELECT FROM statements_statement s
             WHERE s.id BETWEEN NEW.first_row AND NEW.last_row
               AND (s.week_to > v_period.last_day - 91 OR s.issued_at >= v_period.ends_at
                    OR NOT EXISTS (
                    SELECT FROM statements_statement n
                     WHERE n.premises_id = s.premises_id AND n.number = s.number + 1)))
       ELSE EXISTS (
            SELECT FROM statements_remittance m
             WHERE m.id BETWEEN NEW.first_row AND NEW.last_row
               AND (m.recorded_at >= v_period.ends_at OR m.statement_id > v_last)) END) THEN
        RAISE EXCEPTION '% % to %: one of them is still read', NEW.relation, NEW.first_row,
            NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER in_range AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation IN ('statements_statement', 'statements_remittance'))
    EXECUTE FUNCTION periods_guard_statements();

-- Sum the statements that leave, in the transaction that retires them, and refuse other ones than were
-- published. No payment is recorded meanwhile.
CREATE OR REPLACE FUNCTION periods_sum_statements() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_summed bigint;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.statement}, 2147483647);
    WITH leaving AS MATERIALIZED (
        SELECT s.*, row_number() OVER (PARTITION BY s.premises_id ORDER BY s.number DESC) AS back
          FROM public.statements_statement s
         WHERE s.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.statements_statement_leaves(s.id)
    ), counted AS (
        SELECT l.premises_id, l.premises_id / 64 AS part, count(*) AS statements,
               max(l.number)::bigint AS last_number, max(l.week_to) AS last_sunday,
               sum(l.closing_cents) FILTER (WHERE l.back = 1)::bigint AS closing_cents
          FROM leaving l GROUP BY 1, 2
    ), acts AS (
        SELECT l.premises_id / 64 AS part, array_agg(DISTINCT l.journal_xid ORDER BY l.journal_xid)
               AS acts, min(l.journal_xid) AS first_act, max(l.journal_xid) AS last_act
          FROM leaving l GROUP BY 1
    ), summed AS (
        INSERT INTO public.statements_retiredstatements (retired, part, premises, statements,
               last_numbers, last_sundays, closings_cents, acts, first_act, last_act)
        SELECT NEW.id, part, array_agg(c.premises_id ORDER BY c.premises_id),
               array_agg(c.statements ORDER BY c.premises_id),
               array_agg(c.last_number ORDER BY c.premises_id),
               array_agg(c.last_sunday ORDER BY c.premises_id),
               array_agg(c.closing_cents ORDER BY c.premises_id), a.acts, a.first_act, a.last_act
          FROM counted c JOIN acts a USING (part)
         GROUP BY part, a.acts, a.first_act, a.last_act ORDER BY part
        RETURNING statements
    ), earned AS (
        SELECT l.premises_id, e ->> 0 AS game, sum((e ->> -1)::bigint)::bigint AS cents
          FROM leaving l CROSS JOIN LATERAL json_array_elements(l.commission) e GROUP BY 1, 2
    ), kept AS (
        INSERT INTO public.statements_retiredcommission (retired, part, game, premises,
               commissions_cents)
        SELECT NEW.id, e.premises_id / 64, e.game, array_agg(e.premises_id ORDER BY e.premises_id),
               array_agg(e.cents ORDER BY e.premises_id)
          FROM earned e GROUP BY 2, 3 ORDER BY 2, 3)
    SELECT coalesce(sum(u.statements), 0) INTO v_summed
      FROM summed s CROSS JOIN LATERAL unnest(s.statements) u(statements);
    IF v_summed <> NEW.leaves THEN
        RAISE EXCEPTION 'statements % to %: % leave, and % were published', NEW.first_row,
            NEW.last_row, v_summed, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER statements_summed AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'statements_statement')
    EXECUTE FUNCTION periods_sum_statements();

-- Keep the premises, movement, amount and act of each payment that leaves, 64 in a row.
CREATE OR REPLACE FUNCTION periods_keep_remittances() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_kept bigint;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.statement}, 2147483647);
    WITH leaving AS (
        SELECT m.*, row_number() OVER (ORDER BY m.id) AS place
          FROM public.statements_remittance m
         WHERE m.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.statements_remittance_leaves(m.id)
    ), kept AS (
        INSERT INTO public.statements_retiredremittances (retired, premises, movements,
               amounts_cents, acts, first_act, last_act)
        SELECT NEW.id, array_agg(l.premises_id ORDER BY l.id),
               array_agg(public.statements_movement(l.reference) ORDER BY l.id),
               array_agg(l.amount_cents ORDER BY l.id), array_agg(l.journal_xid ORDER BY l.id),
               min(l.journal_xid), max(l.journal_xid)
          FROM leaving l GROUP BY (l.place - 1) / 64 ORDER BY min(l.place)
        RETURNING acts)
    SELECT coalesce(sum(cardinality(k.acts)), 0) INTO v_kept FROM kept k;
    IF v_kept <> NEW.leaves THEN
        RAISE EXCEPTION 'payments % to %: % leave, and % were published', NEW.first_row,
            NEW.last_row, v_kept, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER remittances_kept AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'statements_remittance')
    EXECUTE FUNCTION periods_keep_remittances();

-- Delete the payments of statements that left, in the same statement: one without the other would be a debt,
-- or money of nobody. The owner's trigger decides about each.
CREATE OR REPLACE FUNCTION statements_take_remittances() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM public.statements_remittance m USING gone g WHERE m.statement_id = g.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER with_remittances AFTER DELETE ON statements_statement
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION statements_take_remittances();

-- Refuse to delete a payment whose statement is there: that would look unpaid.
CREATE OR REPLACE FUNCTION statements_guard_remittance_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.statements_statement s WHERE s.id = OLD.statement_id) THEN
        RAISE EXCEPTION 'payment %: its statement is there', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER with_statement AFTER DELETE ON statements_remittance
    FOR EACH ROW EXECUTE FUNCTION statements_guard_remittance_alone();
