-- Return whether premises hold an authorisation for a game at an instant (14.I.6) [E10]. It is one
-- row, so that a query may contain it: PostgreSQL puts the text of such a function into the query
-- that reads from it.
CREATE OR REPLACE FUNCTION premises_holds(p_premises bigint, p_game text, p_at timestamptz)
RETURNS TABLE (authorised boolean) LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT EXISTS (
        SELECT FROM premises_authorisation a
         WHERE a.premises_id = p_premises AND a.game = p_game AND a.valid_from <= p_at
           AND (a.valid_until IS NULL OR a.valid_until > p_at))
$$;

-- Return the same as a value.
CREATE OR REPLACE FUNCTION premises_authorised(p_premises bigint, p_game text, p_at timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT h.authorised FROM premises_holds(
        p_premises => p_premises, p_game => p_game, p_at => p_at) h
$$;

-- Return the code of the refusal if these premises or this terminal may not sell a game at an
-- instant, or NULL if they may (14.I.6). It is one row, so that a query may contain it.
CREATE OR REPLACE FUNCTION premises_may_sell(p_terminal bigint, p_premises bigint, p_game text,
    p_at timestamptz) RETURNS TABLE (refusal text) LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN NOT EXISTS (
            SELECT FROM premises_authorisation a
             WHERE a.premises_id = p_premises AND a.game = p_game AND a.valid_from <= p_at
               AND (a.valid_until IS NULL OR a.valid_until > p_at)) THEN 'premises_not_authorised'
        WHEN EXISTS (
            SELECT FROM premises_suspension s
             WHERE s.lifted_at IS NULL
               AND (s.premises_id IS NULL OR s.premises_id = p_premises)
               AND (s.terminal_id IS NULL OR s.terminal_id = p_terminal)) THEN 'sales_suspended'
    END
$$;
