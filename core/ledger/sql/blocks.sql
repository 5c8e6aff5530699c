-- Refuse figures that are not those of the 64 accounts of a block (core/ledger/blocks.py): one for each, at
-- least one of them not 0, and none but 0 where there is no account. A foreign key would lock each account,
-- and none is ever deleted.
CREATE OR REPLACE FUNCTION ledger_need_block(p_block bigint, p_figures bigint[]) RETURNS void
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF array_dims(p_figures) IS DISTINCT FROM '[1:64]' OR array_position(p_figures, NULL) > 0
        OR NOT 0 <> ANY (p_figures) OR EXISTS (
            SELECT FROM unnest(p_figures) WITH ORDINALITY f(figure, position)
             WHERE f.figure <> 0 AND NOT EXISTS (
                SELECT FROM ledger_account a WHERE a.id = p_block * 64 + f.position - 1)) THEN
        RAISE EXCEPTION 'block %: these are not the figures of its accounts', p_block
            USING ERRCODE = 'check_violation';
    END IF;
END $$;

-- Refuse an opening that has not three sums of each account that had a transfer.
CREATE OR REPLACE FUNCTION ledger_guard_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ledger_need_block(NEW.block, NEW.transfers);
    IF array_dims(NEW.debits_cents) IS DISTINCT FROM '[1:64]'
        OR array_dims(NEW.credits_cents) IS DISTINCT FROM '[1:64]' OR EXISTS (
            SELECT FROM unnest(NEW.debits_cents, NEW.credits_cents, NEW.transfers)
                   s(debit_cents, credit_cents, transfers)
             WHERE (s.debit_cents >= 0 AND s.credit_cents >= 0 AND s.transfers >= 0
                    AND (s.transfers > 0 OR s.debit_cents + s.credit_cents = 0)) IS NOT TRUE) THEN
        RAISE EXCEPTION 'block %: these are no opening balances', NEW.block
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sums BEFORE INSERT OR UPDATE ON ledger_openingbalance
    FOR EACH ROW EXECUTE FUNCTION ledger_guard_sums();
