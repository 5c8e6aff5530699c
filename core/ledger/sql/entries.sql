-- Show each transfer as two entries: positive `cents` for the debited account, negative for the
-- credited one. The sum of an account's entries is what its transfers add to it on the debit side.
CREATE OR REPLACE VIEW ledger_entry AS
SELECT id AS transfer_id, debit_id AS account_id, reference, kind, at, amount_cents AS cents
  FROM ledger_transfer
 UNION ALL
SELECT id, credit_id, reference, kind, at, -amount_cents FROM ledger_transfer;

-- Show opening balances: a row for each account that had a transfer until then. A row of the table has
-- the 64 accounts of a block; that of one account is found by its key.
CREATE OR REPLACE VIEW ledger_opening AS
SELECT a.id AS account_id, o.up_to, o.ends_at, o.debits_cents[a.id % 64 + 1] AS debit_cents,
       o.credits_cents[a.id % 64 + 1] AS credit_cents, o.transfers[a.id % 64 + 1] AS transfers
  FROM ledger_account a JOIN ledger_openingbalance o ON o.block = a.id / 64
 WHERE o.transfers[a.id % 64 + 1] > 0;

-- Show what present balances are summed from: the newest opening, which is one row of an account, and
-- the entries after it. `transfers` is how many transfers a row stands for. Every present balance of
-- an account is computed from this view. Other balances begin elsewhere: as of an instant with the
-- opening before it (core/ledger/openings.py); what premises owe with their newest mark or statement
-- (core/statements/balances.py) and, within a sale, with their tills (core/statements/sql/credit.sql);
-- those of a closed month with the month before (core/periods/figures.py); the history of jackpots
-- adds its transfers in their order (lototrot/reports.py).
-- Ask for one account by a value, as `account_id = (SELECT ...)`: a join reads all entries of all accounts.
-- `+ 0` keeps the planner from the primary key: nearly all live transfers are after the opening. It
-- joined that index with the account's, and read every transfer for the few of one account.
CREATE OR REPLACE VIEW ledger_standing AS
SELECT account_id, debit_cents, credit_cents, transfers, debit_cents - credit_cents AS cents
  FROM ledger_opening
 WHERE up_to = (SELECT max(up_to) FROM ledger_openingbalance)
 UNION ALL
SELECT account_id, greatest(cents, 0), greatest(-cents, 0), 1, cents FROM ledger_entry
 WHERE transfer_id + 0 > (SELECT coalesce(max(up_to), 0) FROM ledger_openingbalance);
