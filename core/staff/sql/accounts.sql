-- Power over the system is given by two administrators: an account, roles, a closed account opened
-- again, a password set for another person, the end of a second factor. While fewer than two
-- administrators have an open account, nobody could confirm: the console of the server makes them
-- (`manage.py staff_create`), and these checks wait.
CREATE OR REPLACE FUNCTION staff_two_administrators() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT count(*) >= 2 FROM staff_user u WHERE u.is_active AND 'administrator' = ANY (u.roles)
$$;

-- Return whether two persons confirmed a proposal of a kind whose content is at least this.
CREATE OR REPLACE FUNCTION staff_confirmed(p_proposal bigint, p_kind text, p_content jsonb)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
         WHERE p.id = p_proposal AND p.kind = p_kind AND d.verdict = 'confirmed'
           AND p.content @> p_content)
$$;

CREATE OR REPLACE FUNCTION staff_guard_account() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_user jsonb := jsonb_build_object('user', NEW.id);
    v_roles jsonb := jsonb_build_object('roles', to_jsonb(NEW.roles));
    v_new boolean := TG_OP = 'INSERT';
    v_own boolean := split_part(current_setting('core.act', true), '|', 2) = NEW.id::text;
    v_fresh boolean;
BEGIN
    IF NOT staff_two_administrators() THEN
        RETURN NEW;
    END IF;
    v_fresh := v_new OR NEW.given_id IS DISTINCT FROM OLD.given_id;
    IF v_new AND NOT staff_confirmed(
        p_proposal => NEW.given_id, p_kind => 'staff.account',
        p_content => jsonb_build_object('username', NEW.username) || v_roles)
       OR NOT v_new AND NEW.roles <> OLD.roles
       AND NOT (v_fresh AND staff_confirmed(
           p_proposal => NEW.given_id, p_kind => 'staff.roles', p_content => v_user || v_roles))
       OR NOT v_new AND NEW.is_active AND NOT OLD.is_active
       AND NOT (v_fresh AND staff_confirmed(
           p_proposal => NEW.given_id, p_kind => 'staff.reactivation', p_content => v_user))
       OR NOT v_new AND NEW.password <> OLD.password
       AND v_own IS NOT TRUE
       AND NOT (v_fresh AND staff_confirmed(
           p_proposal => NEW.given_id, p_kind => 'staff.password', p_content => v_user)) THEN
        RAISE EXCEPTION 'table %: two administrators are needed', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    -- A password that others set is good for changing it. "!" begins one that opens nothing.
    IF (v_new AND NEW.password NOT LIKE '!%' OR NOT v_new AND NEW.password <> OLD.password)
       AND v_own IS NOT TRUE AND NOT NEW.must_set_password
       OR NOT v_new AND OLD.must_set_password AND NOT NEW.must_set_password
       AND (v_own IS NOT TRUE OR NEW.password = OLD.password) THEN
        RAISE EXCEPTION 'table %: its person must set a password of their own', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- A person who is given anything waits before being a second person, from the decision on at least. The
-- first two administrators of a new system do not: nobody could be older.
CREATE OR REPLACE FUNCTION staff_guard_wait() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_waits boolean;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.given_id IS NOT DISTINCT FROM OLD.given_id THEN
        v_waits := NEW.second_from IS NOT DISTINCT FROM OLD.second_from;
    ELSIF NEW.given_id IS NULL THEN
        v_waits := TG_OP = 'INSERT' AND (NEW.second_from > core_now()
            OR NOT EXISTS (SELECT FROM staff_user u WHERE u.given_id IS NOT NULL)
               AND 2 > (SELECT count(*) FROM staff_user u
                         WHERE 'administrator' = ANY (u.roles)));
    ELSE
        v_waits := NEW.second_from >= (SELECT greatest(d.decided_at, OLD.second_from)
              FROM staff_decision d
             WHERE d.proposal_id = NEW.given_id AND d.verdict = 'confirmed');
    END IF;
    IF v_waits IS NOT TRUE THEN
        RAISE EXCEPTION 'table %: who is given anything waits before being a second person',
            TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION staff_guard_second_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT staff_confirmed(
        p_proposal => NEW.ending_id, p_kind => 'staff.second_factor',
        p_content => jsonb_build_object('user', NEW.user_id))
       OR NOT EXISTS (SELECT FROM staff_user u
                       WHERE u.id = NEW.user_id AND u.given_id = NEW.ending_id) THEN
        RAISE EXCEPTION 'table %: two administrators are needed', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT
    OR UPDATE OF roles, is_active, password, must_set_password
    ON staff_user FOR EACH ROW EXECUTE FUNCTION staff_guard_account();
CREATE OR REPLACE TRIGGER waits BEFORE INSERT OR UPDATE OF given_id, second_from
    ON staff_user FOR EACH ROW EXECUTE FUNCTION staff_guard_wait();
-- One's own secret that was never confirmed ends when another is begun.
CREATE OR REPLACE TRIGGER two_persons BEFORE UPDATE OF ended_at ON staff_secondfactor
    FOR EACH ROW WHEN (OLD.confirmed_at IS NOT NULL AND NEW.ended_at IS NOT NULL)
    EXECUTE FUNCTION staff_guard_second_factor();

-- Keep a person's password under another key or at other costs. They have just given it, so it is an
-- act of theirs, also where nobody is signed on yet. Return false if another password replaced it.
CREATE OR REPLACE FUNCTION staff_password_renew(p_user bigint, p_before text, p_after text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_act text := coalesce(current_setting('core.act', true), '');
    v_renewed boolean;
    v_done text;
BEGIN
    v_done := set_config('core.act', concat_ws('|', 'staff.password_renewal', p_user), true);
    UPDATE staff_user u SET password = p_after WHERE u.id = p_user AND u.password = p_before;
    v_renewed := FOUND;
    v_done := set_config('core.act', v_act, true);
    RETURN v_renewed;
END $$;

-- What waits with a proposal for its decision is erased, and never replaced: otherwise who writes to the
-- database would choose what the second person confirms.
CREATE OR REPLACE FUNCTION staff_guard_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.password <> '' OR NEW.name_key IS NOT NULL THEN
        RAISE EXCEPTION 'table %: a password that waits is only erased, with the key of the name',
            TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER erased BEFORE UPDATE OF password, name_key ON staff_newpassword
    FOR EACH ROW EXECUTE FUNCTION staff_guard_waiting();

-- A session or a second factor that has ended never comes back, or a thief's would, of somebody who was dismissed.
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE OF ended_at ON staff_staffsession
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION guard_ended();
CREATE OR REPLACE TRIGGER stays_ended BEFORE UPDATE OF ended_at ON staff_secondfactor
    FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL) EXECUTE FUNCTION guard_ended();
