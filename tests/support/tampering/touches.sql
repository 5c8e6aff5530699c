-- What the owner of the database could do, fact by fact; who refuses it: docs/proofs/tampering.md.
-- tests/core/journal/test_matrix.py does it, with all triggers disabled, and undoes it.

-- a ticket's selections
UPDATE lototrot_ticket SET leg_1 = 2 WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- a ticket's amount
UPDATE lototrot_ticket SET amount_cents = 100 * amount_cents, bets = 100 * bets WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- a ticket's time
UPDATE lototrot_ticket SET sold_at = sold_at - interval '1 hour' WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- a ticket's premises
UPDATE lototrot_ticket SET premises_id = (SELECT max(id) FROM premises_premises) WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- the digest of a ticket's code
UPDATE lototrot_ticket SET code_digest = set_byte(code_digest, 0, 255 - get_byte(code_digest, 0)) WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- the commitment to a ticket's code and blind
UPDATE lototrot_ticket SET code_commitment = set_byte(code_commitment, 0, 255 - get_byte(code_commitment, 0)) WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- a ticket taken away
DELETE FROM lototrot_ticket WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- a ticket put in, as if of another's sale
INSERT INTO lototrot_ticket SELECT (jsonb_populate_record(t, jsonb_build_object('id', id + 1000000, 'uuid', gen_random_uuid(), 'code_digest', '\x' || repeat('ab', 16)))).* FROM lototrot_ticket t WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- a ticket put in past the journal
INSERT INTO lototrot_ticket SELECT (jsonb_populate_record(t, jsonb_build_object('id', id + 1000000, 'uuid', gen_random_uuid(), 'code_digest', '\x' || repeat('ab', 16), 'journal_xid', pg_current_xact_id()::text))).* FROM lototrot_ticket t WHERE id = (SELECT min(id) FROM lototrot_ticket);
-- when a ticket's code was given again
UPDATE lototrot_codegiven SET given_at = given_at - interval '40 days';
-- a code given again, taken away
DELETE FROM lototrot_codegiven;
-- when a voucher's code was given again
UPDATE promotrot_vouchercodegiven SET given_at = given_at - interval '40 days';
-- a voucher's code given again, taken away
DELETE FROM promotrot_vouchercodegiven;
-- a void of bets in breach taken away
DELETE FROM lototrot_void WHERE reason = 'breach';
-- another ticket voided with them
INSERT INTO lototrot_void SELECT (jsonb_populate_record(t, jsonb_build_object('id', id + 1000000, 'ticket_id', (SELECT min(id) FROM lototrot_ticket)))).* FROM lototrot_void t WHERE id = (SELECT min(id) FROM lototrot_void WHERE reason = 'breach');
-- a seal
UPDATE lototrot_seal SET root = set_byte(root, 0, 255 - get_byte(root, 0));
-- an amendment
UPDATE lototrot_amendment SET number = number + 1;
-- a seal, as published
UPDATE proofs_logentry SET document = document || '{"tickets": 1}' WHERE kind = 'lototrot.seal';
-- an entry of the public log
UPDATE proofs_logentry SET at = at + interval '1 second' WHERE kind = 'lototrot.seal';
-- an entry taken away
DELETE FROM proofs_logentry WHERE kind = 'lototrot.amendment';
-- entries that change places
UPDATE proofs_logentry SET sequence = 1000000 + sequence WHERE kind IN ('lototrot.amendment', 'draws.commitment');
UPDATE proofs_logentry t SET sequence = o.sequence - 1000000 FROM proofs_logentry o WHERE t.sequence > 1000000 AND o.sequence > 1000000 AND o.sequence <> t.sequence;
-- a key of the log
UPDATE proofs_signingkey SET public_key = set_byte(public_key, 0, 255 - get_byte(public_key, 0));
-- a checkpoint
UPDATE proofs_logentry SET document = document || '{"entries": 1}' WHERE kind = 'journal.checkpoint';
-- a draw's commitment, as published
UPDATE proofs_logentry SET document = document || '{"commitment": ""}' WHERE kind = 'draws.commitment';
-- a draw's minutes, as published
UPDATE proofs_logentry SET document = document || '{"order": []}' WHERE kind = 'draws.minutes';
-- the terms of a sale, as published
UPDATE proofs_logentry SET document = document || '{"price_cents": 1}' WHERE kind = 'lototrot.opening';
-- a move of a closing, as published
UPDATE proofs_logentry SET document = document || '{"to": ""}' WHERE kind = 'lototrot.schedule';
-- a settlement, as published
UPDATE proofs_logentry SET document = document || '{"winning_tickets": 1}' WHERE kind = 'lototrot.settlement';
-- an emission's commitment, as published
UPDATE proofs_logentry SET document = document || '{"tickets": 41}' WHERE kind = 'promotrot.commitment';
-- a draw's commitment
UPDATE draws_commitment SET digest = set_byte(digest, 0, 255 - get_byte(digest, 0));
-- a draw's secret, while it is kept
UPDATE draws_commitment SET secret_kept = set_byte(secret_kept, 0, 255 - get_byte(secret_kept, 0));
-- how a draw's witness was to act
UPDATE draws_commitment SET pieces = pieces + 1;
-- a draw's announced time
UPDATE draws_announcement SET planned_at = planned_at - interval '1 hour';
-- an inspector's attendance at a draw
UPDATE draws_attendance SET attended_at = attended_at - interval '40 days';
-- a draw's field
UPDATE draws_drawfield SET entries = entries - 0;
-- a draw's entropy
UPDATE draws_outcome SET entropy_text = '6666666666';
-- a draw's order
UPDATE draws_outcome SET "order" = "order" - 0 || ("order" -> 0);
-- a draw's certificate
UPDATE draws_drawcertificate SET observations = 'none';
-- a draw's state
UPDATE draws_draw SET state = 'announced';
-- a stop of sales
UPDATE lototrot_salesstop SET source = 'nobody';
-- a device that signals starts
UPDATE lototrot_signaldevice SET appointed_at = appointed_at - interval '40 days';
-- a device that signals starts, taken away
DELETE FROM lototrot_signaldevice;
-- an announced start
UPDATE lototrot_startannouncement SET source = 'nobody';
-- a race's start
UPDATE lototrot_racestart SET actual_start_at = actual_start_at - interval '1 minute';
-- a withdrawal
UPDATE lototrot_withdrawal SET number = 19;
-- a result
UPDATE lototrot_classification SET runners = jsonb_set(runners, '{0,outcome}', '"started"');
-- a result taken away
DELETE FROM lototrot_classification;
-- a declaration that a race was not run
UPDATE lototrot_racedeclaration SET declared_at = declared_at - interval '3 hours';
-- the programme
UPDATE lototrot_runner SET number = 31 WHERE number = 19;
-- the price of a bet
UPDATE lototrot_contest SET price_cents = price_cents + 1;
-- a contest's closing
UPDATE lototrot_contest SET closed_at = closed_at + interval '1 hour';
-- where a closing was moved to
UPDATE lototrot_schedulechange SET to_at = to_at - interval '5 minutes';
-- a move of a closing, taken away
DELETE FROM lototrot_schedulechange;
-- an amendment of the figures
UPDATE lototrot_figuresamendment SET source = 'Another';
-- what a draft was before
UPDATE lototrot_contestchange SET before = '{}';
-- a change of a draft taken away
DELETE FROM lototrot_contestchange;
-- a discard taken away
DELETE FROM lototrot_discard;
-- a settlement's figures
UPDATE lototrot_settlement SET jackpot_out_cents = jackpot_out_cents + 1;
-- a category's prize
UPDATE lototrot_settlementcategory SET prize_cents = prize_cents + 1;
-- a prize that was claimed
UPDATE lototrot_prize SET prize_cents = prize_cents + 1 WHERE ticket_id = (SELECT min(document_id) FROM payoffice_claim WHERE game = 'lototrot');
-- a prize that was claimed, taken away
DELETE FROM lototrot_prize WHERE ticket_id = (SELECT min(document_id) FROM payoffice_claim WHERE game = 'lototrot');
-- a prize after the settlement
INSERT INTO lototrot_prize SELECT (jsonb_populate_record(t, jsonb_build_object('id', id + 1000000, 'ticket_id', (SELECT max(id) FROM lototrot_ticket), 'journal_xid', (SELECT max(journal_xid) FROM journal_act)))).* FROM lototrot_prize t WHERE id = (SELECT min(id) FROM lototrot_prize);
-- a payment order
UPDATE lototrot_paymentorder SET last_claim_day = last_claim_day + 1;
-- what the end of a bet type sent on
UPDATE lototrot_gameend SET cents = cents + 1;
-- the end of a bet type, taken away
DELETE FROM lototrot_gameend;
-- a settlement's transfers
UPDATE ledger_transfer SET amount_cents = amount_cents + 1 WHERE reference = (SELECT uuid FROM lototrot_settlement) AND line = 0;
-- a sale's transfer
UPDATE ledger_transfer SET amount_cents = amount_cents + 1 WHERE reference = (SELECT uuid FROM lototrot_ticket WHERE id = (SELECT min(id) FROM lototrot_ticket));
-- a transfer taken away
DELETE FROM ledger_transfer WHERE kind = 'payoffice.float';
-- a transfer put in
INSERT INTO ledger_transfer SELECT (jsonb_populate_record(t, jsonb_build_object('id', id + 1000000, 'reference', gen_random_uuid()))).* FROM ledger_transfer t WHERE id = (SELECT min(id) FROM ledger_transfer);
-- transfers that change places
UPDATE ledger_transfer t SET journal_xid = o.journal_xid FROM ledger_transfer o WHERE o.id + t.id = 3;
-- an account
UPDATE ledger_account SET code = code || ':x' WHERE code LIKE 'lototrot:takings%';
-- an account with money in it
UPDATE ledger_account SET code = code || ':x' WHERE code LIKE 'promotrot:%:takings';
-- a payment's amount
UPDATE payoffice_payment SET amount_cents = amount_cents + 1 WHERE means = 'cash';
-- who paid
UPDATE payoffice_payment SET terminal_id = (SELECT min(id) FROM premises_terminal), premises_id = (SELECT min(id) FROM premises_premises) WHERE means = 'cash';
-- a payment taken away
DELETE FROM payoffice_payment WHERE means = 'cash';
-- what became of a claim
UPDATE payoffice_claim SET state = 'held' WHERE state = 'presented';
-- a presentation
UPDATE payoffice_presentation SET presented_at = presented_at - interval '40 days';
-- a cheque
UPDATE payoffice_cheque SET amount_cents = amount_cents + 1;
-- a payee
UPDATE payoffice_payee SET encrypted = set_byte(encrypted, 0, 255 - get_byte(encrypted, 0));
-- a deposit
UPDATE payoffice_deposit SET notes = 'whole';
-- which document was deposited
DELETE FROM payoffice_depositmatch;
-- where a deposited paper was
UPDATE payoffice_depositarrival SET premises_id = (SELECT max(id) FROM premises_premises);
-- when a deposited paper came to an office
UPDATE payoffice_depositarrival SET arrived_at = arrived_at - interval '40 days';
-- the arrival of a deposited paper, taken away
DELETE FROM payoffice_depositarrival;
-- a cashier's float
UPDATE payoffice_cashsession SET float_cents = float_cents + 1;
-- at what somebody looked
UPDATE looks_look SET subject = 'lototrot:0';
-- through which door somebody looked
UPDATE looks_look SET door = 'check';
-- a look, taken away
DELETE FROM looks_look;
-- to whom a report was sent
UPDATE reports_reportorder SET address = 'x@example.org';
-- that a report was sent
UPDATE reports_reportmail SET state = 'sending', ended_at = NULL;
-- a saved view of a list
UPDATE reports_savedview SET query = 'state=void';
-- when a view was saved
UPDATE reports_savedview SET saved_at = saved_at - interval '40 days';
-- when long work was asked for
UPDATE longwork_longwork SET asked_at = asked_at - interval '40 days';
-- what came of long work
UPDATE longwork_longwork SET result = '{}';
-- the file of long work
UPDATE longwork_filepart SET content = set_byte(content, 0, 255 - get_byte(content, 0));
-- an emission's commitment
UPDATE promotrot_commitment SET digest = reverse(digest);
-- an emission's seed, while it is kept
UPDATE promotrot_commitment SET encrypted_seed = set_byte(encrypted_seed, 0, 255 - get_byte(encrypted_seed, 0));
-- an emission's plan
UPDATE promotrot_emission SET plan = plan || '{"tickets": 41}';
-- an emission's prizes
UPDATE promotrot_prizetier SET count = count + 1;
-- the valuation of a thing
UPDATE promotrot_valuation SET valued_on = valued_on + 100;
-- the valuation of a thing, taken away
DELETE FROM promotrot_valuation;
-- the entropy of an emission's witness
UPDATE promotrot_witnessentropy SET entropy = reverse(entropy);
-- an emission's seed, once revealed
UPDATE promotrot_seedreveal SET seed = reverse(seed);
-- an emission's closing statement
UPDATE promotrot_closingstatement SET document = document || '{"sold": 24}';
-- the size of a lane
UPDATE promotrot_lane SET tickets = tickets + 1;
-- a play's position in its lane
UPDATE promotrot_playticket SET position = 39 WHERE position = 0 AND emission_id = (SELECT id FROM promotrot_emission WHERE reference = 'small/1');
-- a play's outcome
UPDATE promotrot_playend SET tier = (tier + 1) % 3 WHERE id = (SELECT min(id) FROM promotrot_playend);
-- an act of a play
UPDATE promotrot_playact SET terminal_id = (SELECT min(id) FROM premises_terminal);
-- why the Central Office ended a play
UPDATE promotrot_officeend SET reason = 'Open';
-- the end of a play at the Central Office, taken away
DELETE FROM promotrot_officeend;
-- a voucher's amount
UPDATE promotrot_voucher SET amount_cents = amount_cents + 1 WHERE id = (SELECT min(id) FROM promotrot_voucher);
-- the digest of a voucher's code
UPDATE promotrot_voucher SET code_digest = set_byte(code_digest, 0, 255 - get_byte(code_digest, 0));
-- a voucher taken away
DELETE FROM promotrot_voucher WHERE id = (SELECT min(id) FROM promotrot_voucher);
-- the handover of a held voucher, taken away
DELETE FROM promotrot_voucherhandover;
-- what a game owed at its end
UPDATE promotrot_gameending SET owed_cents = owed_cents + 1;
-- what a draw of a game's debt shares out
UPDATE promotrot_debtdraw SET owed_cents = owed_cents + 1;
-- the draw of a game's debt, taken away
DELETE FROM promotrot_debtdraw;
-- a statement
UPDATE statements_statement SET closing_cents = closing_cents + 1, other_cents = other_cents + 1;
-- a commission rate
UPDATE statements_commissionrate SET percent = '7';
-- a remittance
UPDATE statements_remittance SET amount_cents = amount_cents + 1;
-- what premises owe, as sales read it
UPDATE statements_till SET owed_cents = owed_cents - 1 WHERE id = (SELECT min(id) FROM statements_till);
-- a guarantee limit
UPDATE statements_guaranteelimit SET limit_cents = 0;
-- a cash-up
UPDATE statements_cashup SET expected_cents = expected_cents - 1, sales_cents = sales_cents - 1;
-- a balance at a mark
UPDATE statements_markedbalance SET debts_cents = (SELECT jsonb_object_agg(key, value::bigint + 1) FROM jsonb_each(debts_cents));
-- a person's roles
UPDATE staff_user SET roles = '{administrator}' WHERE id = (SELECT min(id) FROM staff_user);
-- the name of a member of staff
UPDATE staff_user SET name_encrypted = set_byte(name_encrypted, 0, 255 - get_byte(name_encrypted, 0)) WHERE id = (SELECT min(id) FROM staff_user);
-- the key of an operator's name
UPDATE premises_operator SET name_key = set_byte(name_key, 0, 255 - get_byte(name_key, 0));
-- what two persons decided, and when
UPDATE staff_decision SET decided_at = decided_at - interval '40 days';
-- what was proposed
UPDATE staff_proposal SET content = '{}' WHERE kind = 'lototrot.classification';
-- an authorisation
UPDATE premises_authorisation SET valid_from = valid_from - interval '1 year';
-- a terminal
UPDATE premises_terminal SET code = code || 'x';
-- when a copy of a terminal was seen
UPDATE premises_terminalcopy SET seen_at = seen_at - interval '40 days';
-- simulated time
UPDATE database_clockoffset SET "offset" = "offset" + '1 hour';
-- who acted
UPDATE journal_act SET terminal_id = terminal_id + 1 WHERE source_id = (SELECT id FROM journal_source WHERE name = 'lototrot.sale');
-- an act's time
UPDATE journal_act SET at = at - interval '40 days' WHERE source_id = (SELECT id FROM journal_source WHERE name = 'lototrot.sale');
-- an act taken away
DELETE FROM journal_act WHERE source_id = (SELECT id FROM journal_source WHERE name = 'lototrot.sale');
-- under which name acts were done
UPDATE journal_source SET name = 'lototrot.other' WHERE name = 'lototrot.sale';
-- the source of acts, taken away
DELETE FROM journal_source WHERE name = 'lototrot.sale';
-- what an act changed
UPDATE journal_change SET after = '{"state": "open"}' WHERE relation = 'lototrot_contest' AND after ->> 'state' = 'closed';
-- a change taken away
DELETE FROM journal_change WHERE relation = 'lototrot_contest';
-- a batch
UPDATE journal_batch SET sealed_at = sealed_at - interval '1 hour' WHERE number = 1;
-- what is kept of sealed entries, taken away from a month that was not retired
UPDATE journal_block SET short = NULL WHERE batch_id = 1;
-- what is kept of a batch's entries
UPDATE journal_block SET short = set_byte(short, 0, 255 - get_byte(short, 0)) WHERE batch_id = 1 AND position = 1;
-- a batch's entries, other ones
UPDATE journal_block SET entries = decode(repeat('00', 48 * rows), 'hex') WHERE batch_id = 1 AND position = 1;
-- the digest of a batch's entries
UPDATE journal_block SET sha256 = sha256('x') WHERE batch_id = 1 AND position = 1;
-- all batches taken away
DELETE FROM journal_block;
DELETE FROM journal_batch;
