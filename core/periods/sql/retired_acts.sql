-- An act leaves with its month when each row that it wrote has left.

-- Return the acts from one transaction to another of which a row is there; with p_stays only those
-- of a row that stays for good. An act is retired after all its rows of tables that retire. Where rows of a
-- table leave months after their acts, these stay: its function `<name>_acts` returns those of rows that left.
CREATE OR REPLACE FUNCTION periods_acts_of_rows(p_first bigint, p_last bigint, p_stays boolean)
RETURNS SETOF bigint LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_table record;
BEGIN
    FOR v_table IN
        SELECT c.relname AS name,
               EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = c.oid
                          AND g.tgfoid = to_regproc('public.guard_retired')) AS retires,
               to_regprocedure(format('public.%I(bigint)', c.relname || '_leaves')) IS NOT NULL
                   AS asks,
               to_regprocedure(format('public.%I(bigint, bigint)', c.relname || '_acts')) IS NOT NULL
                   AS acts_stay
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p')
           AND a.attname = 'journal_xid' AND NOT a.attisdropped AND c.relname <> 'journal_act' LOOP
        IF v_table.acts_stay THEN
            RETURN QUERY EXECUTE format('SELECT public.%I($1, $2)', v_table.name || '_acts')
                USING p_first, p_last;
        END IF;
        IF NOT (p_stays AND v_table.retires) OR v_table.acts_stay THEN
            RETURN QUERY EXECUTE format('SELECT t.journal_xid FROM public.%I t'
                ' WHERE t.journal_xid BETWEEN $1 AND $2', v_table.name) USING p_first, p_last;
        ELSE
            RETURN QUERY EXECUTE format('SELECT t.journal_xid FROM public.%I t'
                ' WHERE t.journal_xid BETWEEN $1 AND $2 AND NOT %s', v_table.name,
                CASE WHEN v_table.asks THEN format('public.%I(t.id)', v_table.name || '_leaves')
                     ELSE 'true' END) USING p_first, p_last;
        END IF;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION journal_act_staying(p_first bigint, p_last bigint) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
    SELECT public.periods_acts_of_rows(p_first => p_first, p_last => p_last, p_stays => true)
$$;

-- Refuse to delete an act of which a row is there.
CREATE OR REPLACE FUNCTION periods_guard_acts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_act bigint;
BEGIN
    SELECT g.journal_xid INTO v_act FROM gone g
     WHERE g.journal_xid IN (SELECT public.periods_acts_of_rows(
               p_first => (SELECT min(journal_xid) FROM gone),
               p_last => (SELECT max(journal_xid) FROM gone), p_stays => false));
    IF FOUND THEN
        RAISE EXCEPTION 'act %: a row of it is there', v_act USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER without_rows AFTER DELETE ON journal_act REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION periods_guard_acts();
