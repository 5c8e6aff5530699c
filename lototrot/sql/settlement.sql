-- Refuse to update a settlement whose payment is ordered (14.III.8.2).
CREATE OR REPLACE FUNCTION lototrot_guard_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM lototrot_paymentorder o WHERE o.settlement_id = OLD.id) THEN
        RAISE EXCEPTION 'table %: payment is ordered', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER payment_ordered BEFORE UPDATE ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_guard_settlement();

-- Refuse a settlement before the certificates (14.III.5.4.4): every race declared to have no
-- classification needs a certified draw.
CREATE OR REPLACE FUNCTION lototrot_need_certificates() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lototrot_contestleg l
          JOIN lototrot_racedeclaration d ON d.race_id = l.race_id AND d.superseded_at IS NULL
         WHERE l.contest_id = NEW.contest_id AND NOT EXISTS (
            SELECT FROM draws_draw w JOIN draws_drawcertificate c ON c.draw_id = w.id
             WHERE w.kind = 'lototrot.race' AND w.subject = 'race:' || l.race_id)) THEN
        RAISE EXCEPTION 'contest %: a race has no certified draw', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER certified_draws BEFORE INSERT ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_certificates();

-- Refuse a payment order whose days are not those of the rule (14.III.10.2) [D7]: nobody may have
-- fewer days to claim than the regulation gives, counted from the latest of the results, the meeting
-- and the day before the order.
CREATE OR REPLACE FUNCTION lototrot_need_whole_period() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_from date := greatest(NEW.results_day,
        (SELECT c.day FROM lototrot_contest c WHERE c.id = NEW.contest_id));
    v_ordered date := (NEW.ordered_at AT TIME ZONE 'Europe/Madrid')::date;
BEGIN
    IF NEW.first_pay_day <> v_from + 1
       OR NEW.last_claim_day <> greatest(v_from, v_ordered - 1) + NEW.claim_days THEN
        RAISE EXCEPTION 'contest %: its prizes are paid and claimed on other days', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER whole_period BEFORE INSERT ON lototrot_paymentorder
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_whole_period();

-- Refuse that prizes lapse before the last day to claim is over, or as of another day (14.III.10.7).
CREATE OR REPLACE FUNCTION lototrot_need_over() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lototrot_paymentorder o
         WHERE o.contest_id = NEW.contest_id AND o.last_claim_day = NEW.last_claim_day
           AND o.last_claim_day < (least(NEW.lapsed_at, core_now()) AT TIME ZONE 'Europe/Madrid')::date) THEN
        RAISE EXCEPTION 'contest %: its prizes can still be claimed', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER over BEFORE INSERT ON lototrot_lapse
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_over();

-- Refuse a settlement out of its turn [A4, A20, B14]: while an earlier meeting of the chain is on
-- sale, unsettled or not ordered, or a draft that could still open, after midnight too.
CREATE OR REPLACE FUNCTION lototrot_need_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lototrot_contest c
          JOIN lototrot_contest e ON e.bet_type_code = c.bet_type_code AND e.day < c.day
         WHERE c.id = NEW.contest_id
           AND (e.state IN ('open', 'stopped', 'closed', 'settled') OR e.state = 'draft'
                AND (e.day >= (core_now() AT TIME ZONE 'Europe/Madrid')::date
                     OR e.scheduled_close_at > core_now()))) THEN
        RAISE EXCEPTION 'contest %: an earlier meeting of its chain waits', NEW.contest_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER turn BEFORE INSERT ON lototrot_settlement
    FOR EACH ROW EXECUTE FUNCTION lototrot_need_turn();
