-- Keep the stock of prizes in kind, the exchanges for them, and what a unit is worth (15.III.6.5).

-- Stock never becomes negative at any place, with an exchange its own thing leaves, and what two persons
-- named is worth what they named. The item's lock is
-- held until the transaction ends: its value stays as it is so long.
CREATE OR REPLACE FUNCTION payoffice_guard_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock({lock.stock}, (NEW.item_id & 2147483647)::integer);
    IF NEW.units < 0 AND NEW.units + (
        SELECT coalesce(sum(m.units), 0) FROM payoffice_stockmovement m
         WHERE m.item_id = NEW.item_id AND m.premises_id = NEW.premises_id) < 0 THEN
        RAISE EXCEPTION 'item %: not so many are in stock there', NEW.item_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.item_id <> (SELECT e.item_id FROM payoffice_exchange e WHERE e.id = NEW.exchange_id) THEN
        RAISE EXCEPTION 'item %: the exchange is for another thing', NEW.item_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.units * (SELECT i.unit_cents FROM payoffice_stockitem i WHERE i.id = NEW.item_id) <> (
        SELECT (p.content ->> 'cents')::bigint FROM staff_proposal p WHERE p.id = NEW.proposal_id) THEN
        RAISE EXCEPTION 'item %: two persons confirmed another worth', NEW.item_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER in_stock BEFORE INSERT ON payoffice_stockmovement
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_stock();

-- An exchange has the value that its unit has in the books, and a unit leaves with it.
CREATE OR REPLACE FUNCTION payoffice_guard_exchange() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock({lock.stock}, (NEW.item_id & 2147483647)::integer);
    IF NEW.unit_cents <> (SELECT i.unit_cents FROM payoffice_stockitem i WHERE i.id = NEW.item_id) THEN
        RAISE EXCEPTION 'exchange %: its thing has another value', NEW.uuid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER of_value BEFORE INSERT ON payoffice_exchange
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_exchange();

CREATE OR REPLACE FUNCTION payoffice_need_unit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM payoffice_stockmovement m WHERE m.exchange_id = NEW.id) THEN
        RAISE EXCEPTION 'exchange %: no unit left the stock', NEW.uuid
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS with_unit ON payoffice_exchange;
CREATE CONSTRAINT TRIGGER with_unit AFTER INSERT ON payoffice_exchange
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION payoffice_need_unit();

-- A value is corrected from what it was, for the units that came in and went out
-- so far (docs/adr/0093).
CREATE OR REPLACE FUNCTION payoffice_guard_correction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock({lock.stock}, (NEW.item_id & 2147483647)::integer);
    IF NOT EXISTS (
        SELECT FROM payoffice_stockitem i
         WHERE i.id = NEW.item_id AND i.unit_cents = NEW.from_cents
           AND (NEW.units, NEW.handed_over) = (
               SELECT coalesce(sum(m.units) FILTER (WHERE m.exchange_id IS NULL), 0),
                      count(m.exchange_id)
                 FROM payoffice_stockmovement m WHERE m.item_id = NEW.item_id)) THEN
        RAISE EXCEPTION 'item %: it has another value now, or other units', NEW.item_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION payoffice_correct_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE payoffice_stockitem SET unit_cents = NEW.to_cents WHERE id = NEW.item_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION payoffice_guard_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM payoffice_stockcorrection c
         WHERE c.item_id = NEW.id AND c.from_cents = OLD.unit_cents
           AND c.to_cents = NEW.unit_cents AND c.journal_xid = journal_number()) THEN
        RAISE EXCEPTION 'item %: two persons correct its value', NEW.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER two_persons BEFORE INSERT ON payoffice_stockcorrection
    FOR EACH ROW EXECUTE FUNCTION staff_need_confirmed('proposal_id', 'payoffice.stock_correction');
CREATE OR REPLACE TRIGGER of_value BEFORE INSERT ON payoffice_stockcorrection
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_correction();
CREATE OR REPLACE TRIGGER value_follows AFTER INSERT ON payoffice_stockcorrection
    FOR EACH ROW EXECUTE FUNCTION payoffice_correct_value();
CREATE OR REPLACE TRIGGER corrected BEFORE UPDATE ON payoffice_stockitem
    FOR EACH ROW EXECUTE FUNCTION payoffice_guard_value();
