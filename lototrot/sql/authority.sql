-- Refuse a version of the regulation's bet type with other figures than an earlier version or an
-- amendment has (14.III.7, 9.2, 9.3) [A19], or whose prizes do not go down to the cent [A14].
CREATE OR REPLACE FUNCTION lototrot_need_figures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_figures jsonb := jsonb_build_object(
        'legs', NEW.document -> 'legs',
        'jackpot_threshold_cents', NEW.document -> 'jackpot_threshold_cents',
        'shares_below', NEW.document -> 'shares_below',
        'shares_above', NEW.document -> 'shares_above');
BEGIN
    IF EXISTS (SELECT FROM lototrot_bettype b WHERE b.code = NEW.code)
       AND NOT EXISTS (SELECT FROM lototrot_bettype b
                        WHERE b.code = NEW.code AND b.document @> v_figures)
       AND NOT EXISTS (SELECT FROM lototrot_figuresamendment a WHERE a.bet_type = v_figures) THEN
        RAISE EXCEPTION 'bet type %: its figures are the regulation''s', NEW.code
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.document -> 'payout_step_cents' IS DISTINCT FROM to_jsonb(1) THEN
        RAISE EXCEPTION 'bet type %: its prizes go down to the cent', NEW.code
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER figures BEFORE INSERT ON lototrot_bettype
    FOR EACH ROW WHEN (NEW.code = 'lototrot') EXECUTE FUNCTION lototrot_need_figures();

-- Refuse a contest of a bet type that has ended for good [A21].
CREATE OR REPLACE FUNCTION lototrot_need_going_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_gameend e WHERE e.bet_type_code = NEW.bet_type_code) THEN
        RAISE EXCEPTION 'bet type % has ended', NEW.bet_type_code
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER going_on BEFORE INSERT OR UPDATE OF bet_type_code ON lototrot_contest
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_going_on();
