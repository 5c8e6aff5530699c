-- Record a look of an operator at a terminal, as an act of its own, unless there is one within that
-- time. Return whether it was recorded. The act in progress goes on afterwards.
CREATE OR REPLACE FUNCTION looks_by_operator(
    p_act text, p_door text, p_terminal bigint, p_operator bigint, p_kind text, p_subject text,
    p_asked text, p_within interval) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_before text := coalesce(current_setting('core.act', true), '');
BEGIN
    IF EXISTS (SELECT FROM looks_look
                WHERE kind = p_kind AND subject = p_subject AND operator_id = p_operator
                  AND at > core_now() - p_within) THEN
        RETURN false;
    END IF;
    PERFORM set_config('core.act', p_act, true);
    INSERT INTO looks_look (at, door, terminal_id, operator_id, kind, subject, asked)
    VALUES (core_now(), p_door, p_terminal, p_operator, p_kind, p_subject, p_asked);
    PERFORM set_config('core.act', v_before, true);
    RETURN true;
END $$;
