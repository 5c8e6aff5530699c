-- Record a look of an operator at a terminal, as an act of its own, unless there is one within that
-- time. `recorded` says whether it was recorded now; an earlier look is on the disk when this ends.
-- The act in progress goes on afterwards. Looks that wait at the same time are one statement
-- (core/database/together.py).
CREATE OR REPLACE FUNCTION looks_by_operator(
    p_act text, p_door text, p_terminal bigint, p_operator bigint, p_kind text, p_subject text,
    p_asked text, p_within interval, OUT recorded boolean) LANGUAGE plpgsql AS $$
DECLARE
    v_before text := coalesce(current_setting('core.act', true), '');
    v_now timestamptz := core_now();
    v_done text;
BEGIN
    recorded := NOT EXISTS (SELECT FROM looks_look l
        WHERE l.kind = p_kind AND l.subject = p_subject AND l.operator_id = p_operator
          AND l.at > v_now - p_within);
    IF NOT recorded THEN
        IF NOT pg_is_in_recovery() THEN
            v_done := core_on_disk();
        END IF;
        RETURN;
    END IF;
    v_done := set_config('core.act', p_act, true);
    INSERT INTO looks_look (at, door, terminal_id, operator_id, kind, subject, asked)
    VALUES (v_now, p_door, p_terminal, p_operator, p_kind, p_subject, p_asked);
    v_done := set_config('core.act', v_before, true);
END $$;

SELECT core_each('looks_by_operator');
