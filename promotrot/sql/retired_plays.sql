-- Plays that won nothing leave with their month, each ticket with its end (ADR 91). Of each of them its
-- reference stays, with its place in the emission and the day and terminal of its sale: it may still be drawn
-- when its game ends [P17], every sum of sales counts it, and the list of the emission's tickets has it.

-- Return whether nobody has a right on a play any more but in the draw of its game: it ended in the month
-- of its sale and won nothing, its emission was over when its month was retired, and no other row names it.
-- None of this changes after the retirement. The public log says which came first: one transaction at a time
-- publishes, while the numbers of transactions do not say in which order they ended.
-- Of plays that stay for good, most have a voucher, and each is asked again in every sum: so that is looked
-- at first.
CREATE OR REPLACE FUNCTION promotrot_play_over(p_ticket bigint) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM public.promotrot_voucher v WHERE v.ticket_id = p_ticket) THEN
        RETURN false;
    END IF;
    RETURN EXISTS (
        SELECT FROM public.promotrot_playticket t
          JOIN public.promotrot_playend e ON e.ticket_id = t.id
          JOIN public.promotrot_emission m ON m.id = t.emission_id
          JOIN public.promotrot_closingstatement c ON c.emission_id = m.id
          JOIN public.proofs_logentry closing
            ON closing.kind = 'promotrot.closing' AND closing.subject = m.reference
          LEFT JOIN public.promotrot_commitment k ON k.emission_id = m.id
          LEFT JOIN (public.promotrot_seedreveal s JOIN public.proofs_logentry revealing
            ON revealing.kind = 'promotrot.seed') ON s.emission_id = m.id AND revealing.subject = m.reference
         WHERE t.id = p_ticket AND e.cause IN ('played', 'unfinished')
           AND e.tier + e.extra_tier = 0 AND e.awarded_cents + e.extra_cents = 0
           AND public.periods_together(
                   p_relation => 'promotrot_playend', p_row => e.id,
                   p_with_relation => 'promotrot_playticket', p_with_row => t.id)
           AND public.promotrot_ended_in_month(t.id)
           AND (k.id IS NULL OR s.id IS NOT NULL)
           AND NOT EXISTS (
               SELECT FROM public.periods_retiredrows d
                 JOIN public.periods_retirement r ON r.id = d.retirement_id
                 JOIN public.proofs_logentry retired ON retired.id = r.entry_id
                WHERE d.relation = 'promotrot_playticket'
                  AND t.id BETWEEN d.first_row AND d.last_row
                  AND retired.sequence < greatest(closing.sequence, revealing.sequence)))
       AND NOT EXISTS (SELECT FROM public.promotrot_playmove m WHERE m.ticket_id = p_ticket)
       AND NOT EXISTS (SELECT FROM public.promotrot_officeend o WHERE o.ticket_id = p_ticket);
END $$;

-- Return whether a retired ticket leaves. A ticket that is gone has left.
CREATE OR REPLACE FUNCTION promotrot_playticket_leaves(p_ticket bigint) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF EXISTS (SELECT FROM public.promotrot_playticket t WHERE t.id = p_ticket) THEN
        RETURN public.promotrot_play_over(p_ticket => p_ticket);
    END IF;
    RETURN EXISTS (SELECT FROM public.periods_retiredrows r
                    WHERE r.relation = 'promotrot_playticket'
                      AND p_ticket BETWEEN r.first_row AND r.last_row);
END $$;

-- Return whether a retired end leaves: its ticket leaves with it.
CREATE OR REPLACE FUNCTION promotrot_playend_leaves(p_end bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM public.promotrot_playend e
                    WHERE e.id = p_end
                      AND public.periods_together(
                              p_relation => 'promotrot_playend', p_row => e.id,
                              p_with_relation => 'promotrot_playticket', p_with_row => e.ticket_id)
                      AND public.promotrot_playticket_leaves(p_ticket => e.ticket_id))
$$;

-- Delete the ends of tickets that left, in the same statement: a ticket without its end would count as
-- unfinished. The owner's trigger decides about each end.
CREATE OR REPLACE FUNCTION promotrot_take_ends() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM public.promotrot_playend e USING gone g WHERE e.ticket_id = g.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER with_ends AFTER DELETE ON promotrot_playticket REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION promotrot_take_ends();

-- Refuse to delete an end whose ticket is there.
CREATE OR REPLACE FUNCTION promotrot_guard_end_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.promotrot_playticket t WHERE t.id = OLD.ticket_id) THEN
        RAISE EXCEPTION 'end %: its play is there', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER with_ticket AFTER DELETE ON promotrot_playend
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_end_alone();

-- Refuse to retire an end whose ticket is not retired yet: nobody knows whether that leaves.
CREATE OR REPLACE FUNCTION promotrot_guard_after_plays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM promotrot_playend e
         WHERE e.id BETWEEN NEW.first_row AND NEW.last_row
           AND e.ticket_id > coalesce((SELECT max(r.last_row) FROM periods_retiredrows r
                                        WHERE r.relation = 'promotrot_playticket'), 0)) THEN
        RAISE EXCEPTION '% % to %: a play of them is not retired', NEW.relation, NEW.first_row,
            NEW.last_row USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER after_plays AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'promotrot_playend')
    EXECUTE FUNCTION promotrot_guard_after_plays();

-- Show the plays that left, a row for each.
CREATE OR REPLACE VIEW promotrot_left_plays AS
SELECT r.emission_id, r.retired_id, r.day, u.opening, u.position, u.premises_id, u.terminal_id, u.uuid
  FROM promotrot_retiredplays r
 CROSS JOIN LATERAL unnest(r.openings, r.positions, r.premises, r.terminals, r.plays)
       u(opening, position, premises_id, terminal_id, uuid);

-- Return the play that left under a UUID, if one did. A new sale has a UUID of its last three days, which
-- may be minutes ahead: so few days are looked through.
CREATE OR REPLACE FUNCTION promotrot_left_play(p_uuid uuid, OUT emission_id bigint,
    OUT retired_id bigint, OUT day date, OUT premises_id bigint, OUT terminal_id bigint)
RETURNS SETOF record LANGUAGE sql STABLE AS $$
    SELECT r.emission_id, r.retired_id, r.day, u.premises_id, u.terminal_id
      FROM (SELECT (to_timestamp(public.premises_request_ms(p_uuid) / 1000.0)
                    AT TIME ZONE 'Europe/Madrid')::date AS made) d
      JOIN public.promotrot_retiredplays r ON r.day BETWEEN d.made - 1 AND d.made + 4
     CROSS JOIN LATERAL unnest(r.premises, r.terminals, r.plays) u(premises_id, terminal_id, uuid)
     WHERE p_uuid = ANY (r.plays) AND u.uuid = p_uuid
$$;

-- Refuse a row that has not up to 512 plays, each with its place, premises and terminal. An array that is too
-- short ends in NULL.
CREATE OR REPLACE FUNCTION promotrot_guard_left_plays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT cardinality(NEW.plays) BETWEEN 1 AND 512 OR EXISTS (
        SELECT FROM unnest(NEW.openings, NEW.positions, NEW.premises, NEW.terminals, NEW.plays)
               u(opening, position, premises, terminal, play)
         WHERE (u.opening >= 0 AND u.position >= 0 AND u.premises > 0 AND u.terminal > 0
                AND u.play IS NOT NULL) IS NOT TRUE) THEN
        RAISE EXCEPTION 'emission %: these are no plays that left', NEW.emission_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER plays AFTER INSERT OR UPDATE ON promotrot_retiredplays
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_left_plays();

-- Write down the plays that leave, in the transaction that retires them, and refuse another number than
-- was published. A draw that gives a prize to one of them holds its game. It is not waited for: it may
-- itself wait for the public log, which this transaction holds.
CREATE OR REPLACE FUNCTION promotrot_keep_plays() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_game bigint;
    v_kept bigint;
BEGIN
    FOR v_game IN
        SELECT DISTINCT m.game_id FROM public.promotrot_playticket t
          JOIN public.promotrot_emission m ON m.id = t.emission_id
         WHERE t.id BETWEEN NEW.first_row AND NEW.last_row ORDER BY 1 LOOP
        IF NOT pg_try_advisory_xact_lock({lock.game}, (v_game & 2147483647)::integer) THEN
            RAISE EXCEPTION 'game %: an act on it is under way', v_game
                USING ERRCODE = 'lock_not_available';
        END IF;
    END LOOP;
    WITH leaving AS MATERIALIZED (
        SELECT t.emission_id, (t.sold_at AT TIME ZONE 'Europe/Madrid')::date AS day, t.opening,
               t.position, t.premises_id, t.terminal_id, t.uuid
          FROM public.promotrot_playticket t
         WHERE t.id BETWEEN NEW.first_row AND NEW.last_row
           AND public.promotrot_playticket_leaves(p_ticket => t.id)
    ), numbered AS (
        SELECT l.*, row_number() OVER (PARTITION BY l.day, l.emission_id
                                       ORDER BY l.opening, l.position) AS number
          FROM leaving l
    ), kept AS (
        INSERT INTO public.promotrot_retiredplays (emission_id, retired_id, day, openings, positions,
               premises, terminals, plays)
        SELECT n.emission_id, NEW.id, n.day, array_agg(n.opening ORDER BY n.number),
               array_agg(n.position ORDER BY n.number), array_agg(n.premises_id ORDER BY n.number),
               array_agg(n.terminal_id ORDER BY n.number), array_agg(n.uuid ORDER BY n.number)
          FROM numbered n GROUP BY n.day, n.emission_id, (n.number - 1) / 512
         ORDER BY n.day, n.emission_id, min(n.number)
        RETURNING cardinality(plays) AS plays)
    SELECT coalesce(sum(k.plays), 0) INTO v_kept FROM kept k;
    IF v_kept <> NEW.leaves THEN
        RAISE EXCEPTION 'plays % to %: % leave, and % were published', NEW.first_row, NEW.last_row,
            v_kept, NEW.leaves USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER plays_kept AFTER INSERT ON periods_retiredrows
    FOR EACH ROW WHEN (NEW.relation = 'promotrot_playticket')
    EXECUTE FUNCTION promotrot_keep_plays();

-- Refuse a drawn prize that does not name its play as it is: by its ticket, or by its reference where it
-- left with its month, or is about to. It holds the game, as the draw does: no retirement writes plays
-- down meanwhile.
CREATE OR REPLACE FUNCTION promotrot_guard_drawn() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_sound boolean;
BEGIN
    PERFORM pg_advisory_xact_lock({lock.game}, (m.game_id & 2147483647)::integer)
       FROM promotrot_emission m WHERE m.id = NEW.emission_id;
    IF NEW.ticket_id IS NULL THEN
        v_sound := EXISTS (
            SELECT FROM promotrot_left_play(p_uuid => NEW.left_play) l
             WHERE l.emission_id = NEW.emission_id AND l.premises_id = NEW.premises_id);
    ELSE
        v_sound := EXISTS (
            SELECT FROM promotrot_playticket t
             WHERE t.id = NEW.ticket_id AND t.emission_id = NEW.emission_id
               AND t.premises_id = NEW.premises_id
               AND NOT EXISTS (
                   SELECT FROM periods_retiredrows r WHERE r.relation = 'promotrot_playticket'
                      AND t.id BETWEEN r.first_row AND r.last_row
                      AND promotrot_playticket_leaves(p_ticket => t.id)));
    END IF;
    IF NOT v_sound THEN
        RAISE EXCEPTION 'voucher %: its play is another, or has left', NEW.uuid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_play BEFORE INSERT ON promotrot_voucher
    FOR EACH ROW WHEN (NEW.nature = 'drawn') EXECUTE FUNCTION promotrot_guard_drawn();
