-- Each transfer as its two entries: the debited account gains `cents`, the credited one loses them.
-- The balance of an account on its debit side is the sum of its entries; no other formula is used.
CREATE OR REPLACE VIEW ledger_entry AS
SELECT id AS transfer_id, debit_id AS account_id, reference, kind, at, amount_cents AS cents
  FROM ledger_transfer
 UNION ALL
SELECT id, credit_id, reference, kind, at, -amount_cents FROM ledger_transfer;
