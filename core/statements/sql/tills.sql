-- Keep what premises owe (core/statements/models/accounts.py, Till).

-- Open the tills of premises with their account, and that of a terminal with the terminal. The
-- application may not insert tills, so these functions run with the owner's rights: they have a
-- search path of their own, and every name in them its schema.
CREATE OR REPLACE FUNCTION statements_tills_open() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.statements_till
        (premises_id, terminal_id, account_id, owed_cents, minute_cents)
    SELECT p.id, t.id, NEW.id, 0, 0
      FROM public.premises_premises p
     CROSS JOIN LATERAL (SELECT NULL::bigint AS id
                          UNION ALL
                         SELECT id FROM public.premises_terminal WHERE premises_id = p.id) t
     WHERE p.id = split_part(NEW.code, ':', 2)::bigint;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tills_open AFTER INSERT ON ledger_account
    FOR EACH ROW WHEN (NEW.code ~ '^premises:[0-9]+$') EXECUTE FUNCTION statements_tills_open();

CREATE OR REPLACE FUNCTION statements_till_add() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.statements_till
        (premises_id, terminal_id, account_id, owed_cents, minute_cents)
    SELECT NEW.premises_id, NEW.id, t.account_id, 0, 0
      FROM public.statements_till t
     WHERE t.premises_id = NEW.premises_id AND t.terminal_id IS NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER till_add AFTER INSERT ON premises_terminal
    FOR EACH ROW EXECUTE FUNCTION statements_till_add();

-- Add a sale to its terminal's till. The caller holds the lock of the premises' credit. Return false
-- if there is no such till.
CREATE OR REPLACE FUNCTION statements_till_add_sale(p_terminal bigint, p_amount bigint, p_at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE statements_till t
       SET owed_cents = t.owed_cents + p_amount,
           minute_from = CASE WHEN t.minute_from <= p_at
               AND t.minute_from > p_at - interval '1 minute' THEN t.minute_from ELSE p_at END,
           minute_cents = p_amount + CASE WHEN t.minute_from <= p_at
               AND t.minute_from > p_at - interval '1 minute' THEN t.minute_cents ELSE 0 END
     WHERE t.terminal_id = p_terminal;
    RETURN FOUND;
END $$;

-- Move the till of premises with every transfer of their account, but a sale's own: its statement
-- has done it (its act is named as a sale, and the transfer has its UUID). What adds to the debt
-- takes the lock that sales take, so that no sale misses it.
CREATE OR REPLACE FUNCTION statements_till_move() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    v_till record;
BEGIN
    IF current_setting('core.act', true) LIKE '%.sale|%|' || NEW.reference::text THEN
        RETURN NULL;
    END IF;
    FOR v_till IN
        SELECT t.id, t.premises_id, t.account_id = NEW.debit_id AS adds FROM statements_till t
         WHERE t.account_id IN (NEW.debit_id, NEW.credit_id) AND t.terminal_id IS NULL
         ORDER BY t.id
    LOOP
        IF v_till.adds THEN
            PERFORM pg_advisory_xact_lock({lock.credit}, (v_till.premises_id & 2147483647)::integer);
        END IF;
        UPDATE statements_till t
           SET owed_cents = t.owed_cents
             + CASE WHEN v_till.adds THEN NEW.amount_cents ELSE -NEW.amount_cents END
         WHERE t.id = v_till.id;
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER till_move AFTER INSERT ON ledger_transfer FOR EACH ROW
    EXECUTE FUNCTION statements_till_move();

-- A till is updated with every sale: its page keeps room, so that the update stays on it.
ALTER TABLE statements_till SET (fillfactor = 20);
