-- Hold the limit of premises' debt inside the sale (docs/adr/0014-running-accounts.md).

-- Return the code of the refusal if a sale of `p_amount` at `p_at` does not fit, and the account that
-- owes. The sale holds the lock of the premises' credit: until it ends, nothing else adds to the
-- debt. Without a limit on record the limit is nothing. What the terminal has sold in the running
-- minute, and this sale, stay within the cap by the minute; a sale above the cap alone never fits.
-- Queries contain it (core/premises/sql/may_sell.sql).
CREATE OR REPLACE FUNCTION statements_may_owe(p_premises bigint, p_terminal bigint, p_amount bigint,
    p_at timestamptz) RETURNS TABLE (refusal text, account_id bigint)
LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT CASE
               WHEN o.owed_cents + p_amount > coalesce(g.limit_cents, 0) THEN 'credit_exhausted'
               WHEN p_amount > g.minute_cap_cents THEN 'amount_above_cap'
               WHEN o.minute_cents + p_amount > g.minute_cap_cents THEN 'stakes_by_the_minute' END,
           o.account_id
      FROM (SELECT min(t.account_id) AS account_id, sum(t.owed_cents) AS owed_cents,
                   coalesce(sum(t.minute_cents) FILTER (WHERE t.terminal_id = p_terminal
                        AND t.minute_from <= p_at
                        AND t.minute_from > p_at - interval '1 minute'), 0) AS minute_cents
              FROM statements_till t WHERE t.premises_id = p_premises) o
      LEFT JOIN (
            SELECT l.limit_cents, l.minute_cap_cents FROM statements_guaranteelimit l
             WHERE l.premises_id = p_premises AND l.in_force_from <= p_at
             ORDER BY l.in_force_from DESC, l.id DESC LIMIT 1) g ON true
$$;

-- Return what the debt of premises may still grow by, in cents; it is negative beyond the limit.
CREATE OR REPLACE FUNCTION statements_credit_left(p_premises bigint, p_at timestamptz)
RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((
            SELECT l.limit_cents FROM statements_guaranteelimit l
             WHERE l.premises_id = p_premises AND l.in_force_from <= p_at
             ORDER BY l.in_force_from DESC, l.id DESC LIMIT 1), 0)
         - coalesce((SELECT sum(t.owed_cents) FROM statements_till t
                      WHERE t.premises_id = p_premises), 0)::bigint
$$;
