-- Name an act for the journal where the request has named none: a request that only reads has not.
CREATE OR REPLACE FUNCTION premises_act_name(p_name text, p_terminal bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('core.act', true), '') IN ('', '|||||') THEN
        PERFORM set_config('core.act', concat_ws('|', p_name, '', '', p_terminal), true);
    END IF;
END $$;

-- Replace the terminal's token by a rolled one at its first use, and keep the digest of the old one.
-- Return whether the token is now a terminal's.
CREATE OR REPLACE FUNCTION premises_token_take(p_token bytea) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_terminal record;
BEGIN
    SELECT t.id, t.token_digest INTO v_terminal FROM premises_terminal t
     WHERE t.next_token_digest = p_token FOR NO KEY UPDATE;
    IF NOT FOUND THEN  -- unless another request took it while this one waited
        RETURN EXISTS (SELECT FROM premises_terminal t WHERE t.token_digest = p_token);
    END IF;
    PERFORM premises_act_name('terminal.token', v_terminal.id);
    IF v_terminal.token_digest IS NOT NULL THEN
        INSERT INTO premises_formertoken (terminal_id, token_digest, replaced_at)
        VALUES (v_terminal.id, v_terminal.token_digest, core_now());
    END IF;
    UPDATE premises_terminal
       SET token_digest = p_token, token_expires_at = next_token_expires_at,
           next_token_digest = NULL, next_token_expires_at = NULL
     WHERE id = v_terminal.id;
    RETURN true;
END $$;

-- Close a terminal whose token somebody else holds, until it is enrolled again.
CREATE OR REPLACE FUNCTION premises_copy_seen(p_terminal bigint, p_sign text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_now timestamptz := core_now();
BEGIN
    PERFORM premises_act_name('terminal.copy', p_terminal);
    UPDATE premises_terminal SET copied_at = v_now WHERE id = p_terminal AND copied_at IS NULL;
    IF FOUND THEN
        INSERT INTO premises_terminalcopy (terminal_id, sign, seen_at)
        VALUES (p_terminal, p_sign, v_now);
    END IF;
END $$;

-- Return the refusal of a token that is no terminal's now. One that was replaced since the enrolment
-- is used by a copy of the terminal: the machine itself has the newer one. Requests that were under way
-- when the token was replaced are refused and mean nothing, for a minute.
CREATE OR REPLACE FUNCTION premises_token_former(p_token bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_former record;
BEGIN
    SELECT f.terminal_id, f.replaced_at INTO v_former
      FROM premises_formertoken f JOIN premises_terminal t ON t.id = f.terminal_id
     WHERE f.token_digest = p_token AND f.replaced_at > t.enrolled_at;
    IF NOT FOUND THEN
        RETURN 'terminal_unknown';
    END IF;
    IF core_now() > v_former.replaced_at + interval '1 minute' THEN
        PERFORM premises_copy_seen(v_former.terminal_id, 'replaced_token');
    END IF;
    RETURN 'token_replaced';
END $$;

-- Return a terminal by the digest of its token, and the operator's session there, or no row. Queries
-- contain it (core/premises/sql/may_sell.sql). `refusal` is that of the terminal, in the order of
-- precedence; `session_refusal` that of the session.
CREATE OR REPLACE FUNCTION premises_who(p_token bytea, p_session bytea, p_at timestamptz)
RETURNS TABLE (terminal_id bigint, premises_id bigint, premises_kind text, refusal text,
    operator_id bigint, session_id bigint, session_refusal text)
LANGUAGE sql STABLE ROWS 1 AS $$
    SELECT t.id, t.premises_id, p.kind,
           CASE WHEN t.revoked_at IS NOT NULL THEN 'terminal_revoked'
               WHEN t.copied_at IS NOT NULL THEN 'terminal_copied'
               WHEN t.token_expires_at <= coalesce(p_at, core_now()) THEN 'token_expired' END,
           s.operator_id, s.id,
           CASE WHEN s.id IS NULL THEN 'operator_session_unknown'
               WHEN s.ended_at IS NOT NULL OR NOT o.is_active
                    OR s.expires_at <= coalesce(p_at, core_now())
                   THEN 'operator_session_expired' END
      FROM premises_terminal t
      JOIN premises_premises p ON p.id = t.premises_id
      LEFT JOIN (premises_operatorsession s JOIN premises_operator o ON o.id = s.operator_id)
        ON s.token_digest = p_session AND s.terminal_id = t.id
     WHERE t.token_digest = p_token
$$;

-- Identify a terminal and its operator, and return the refusal if they may not act now. The checks
-- run in the order of precedence of their refusals. A terminal that may act is enough for a replay,
-- so that only the refusals `operator_session_...` are left; a new act needs a session of an
-- operator. `p_at` is the time of the act if the caller has read it.
CREATE OR REPLACE FUNCTION premises_identify(p_token bytea, p_session bytea,
    p_at timestamptz DEFAULT NULL,
    OUT refusal text, OUT terminal_id bigint, OUT premises_id bigint, OUT premises_kind text,
    OUT operator_id bigint, OUT session_id bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    v_who record;
BEGIN
    SELECT * INTO v_who FROM premises_who(
        p_token => p_token, p_session => p_session, p_at => p_at);
    IF NOT FOUND AND premises_token_take(p_token) THEN
        SELECT * INTO v_who FROM premises_who(
            p_token => p_token, p_session => p_session, p_at => p_at);
    END IF;
    terminal_id := v_who.terminal_id;
    premises_id := v_who.premises_id;
    premises_kind := v_who.premises_kind;
    IF terminal_id IS NULL THEN
        refusal := premises_token_former(p_token);
        RETURN;
    END IF;
    refusal := coalesce(v_who.refusal, v_who.session_refusal);
    IF refusal IS NULL THEN
        session_id := v_who.session_id;
        operator_id := v_who.operator_id;
    END IF;
END $$;

CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE OF ended_at ON premises_operatorsession
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION guard_ended();
