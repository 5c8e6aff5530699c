-- Play a ticket act by act, and end it with its award (15.III.2, 15.III.6.3) [P3, P11, P12].

-- Return the terminal of a play: the one that sold it, or the one to which staff last moved it.
CREATE OR REPLACE FUNCTION promotrot_terminal_of(p_ticket bigint, p_sold_at_terminal bigint)
RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT m.to_terminal_id FROM promotrot_playmove m WHERE m.ticket_id = p_ticket
                      ORDER BY m.number DESC LIMIT 1), p_sold_at_terminal)
$$;

-- Return the present state of a play for its terminal. `acts` is [[act, draw, shown], ...]; none of a
-- play whose acts left with a retired month, or are about to.
CREATE OR REPLACE FUNCTION promotrot_look(p_token bytea, p_uuid uuid,
    OUT refusal text, OUT terminal_id bigint, OUT ticket_id bigint, OUT emission_id bigint,
    OUT opening integer, OUT "position" integer, OUT premises_id bigint, OUT operator_id bigint,
    OUT sold_at timestamptz, OUT at timestamptz, OUT acts jsonb, OUT ending jsonb)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_who record;
    v_ticket record;
BEGIN
    v_who := premises_identify(p_token, NULL);
    IF v_who.refusal NOT LIKE 'operator_session_%' THEN
        refusal := v_who.refusal;
        RETURN;
    END IF;
    terminal_id := v_who.terminal_id;
    SELECT * INTO v_ticket FROM promotrot_playticket t WHERE t.uuid = p_uuid;
    IF v_ticket.premises_id IS DISTINCT FROM v_who.premises_id THEN
        refusal := CASE WHEN v_ticket.id IS NULL AND EXISTS (
            SELECT FROM promotrot_left_play(p_uuid => p_uuid) l
             WHERE l.premises_id = v_who.premises_id) THEN 'play_archived' ELSE 'play_unknown' END;
        RETURN;
    END IF;
    IF promotrot_terminal_of(v_ticket.id, v_ticket.terminal_id) <> v_who.terminal_id THEN
        refusal := 'play_elsewhere';
        RETURN;
    END IF;
    ticket_id := v_ticket.id;
    emission_id := v_ticket.emission_id;
    opening := v_ticket.opening;
    position := v_ticket.position;
    premises_id := v_ticket.premises_id;
    operator_id := v_ticket.operator_id;
    sold_at := v_ticket.sold_at;
    at := core_now();
    SELECT to_jsonb(e) INTO ending FROM promotrot_playend e WHERE e.ticket_id = v_ticket.id;
    acts := '[]';
    IF ending IS NULL OR NOT promotrot_acts_left(p_ticket => v_ticket.id) THEN
        SELECT coalesce(jsonb_agg(jsonb_build_array(a.act, a.draw, a.shown) ORDER BY a.number), '[]')
          INTO acts FROM promotrot_playact a WHERE a.ticket_id = v_ticket.id;
    END IF;
END $$;

-- Hold the emission of a play until the transaction ends, so that it is not closed meanwhile. The time
-- of an award is read afterwards: one that waited for the closing is later than it.
CREATE OR REPLACE FUNCTION promotrot_hold_emission(p_ticket bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared({lock.emission}, (t.emission_id & 2147483647)::integer)
       FROM promotrot_playticket t WHERE t.id = p_ticket;
END $$;

-- End a play: write its award and vouchers, and post the money from the game's prize account. Each
-- item of `p_vouchers` has uuid, number, nature, amount, prizes, thing and digest (hex; null while
-- held). After the closing the organiser's account of late awards pays (promotrot/accounts.py). The
-- caller holds the emission since before `p_at` where there are vouchers.
CREATE OR REPLACE FUNCTION promotrot_end(
    p_ticket bigint, p_terminal bigint, p_at timestamptz, p_claim_days integer, p_ending jsonb,
    p_vouchers jsonb)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_of record;
    v_voucher record;
    v_day date := (p_at AT TIME ZONE 'Europe/Madrid')::date;
    v_from bigint;
    v_to bigint;
BEGIN
    INSERT INTO promotrot_playend (ticket_id, cause, tier, extra_tier, awarded_cents, extra_cents,
            picture, ended_at)
    SELECT p_ticket, e.cause, e.tier, e.extra_tier, e.awarded_cents, e.extra_cents, e.picture, p_at
      FROM jsonb_to_record(p_ending) AS e(cause text, tier smallint, extra_tier smallint,
           awarded_cents bigint, extra_cents bigint, picture jsonb);
    IF jsonb_array_length(p_vouchers) = 0 THEN
        RETURN;
    END IF;
    SELECT t.premises_id, t.emission_id, e.state, e.reference, e.takings_account_id, e.vouchers_account_id,
           g.prize_account_id INTO STRICT v_of
      FROM promotrot_playticket t JOIN promotrot_emission e ON e.id = t.emission_id
      JOIN promotrot_game g ON g.id = e.game_id WHERE t.id = p_ticket;
    FOR v_voucher IN
        SELECT * FROM jsonb_to_recordset(p_vouchers) AS v(uuid uuid, number smallint, nature text,
            amount bigint, prizes jsonb, thing text, digest text)
    LOOP
        INSERT INTO promotrot_voucher (uuid, emission_id, ticket_id, number, nature, amount_cents,
                prizes, thing, premises_id, terminal_id, issued_at, issue_day, last_day, code_digest)
        VALUES (v_voucher.uuid, v_of.emission_id, p_ticket, v_voucher.number, v_voucher.nature, v_voucher.amount,
                v_voucher.prizes, v_voucher.thing, v_of.premises_id, p_terminal, p_at, v_day,
                v_day + p_claim_days, decode(v_voucher.digest, 'hex'));
        v_to := v_of.vouchers_account_id;
        v_from := v_of.prize_account_id;
        IF v_voucher.nature = 'refund' THEN
            v_to := promotrot_account('promotrot:' || v_of.reference || ':refunds');
            v_from := v_of.takings_account_id;
        END IF;
        IF v_of.state NOT IN ('open', 'stopped') THEN
            v_from := promotrot_account('promotrot:organiser:late');
        END IF;
        INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
        VALUES (v_voucher.uuid, 0, 'promotrot.' || CASE v_voucher.nature
                WHEN 'refund' THEN 'refund_due' ELSE 'award' END, v_from, v_to, v_voucher.amount, p_at);
    END LOOP;
END $$;

-- Return the id of a liability account. Open the account if it is new.
CREATE OR REPLACE FUNCTION promotrot_account(p_code text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_account bigint;
BEGIN
    INSERT INTO ledger_account (code, side, opened_at) VALUES (p_code, 'credit', core_now())
        ON CONFLICT (code) DO NOTHING;
    SELECT a.id INTO STRICT v_account FROM ledger_account a WHERE a.code = p_code;
    RETURN v_account;
END $$;

-- Record an act that is legal after those in `p_before`, [[act, draw, shown], ...], and the end of the
-- play if the act leads to it. Return 'stale' and write nothing if anything is not as the caller thinks:
-- the play, which ticket of its emission it is, its acts, the day, or that the token is of the terminal
-- where the play is. The caller then looks, and is told what. So it may have the play from memory, also
-- from before a failover that lost some acts, and a call that is repeated is recognised.
CREATE OR REPLACE FUNCTION promotrot_act(
    p_token bytea, p_uuid uuid, p_ticket bigint, p_emission bigint, p_opening integer,
    p_position integer, p_before jsonb, p_act text, p_draw bigint, p_shown integer, p_day date,
    p_claim_days integer, p_ending jsonb, p_vouchers jsonb,
    OUT outcome text, OUT at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    v_done text;
    v_terminal bigint;
BEGIN
    v_done := pg_advisory_xact_lock({lock.ticket}, (p_ticket & 2147483647)::integer);
    IF jsonb_array_length(p_vouchers) > 0 THEN
        v_done := pg_advisory_xact_lock_shared({lock.emission}, (p_emission & 2147483647)::integer);
    END IF;
    at := core_now();
    SELECT w.terminal_id INTO v_terminal
      FROM premises_who(p_token => p_token, p_session => NULL, p_at => at) w
      JOIN promotrot_playticket t ON t.premises_id = w.premises_id
     WHERE w.refusal IS NULL AND t.id = p_ticket AND t.uuid = p_uuid AND t.emission_id = p_emission
       AND t.opening = p_opening AND t."position" = p_position
       AND promotrot_terminal_of(t.id, t.terminal_id) = w.terminal_id
       AND NOT EXISTS (SELECT FROM promotrot_playend e WHERE e.ticket_id = p_ticket)
       AND p_before = (SELECT coalesce(jsonb_agg(jsonb_build_array(a.act, a.draw, a.shown)
                                                 ORDER BY a.number), '[]')
                         FROM promotrot_playact a WHERE a.ticket_id = p_ticket);
    IF v_terminal IS NULL OR (at AT TIME ZONE 'Europe/Madrid')::date <> p_day THEN
        outcome := 'stale';
        RETURN;
    END IF;
    v_done := set_config('core.act', concat_ws('|', 'promotrot.act', '', '', v_terminal), true);
    INSERT INTO promotrot_playact (ticket_id, number, act, draw, shown, terminal_id, at)
    VALUES (p_ticket, jsonb_array_length(p_before) + 1, p_act, p_draw, p_shown, v_terminal, at);
    IF p_ending IS NOT NULL THEN
        PERFORM promotrot_end(
            p_ticket => p_ticket, p_terminal => v_terminal, p_at => at,
            p_claim_days => p_claim_days, p_ending => p_ending, p_vouchers => p_vouchers);
    END IF;
    outcome := 'recorded';
END $$;

SELECT core_each('promotrot_act');
