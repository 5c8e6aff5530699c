-- Show each transfer as two entries: positive `cents` for the debited account, negative for the
-- credited one. The sum of an account's entries is its balance on the debit side. Every balance in
-- the project is computed from this view.
CREATE OR REPLACE VIEW ledger_entry AS
SELECT id AS transfer_id, debit_id AS account_id, reference, kind, at, amount_cents AS cents
  FROM ledger_transfer
 UNION ALL
SELECT id, credit_id, reference, kind, at, -amount_cents FROM ledger_transfer;
