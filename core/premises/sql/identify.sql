-- Replace the terminal's token by a rolled one at its first use. Return whether the token is one.
-- A request that only reads has named no act, so this function names one for the journal.
CREATE OR REPLACE FUNCTION premises_token_take(p_token bytea) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_terminal bigint;
BEGIN
    SELECT t.id INTO v_terminal FROM premises_terminal t WHERE t.next_token_digest = p_token;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF coalesce(current_setting('core.act', true), '') IN ('', '|||||') THEN
        PERFORM set_config('core.act', concat_ws('|', 'terminal.token', '', '', v_terminal), true);
    END IF;
    UPDATE premises_terminal SET token_digest = p_token, next_token_digest = NULL
     WHERE id = v_terminal AND next_token_digest = p_token;
    RETURN true;
END $$;

-- Identify a terminal and its operator, and return the refusal if they may not act now. The checks
-- run in the order of precedence of their refusals. A known terminal is enough for a replay; a new
-- act needs a session of an operator. `p_at` is the time of the act if the caller has read it.
CREATE OR REPLACE FUNCTION premises_identify(p_token bytea, p_session bytea,
    p_at timestamptz DEFAULT NULL,
    OUT refusal text, OUT terminal_id bigint, OUT premises_id bigint, OUT premises_kind text,
    OUT operator_id bigint, OUT session_id bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_session record;
BEGIN
    SELECT t.id, t.premises_id, p.kind, CASE WHEN t.revoked_at IS NOT NULL THEN 'terminal_revoked' END
      INTO terminal_id, premises_id, premises_kind, refusal
      FROM premises_terminal t JOIN premises_premises p ON p.id = t.premises_id
     WHERE t.token_digest = p_token;
    IF NOT FOUND AND premises_token_take(p_token) THEN
        SELECT * INTO refusal, terminal_id, premises_id, premises_kind, operator_id, session_id
          FROM premises_identify(p_token, p_session, p_at);
        RETURN;
    END IF;
    IF terminal_id IS NULL THEN
        refusal := 'terminal_unknown';
    END IF;
    IF refusal IS NOT NULL THEN
        RETURN;
    END IF;
    SELECT s.id, s.operator_id, s.ended_at, s.expires_at, o.is_active
      INTO v_session
      FROM premises_operatorsession s JOIN premises_operator o ON o.id = s.operator_id
     WHERE s.token_digest = p_session AND s.terminal_id = premises_identify.terminal_id;
    IF NOT FOUND THEN
        refusal := 'operator_session_unknown';
    ELSIF v_session.ended_at IS NOT NULL OR NOT v_session.is_active
          OR v_session.expires_at <= coalesce(p_at, core_now()) THEN
        refusal := 'operator_session_expired';
    ELSE
        session_id := v_session.id;
        operator_id := v_session.operator_id;
    END IF;
END $$;
