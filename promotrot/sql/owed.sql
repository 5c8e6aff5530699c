-- Check what becomes of the debt of an ended game on every write, by any program [P17].

-- Return what lapsed, or was refused, of the prizes drawn by an ended game, and how many prizes, less
-- what was drawn again or stands before the authority; or what it owed with no ticket to draw. A prize
-- that came back from the organiser's account [C8] had been drawn again before.
CREATE OR REPLACE FUNCTION promotrot_debt_left(p_game bigint, OUT cents bigint, OUT prizes bigint)
LANGUAGE sql STABLE AS $$
    WITH gone AS (
        SELECT coalesce(sum(c.amount_cents), 0)::bigint AS cents, count(*) AS prizes
          FROM promotrot_voucher v JOIN promotrot_debtdraw d ON d.id = v.debt_draw_id
          JOIN payoffice_claim c ON c.game = 'promotrot' AND c.document_id = v.id
         WHERE d.game_id = p_game AND (c.state IN ('lapsed', 'refused') OR EXISTS (
            SELECT FROM payoffice_restoration r JOIN ledger_account a ON a.id = r.taken_from_id
             WHERE r.claim_id = c.id AND a.code = 'promotrot:organiser:late'))
    ), again AS (
        SELECT coalesce(sum(d.owed_cents), 0)::bigint AS cents,
               coalesce(sum(d.winners), 0)::bigint AS prizes
          FROM promotrot_debtdraw d WHERE d.game_id = p_game AND d.number > 1
    )
    SELECT gone.cents - again.cents + coalesce(
               (SELECT e.owed_cents FROM promotrot_gameending e
                 WHERE e.game_id = p_game AND e.winners = 0), 0) - coalesce(
               (SELECT sum(s.cents) FROM promotrot_debtstanding s WHERE s.game_id = p_game), 0)::bigint,
           gone.prizes - again.prizes FROM gone, again
$$;

-- Return whether the newest draw of an ended game has given its prizes.
CREATE OR REPLACE FUNCTION promotrot_debt_drawn(p_game bigint) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT d.winners = (SELECT count(*) FROM promotrot_voucher v WHERE v.debt_draw_id = d.id)
      FROM promotrot_debtdraw d WHERE d.game_id = p_game ORDER BY d.number DESC LIMIT 1
$$;

CREATE OR REPLACE FUNCTION promotrot_guard_debt_draw() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number <> 1 + (SELECT count(*) FROM promotrot_debtdraw d WHERE d.game_id = NEW.game_id)
       OR NEW.number = 1 AND NOT EXISTS (
            SELECT FROM promotrot_gameending e WHERE e.game_id = NEW.game_id
               AND e.owed_cents = NEW.owed_cents AND e.winners = NEW.winners)
       OR NEW.number > 1 AND (
            promotrot_debt_drawn(NEW.game_id) IS NOT TRUE
            OR NEW.owed_cents <> (SELECT l.cents FROM promotrot_debt_left(NEW.game_id) l)) THEN
        RAISE EXCEPTION 'game %: it has another debt to draw, or none yet', NEW.game_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Refuse to keep a debt for the authority before the last draw, unless there is no ticket to draw, or
-- another sum than has lapsed.
CREATE OR REPLACE FUNCTION promotrot_guard_debt_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.cents <> (SELECT l.cents FROM promotrot_debt_left(NEW.game_id) l)
       OR NOT EXISTS (SELECT FROM promotrot_gameending e
                       WHERE e.game_id = NEW.game_id AND e.winners = 0)
       AND (promotrot_debt_drawn(NEW.game_id) IS NOT TRUE
            OR NOT EXISTS (SELECT FROM promotrot_debtdraw d
                            WHERE d.game_id = NEW.game_id AND d.number = 3)) THEN
        RAISE EXCEPTION 'game %: its debt is drawn again first', NEW.game_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION promotrot_guard_debt_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.cents > (SELECT coalesce(sum(s.cents), 0) FROM promotrot_debtstanding s
                     WHERE s.game_id = NEW.game_id)
                 - (SELECT coalesce(sum(d.cents), 0) FROM promotrot_debtdecision d
                     WHERE d.game_id = NEW.game_id) THEN
        RAISE EXCEPTION 'game %: less stands before the authority', NEW.game_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Return the plays that a draw of a debt drew, each with its prize: equal parts, and the first of the
-- order has the rest. It is `shares` of promotrot/engine/shortfall.py.
CREATE OR REPLACE FUNCTION promotrot_debt_order(p_debt_draw bigint)
RETURNS TABLE (play uuid, cents bigint) LANGUAGE sql STABLE AS $$
    SELECT o.play::uuid,
           d.owed_cents / d.winners + CASE o.place WHEN 1 THEN d.owed_cents % d.winners ELSE 0 END
      FROM promotrot_debtdraw d JOIN promotrot_game g ON g.id = d.game_id
      JOIN draws_draw w ON w.kind = 'promotrot.debt' AND w.subject = g.code || ':' || d.number
       AND w.state = 'certified'
      JOIN draws_outcome u ON u.draw_id = w.id
     CROSS JOIN LATERAL jsonb_array_elements_text(u."order") WITH ORDINALITY o(play, place)
     WHERE d.id = p_debt_draw
$$;

-- Check that the vouchers of a draw are as many as it has winners and share exactly what it draws, and that
-- each is of a play in its order, with the prize of that place [P17]. Of
-- those that one transaction wrote one after the other the last checks: there may be many thousands.
CREATE OR REPLACE FUNCTION promotrot_check_debt_draw() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT v.debt_draw_id, v.journal_xid FROM promotrot_voucher v
                      WHERE v.id > NEW.id ORDER BY v.id LIMIT 1) following
         WHERE following.debt_draw_id = NEW.debt_draw_id
           AND following.journal_xid = NEW.journal_xid) THEN
        RETURN NULL;
    END IF;
    IF NOT EXISTS (
        SELECT FROM promotrot_debtdraw d WHERE d.id = NEW.debt_draw_id
           AND (d.winners, d.owed_cents) = (
               SELECT count(*), sum(v.amount_cents)::bigint FROM promotrot_voucher v
                WHERE v.debt_draw_id = d.id))
       OR EXISTS (
        SELECT FROM promotrot_debt_order(p_debt_draw => NEW.debt_draw_id) o
          FULL JOIN (SELECT coalesce(t.uuid, v.left_play) AS play, v.amount_cents AS cents
                       FROM promotrot_voucher v LEFT JOIN promotrot_playticket t ON t.id = v.ticket_id
                      WHERE v.debt_draw_id = NEW.debt_draw_id) g
            ON g.play = o.play AND g.cents = o.cents
         WHERE o.play IS NULL OR g.play IS NULL) THEN
        RAISE EXCEPTION 'voucher %: its draw gives other prizes', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER of_ended_game BEFORE INSERT ON promotrot_debtdraw
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_debt_draw();
CREATE OR REPLACE TRIGGER after_draws BEFORE INSERT ON promotrot_debtstanding
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_debt_standing();
CREATE OR REPLACE TRIGGER within_debt BEFORE INSERT ON promotrot_debtdecision
    FOR EACH ROW EXECUTE FUNCTION promotrot_guard_debt_decision();
CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON promotrot_debtdecision
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'promotrot.debt_decision');
-- A constraint trigger cannot be replaced, so it is dropped and created again.
DROP TRIGGER IF EXISTS as_drawn ON promotrot_voucher;
CREATE CONSTRAINT TRIGGER as_drawn AFTER INSERT ON promotrot_voucher
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.nature = 'drawn')
    EXECUTE FUNCTION promotrot_check_debt_draw();

-- A held prize is presented again only if somebody presented its voucher; a price due back, which never
-- lapses, waits for its bearer [C5, C6].
CREATE OR REPLACE FUNCTION promotrot_need_bearer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payoffice_presentation p WHERE p.claim_id = NEW.id)
       AND NOT EXISTS (SELECT FROM promotrot_voucher v
                        WHERE v.id = NEW.document_id AND v.nature = 'refund') THEN
        RAISE EXCEPTION 'claim %: it is held, and nobody presented another paper', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER promotrot_bearer BEFORE UPDATE ON payoffice_claim
    FOR EACH ROW WHEN (OLD.state = 'held' AND NEW.state = 'presented' AND NEW.game = 'promotrot')
    EXECUTE FUNCTION promotrot_need_bearer();
