-- Enforce the order of the steps of a public draw, and who may take them, independently of the
-- services (14.III.5.4.4) [B16]: where and when it was announced, no entropy before the commitment
-- and none but as committed to, no second outcome, and only an inspector who attends, and neither
-- announced nor committed, enters it and certifies. Nothing but the inspector's decision makes balls
-- void that were entered.
CREATE OR REPLACE FUNCTION draws_state(p_draw bigint) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT state FROM draws_draw WHERE id = p_draw
$$;

CREATE OR REPLACE FUNCTION draws_refuse(p_why text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'public draw: %', p_why USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE FUNCTION draws_guard_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.state = 'committed' AND NOT EXISTS (
           SELECT FROM draws_commitment WHERE draw_id = NEW.id)
       OR NEW.state = 'drawn' AND NOT EXISTS (
           SELECT FROM draws_outcome WHERE draw_id = NEW.id)
       OR NEW.state = 'certified' AND NOT EXISTS (
           SELECT FROM draws_drawcertificate WHERE draw_id = NEW.id)
       OR NEW.state = 'abandoned' AND NOT EXISTS (
           SELECT FROM draws_abandonment WHERE draw_id = NEW.id)
       OR NEW.state = 'called_off' AND NOT EXISTS (
           SELECT FROM draws_calloff WHERE draw_id = NEW.id) THEN
        PERFORM draws_refuse(format('nothing on record makes it %s', NEW.state));
    END IF;
    RETURN NEW;
END $$;

-- Return the draws whose announcements may count for what was drawn at an instant: the draw, and
-- those of its subject that were committed to only later, and abandoned.
CREATE OR REPLACE FUNCTION draws_announcing(p_draw bigint, p_at timestamptz) RETURNS SETOF bigint
LANGUAGE sql STABLE AS $$
    SELECT p_draw
     UNION ALL
    SELECT e.id FROM draws_draw d
      JOIN draws_draw e ON e.kind = d.kind AND e.subject = d.subject AND e.state = 'abandoned'
      JOIN draws_commitment c ON c.draw_id = e.id AND c.committed_at > p_at
     WHERE d.id = p_draw
$$;

-- Return the announcement of a draw that was the newest at an instant.
CREATE OR REPLACE FUNCTION draws_announced(p_draw bigint, p_at timestamptz)
RETURNS draws_announcement LANGUAGE sql STABLE AS $$
    SELECT a FROM draws_announcement a
     WHERE a.draw_id IN (SELECT draws_announcing(p_draw, p_at)) AND a.announced_at <= p_at
     ORDER BY a.id DESC LIMIT 1
$$;

-- Return whether it was announced only after an announced time of the draw had come.
CREATE OR REPLACE FUNCTION draws_announced_late(p_announcement bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT coalesce(bool_or(planned_at <= anew_at), false)
      FROM (SELECT a.planned_at, lead(a.announced_at) OVER (ORDER BY a.id) AS anew_at
              FROM draws_announcement a JOIN draws_announcement n ON n.id = p_announcement
             WHERE a.draw_id = n.draw_id AND a.id <= n.id) AS each
$$;

CREATE OR REPLACE FUNCTION draws_attends(p_draw bigint, p_user bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM draws_attendance WHERE draw_id = p_draw AND inspector_id = p_user)
$$;

-- Refuse an act of an inspector whose account was given anything shortly before: the person who gave it
-- may hold the account.
CREATE OR REPLACE FUNCTION draws_need_old(p_user bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM staff_user u WHERE u.id = p_user AND u.second_from > core_now()) THEN
        PERFORM draws_refuse('an inspector acts whose account is not new');
    END IF;
END $$;

-- Refuse a draw at an instant that is not where and when it was announced then. A later announcement
-- makes no balls void, unless an inspector has said why it counts instead.
CREATE OR REPLACE FUNCTION draws_need_announced(p_draw bigint, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE told draws_announcement := draws_announced(p_draw, p_at);
BEGIN
    IF told.planned_at IS NULL OR p_at < told.planned_at THEN
        PERFORM draws_refuse('it is not before its newest announced time');
    END IF;
    IF EXISTS (SELECT FROM draws_announcement n
                 JOIN draws_placereason r ON r.announcement_id = n.id
                WHERE n.draw_id IN (SELECT draws_announcing(p_draw, p_at)) AND n.id > told.id) THEN
        PERFORM draws_refuse('an inspector has said why a later announcement counts');
    END IF;
    IF EXISTS (SELECT FROM draws_placereason r WHERE r.announcement_id = told.id) THEN
        RETURN;
    END IF;
    IF told.office_id IS NULL THEN
        PERFORM draws_refuse('it is at a Central Office, or an inspector says why it is not');
    END IF;
    IF draws_announced_late(told.id) THEN
        PERFORM draws_refuse('it was announced in time, or an inspector says why it was not');
    END IF;
END $$;

-- Join byte strings, each after its length in eight bytes, as the method of the draw does.
CREATE OR REPLACE FUNCTION draws_framed(VARIADIC p_parts bytea[]) RETURNS bytea
LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(int8send(octet_length(part)::bigint) || part, ''::bytea ORDER BY n)
      FROM unnest(p_parts) WITH ORDINALITY AS each (part, n)
$$;

-- Return whether a secret is the one that the draw's commitment binds.
CREATE OR REPLACE FUNCTION draws_secret_opens(p_draw bigint, p_secret bytea) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM draws_commitment c
          JOIN draws_draw d ON d.id = c.draw_id
          JOIN draws_drawfield f ON f.draw_id = c.draw_id
         WHERE c.draw_id = p_draw AND c.digest = sha256(draws_framed(
                   'draw/commitment/1', convert_to(d.uuid::text, 'UTF8'), f.digest,
                   convert_to(concat_ws(' ', c.source, c.pieces), 'UTF8'), p_secret)))
$$;

-- Return whether balls of a draw are entered, and neither confirmed nor rejected.
CREATE OR REPLACE FUNCTION draws_balls_wait(p_draw bigint) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (
        SELECT FROM draws_draw d JOIN staff_proposal p ON p.subject = 'draw:' || d.uuid
         WHERE d.id = p_draw AND p.kind = 'draws.manual' AND NOT p.decided
           AND p.good_until >= core_now())
$$;

-- Return whether the draw of a subject has begun: its field is fixed, or its balls wait.
CREATE OR REPLACE FUNCTION draws_begun(p_kind text, p_subject text) RETURNS boolean
LANGUAGE sql VOLATILE AS $$
    SELECT EXISTS (
        SELECT FROM draws_draw d
         WHERE d.kind = p_kind AND d.subject = p_subject
           AND d.state NOT IN ('called_off', 'abandoned')
           AND (d.state <> 'announced' OR draws_balls_wait(d.id)))
$$;

CREATE OR REPLACE FUNCTION draws_guard_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_balls_wait(NEW.draw_id) THEN
        PERFORM draws_refuse('its balls wait for the inspector');
    END IF;
    RETURN NEW;
END $$;

-- Everybody has seen these balls: an inspector alone rejects them before they are too old, also where
-- the account of who entered them was closed.
CREATE OR REPLACE FUNCTION draws_guard_rejection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM staff_proposal p
                WHERE p.id = NEW.proposal_id AND p.kind = 'draws.manual'
                  AND p.good_until >= core_now())
       AND NOT EXISTS (SELECT FROM staff_user u
                        WHERE u.id = NEW.decided_by_id AND 'inspector' = ANY (u.roles)) THEN
        PERFORM draws_refuse('only an inspector rejects balls that were entered');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_announcement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'announced' OR draws_attends(NEW.draw_id, NEW.announced_by_id)
       OR NEW.planned_at < NEW.announced_at + NEW.notice_s * interval '1 second' THEN
        PERFORM draws_refuse('it is announced ahead, before the commitment, by no inspector of it');
    END IF;
    IF NEW.office_id IS NOT NULL AND NOT EXISTS (
           SELECT FROM premises_premises p
            WHERE p.id = NEW.office_id AND p.kind = 'central_office') THEN
        PERFORM draws_refuse('the office is a Central Office');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_placereason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM draws_announcement n
          JOIN draws_attendance a ON a.id = NEW.attendance_id AND a.draw_id = n.draw_id
          JOIN staff_staffsession s ON s.id = NEW.session_id AND s.user_id = a.inspector_id
         WHERE n.id = NEW.announcement_id AND n.place <> ''
           AND (n.office_id IS NULL OR draws_announced_late(n.id))
           AND draws_state(n.draw_id) = 'announced') THEN
        PERFORM draws_refuse('an inspector who attends says why it is not at a Central Office');
    END IF;
    PERFORM draws_need_old((
        SELECT a.inspector_id FROM draws_attendance a WHERE a.id = NEW.attendance_id));
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_attendance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM staff_user u JOIN staff_staffsession s ON s.user_id = u.id
         WHERE u.id = NEW.inspector_id AND s.id = NEW.session_id AND NEW.appointment <> ''
           AND u.appointment = NEW.appointment AND 'inspector' = ANY (u.roles)
           AND coalesce(u.second_from <= core_now(), true)) THEN
        PERFORM draws_refuse('only an appointed inspector attends, whose account is not new');
    END IF;
    IF draws_state(NEW.draw_id) IN ('certified', 'called_off', 'abandoned') THEN
        PERFORM draws_refuse('it is over');
    END IF;
    IF EXISTS (SELECT FROM draws_announcement n
                WHERE n.draw_id = NEW.draw_id AND n.announced_by_id = NEW.inspector_id)
       OR EXISTS (SELECT FROM draws_commitment c
                WHERE c.draw_id = NEW.draw_id AND c.committed_by_id = NEW.inspector_id) THEN
        PERFORM draws_refuse('its inspector neither announced it nor committed to it');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_commitment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'announced' THEN
        PERFORM draws_refuse('it is committed once, before anything is drawn');
    END IF;
    IF NOT EXISTS (SELECT FROM draws_attendance a WHERE a.draw_id = NEW.draw_id)
       OR NOT EXISTS (SELECT FROM draws_drawfield f WHERE f.draw_id = NEW.draw_id) THEN
        PERFORM draws_refuse('an inspector and a fixed field come first');
    END IF;
    IF draws_attends(NEW.draw_id, NEW.committed_by_id) THEN
        PERFORM draws_refuse('its inspector neither announced it nor committed to it');
    END IF;
    PERFORM draws_need_announced(NEW.draw_id, NEW.committed_at);
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE told draws_announcement := draws_announced(NEW.draw_id, NEW.drawn_at);
BEGIN
    IF NEW.method = 'computed' AND NOT (
           draws_state(NEW.draw_id) = 'committed' AND EXISTS (
               SELECT FROM draws_commitment c
                WHERE c.draw_id = NEW.draw_id AND c.committed_at < NEW.drawn_at)) THEN
        PERFORM draws_refuse('entropy is entered after the commitment, once');
    END IF;
    IF NEW.method = 'computed' AND NOT (
           draws_secret_opens(NEW.draw_id, NEW.secret) AND EXISTS (
               SELECT FROM draws_commitment c
                WHERE c.draw_id = NEW.draw_id AND c.source = NEW.source
                  AND (c.pieces IS NULL OR c.pieces = cardinality(
                           string_to_array(NEW.entropy, ' '))))) THEN
        PERFORM draws_refuse('its secret, and the dice or balls, are those committed to');
    END IF;
    IF NEW.method = 'balls' AND NOT (
           draws_state(NEW.draw_id) = 'announced' AND EXISTS (
               SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
                WHERE p.id = NEW.proposal_id AND p.kind = 'draws.manual'
                  AND d.verdict = 'confirmed')) THEN
        PERFORM draws_refuse('a draw by hand is entered by two persons, before any commitment');
    END IF;
    IF NOT draws_attends(NEW.draw_id, NEW.entered_by_id) THEN
        PERFORM draws_refuse('an inspector who attends enters it');
    END IF;
    PERFORM draws_need_old(NEW.entered_by_id);
    IF NEW.place IS DISTINCT FROM told.place THEN
        PERFORM draws_refuse('it is at its newest announced place');
    END IF;
    PERFORM draws_need_announced(NEW.draw_id, NEW.drawn_at);
    IF NOT EXISTS (SELECT FROM draws_drawfield f WHERE f.draw_id = NEW.draw_id
                    AND jsonb_array_length(NEW."order") = f.places) THEN
        PERFORM draws_refuse('the order is not of its field');
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_certificate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'drawn' OR NOT EXISTS (
        SELECT FROM draws_attendance a JOIN staff_staffsession s ON s.user_id = a.inspector_id
         WHERE a.id = NEW.attendance_id AND a.draw_id = NEW.draw_id AND s.id = NEW.session_id) THEN
        PERFORM draws_refuse('only an attending inspector certifies, once it is drawn');
    END IF;
    PERFORM draws_need_old((
        SELECT a.inspector_id FROM draws_attendance a WHERE a.id = NEW.attendance_id));
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION draws_guard_calloff() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'announced' THEN
        PERFORM draws_refuse('what is committed to is not called off');
    END IF;
    RETURN NEW;
END $$;

-- Only the inspector who proposed it and an organiser abandon a draw, and with its true secret.
CREATE OR REPLACE FUNCTION draws_guard_abandonment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF draws_state(NEW.draw_id) <> 'committed' OR NOT draws_secret_opens(NEW.draw_id, NEW.secret)
       OR NOT staff_second_is(NEW.proposal_id, 'organiser') OR NOT EXISTS (
        SELECT FROM staff_proposal p
          JOIN draws_attendance a ON a.id = NEW.attendance_id AND a.draw_id = NEW.draw_id
         WHERE p.id = NEW.proposal_id AND p.kind = 'draws.abandonment'
           AND p.proposed_by_id = a.inspector_id) THEN
        PERFORM draws_refuse('inspector and organiser abandon it, and publish its secret');
    END IF;
    PERFORM draws_need_old((
        SELECT a.inspector_id FROM draws_attendance a WHERE a.id = NEW.attendance_id));
    RETURN NEW;
END $$;

-- Balls are entered, and a draw is abandoned, as two persons named it.
CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r draws_outcome) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT staff_same(p.content, to_jsonb(r), 'order', 'witness', 'cause')
       AND (p.content ->> 'drawn_at')::timestamptz = r.drawn_at
       AND p.content ->> 'draw' = (SELECT d.uuid::text FROM draws_draw d WHERE d.id = r.draw_id)
$$;

CREATE OR REPLACE FUNCTION staff_proposes(p staff_proposal, r draws_abandonment) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT p.content ->> 'reason' = r.reason
       AND p.content ->> 'draw' = (SELECT d.uuid::text FROM draws_draw d WHERE d.id = r.draw_id)
$$;

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON draws_outcome
    FOR EACH ROW WHEN (NEW.proposal_id IS NOT NULL)
    EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'draws.manual');
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON draws_abandonment
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'draws.abandonment');
CREATE OR REPLACE TRIGGER draw_steps BEFORE UPDATE OF state ON draws_draw
    FOR EACH ROW EXECUTE FUNCTION draws_guard_state();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_announcement
    FOR EACH ROW EXECUTE FUNCTION draws_guard_announcement();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_placereason
    FOR EACH ROW EXECUTE FUNCTION draws_guard_placereason();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_attendance
    FOR EACH ROW EXECUTE FUNCTION draws_guard_attendance();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_commitment
    FOR EACH ROW EXECUTE FUNCTION draws_guard_commitment();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_outcome
    FOR EACH ROW EXECUTE FUNCTION draws_guard_outcome();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_drawcertificate
    FOR EACH ROW EXECUTE FUNCTION draws_guard_certificate();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_calloff
    FOR EACH ROW EXECUTE FUNCTION draws_guard_calloff();
CREATE OR REPLACE TRIGGER draw_steps BEFORE INSERT ON draws_abandonment
    FOR EACH ROW EXECUTE FUNCTION draws_guard_abandonment();
CREATE OR REPLACE TRIGGER balls_wait BEFORE INSERT ON draws_announcement
    FOR EACH ROW EXECUTE FUNCTION draws_guard_waiting();
CREATE OR REPLACE TRIGGER balls_wait BEFORE INSERT ON draws_commitment
    FOR EACH ROW EXECUTE FUNCTION draws_guard_waiting();
CREATE OR REPLACE TRIGGER balls_wait BEFORE INSERT ON draws_calloff
    FOR EACH ROW EXECUTE FUNCTION draws_guard_waiting();
CREATE OR REPLACE TRIGGER balls_rejected BEFORE INSERT ON staff_decision
    FOR EACH ROW WHEN (NEW.verdict = 'rejected') EXECUTE FUNCTION draws_guard_rejection();
