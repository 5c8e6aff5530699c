-- Keep the numbers that a contest offers: those in the programme of each race, without the withdrawals in force
-- (14.III.5.4.1) [B7]. They follow the legs of a draft and the withdrawals until the contest is closed, and
-- are never others: nobody takes a horse off sale, or puts one back, without the act that says so.

-- Return a mask for each leg, with bit n-1 set for each number n on offer.
CREATE OR REPLACE FUNCTION lototrot_offered(p_contest bigint) RETURNS integer[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(o.mask ORDER BY o.position), '{}')
      FROM (SELECT l.position, coalesce(bit_or(1 << (n.number - 1)), 0) AS mask
              FROM lototrot_contestleg l
              LEFT JOIN lototrot_runner n ON n.race_id = l.race_id AND NOT EXISTS (
                   SELECT FROM lototrot_withdrawal w
                    WHERE w.race_id = n.race_id AND w.number = n.number AND w.reversed_at IS NULL)
             WHERE l.contest_id = p_contest GROUP BY l.position) o
$$;

CREATE OR REPLACE FUNCTION lototrot_offer_race() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lototrot_contest c SET offered_masks = lototrot_offered(c.id)
     WHERE c.state IN ('draft', 'open', 'stopped')
       AND c.id IN (SELECT l.contest_id FROM lototrot_contestleg l WHERE l.race_id = NEW.race_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION lototrot_offer_legs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE lototrot_contest c SET offered_masks = lototrot_offered(c.id)
     WHERE c.id IN (SELECT m.contest_id FROM made m);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION lototrot_guard_offer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.offered_masks IS DISTINCT FROM lototrot_offered(NEW.id) THEN
        RAISE EXCEPTION 'contest %: its races offer other numbers', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER offered AFTER INSERT OR UPDATE OF reversed_at ON lototrot_withdrawal
    FOR EACH ROW EXECUTE FUNCTION lototrot_offer_race();
CREATE OR REPLACE TRIGGER offered_new AFTER INSERT ON lototrot_contestleg
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION lototrot_offer_legs();
CREATE OR REPLACE TRIGGER offered_changed AFTER UPDATE ON lototrot_contestleg
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION lototrot_offer_legs();
CREATE OR REPLACE TRIGGER offered BEFORE UPDATE OF offered_masks ON lototrot_contest
    FOR EACH ROW WHEN (NEW.offered_masks IS DISTINCT FROM OLD.offered_masks)
    EXECUTE FUNCTION lototrot_guard_offer();
