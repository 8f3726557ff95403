-- Accounts and orders move together with money here, each movement in one statement.

-- Makes an anonymous account with its trial. Units of 0 make the account alone.
CREATE FUNCTION shop.register(p_account text, p_plan text, p_units bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.account (id, origin) VALUES (p_account, 'anonymous');
  IF p_units > 0 THEN
    PERFORM ledger.grant_lot('trial:' || p_account, p_account, 'trial', 'seller:trial', 'trial', 'unit', p_plan, p_units, NULL);
  END IF;
END $$;
--> statement-breakpoint

-- Whether the process that claimed an order may still be charging for it. A charge ends within a minute, and a process that ended
-- or fell silent has lost the epoch of its ledger lane. To be wrong costs nothing: the processor charges once for a challenge.
CREATE FUNCTION shop.at_work(p_order shop.purchase) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_order.claimed_at > clock_timestamp() - interval '1 minute'
    AND EXISTS (SELECT FROM ledger.lane n WHERE n.open AND n.id || '#' || n.epoch = p_order.claimed_by)
$$;
--> statement-breakpoint

-- Before anyone is charged: `claimed` for the one process that is to charge, otherwise how the order stands: `busy` (another charges),
-- `in_doubt` (nobody does), `granted`, `declined`, `unknown`. The first credential to come owns the order, and takes over a claim in doubt.
CREATE FUNCTION shop.claim_purchase(p_id text, p_challenge text, p_credential text, p_lane text)
RETURNS TABLE (standing text, own boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN QUERY SELECT 'unknown', false; RETURN; END IF;
  IF v_order.challenge_id IS NULL THEN
    UPDATE shop.purchase SET challenge_id = p_challenge, credential_digest = p_credential WHERE id = p_id RETURNING * INTO v_order;
  END IF;
  own := v_order.credential_digest = p_credential;
  standing := CASE WHEN v_order.state <> 'claimed' THEN v_order.state WHEN shop.at_work(v_order) THEN 'busy' ELSE 'in_doubt' END;
  -- The processor forgets an idempotency key after a day: an older claim is never charged again.
  IF standing = 'offered' OR (standing = 'in_doubt' AND own AND v_order.created_at > clock_timestamp() - interval '20 hours') THEN
    UPDATE shop.purchase SET state = 'claimed', claimed_at = clock_timestamp(),
        claimed_by = p_lane || '#' || coalesce((SELECT epoch FROM ledger.lane WHERE id = p_lane), 0)
      WHERE id = p_id;
    standing := 'claimed';
  END IF;
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Gives a claim up while its charge is in doubt: whoever looks next may go on with it. Another's claim stays as it is;
-- a claim is known by its moment, which callers have in milliseconds.
CREATE FUNCTION shop.release_purchase(p_id text, p_claimed timestamptz) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.purchase SET claimed_by = 'nobody' WHERE id = p_id AND claimed_by IS NOT NULL AND date_trunc('milliseconds', claimed_at) = p_claimed
$$;
--> statement-breakpoint

-- Grants what a payment paid for, once, and makes the order's account where the buyer had none. Safe to repeat in any order of notices.
-- An order that was paid twice (by an agent and, on its hosted page, by a person) becomes two: each payment buys its credit.
-- `p_challenge`: where the payment is the charge for that challenge, which has now ended. Returns the account, or null where there is no such order.
CREATE FUNCTION shop.grant_purchase(p_id text, p_payment text, p_new_account text, p_challenge text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
  v_key text := 'purchase:' || p_id;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v_order.account_id IS NULL THEN
    INSERT INTO shop.account (id, origin) VALUES (p_new_account, 'purchase');
    v_order.account_id := p_new_account;
  END IF;
  IF v_order.state <> 'granted' THEN
    UPDATE shop.purchase SET state = 'granted', account_id = v_order.account_id, payment = p_payment,
        granted_at = clock_timestamp(), failure = NULL
      WHERE id = p_id;
  ELSIF v_order.payment <> p_payment THEN
    v_key := v_key || ':' || p_payment;
    INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, rail, payment, expires_at, granted_at)
      VALUES (p_id || ':' || p_payment, 'granted', v_order.account_id, v_order.plan_id, v_order.amount, v_order.rail, p_payment,
        v_order.expires_at, clock_timestamp())
      ON CONFLICT DO NOTHING;
  END IF;
  PERFORM ledger.grant_lot(v_key, v_order.account_id, 'purchase', 'processor', 'credit', 'usd', v_order.plan_id, v_order.amount, NULL);
  UPDATE shop.purchase SET claimed_by = NULL WHERE id = p_id AND challenge_id = p_challenge AND claimed_by IS NOT NULL;
  RETURN v_order.account_id;
END $$;
--> statement-breakpoint

-- Ends a claim whose charge certainly did not happen, and with it the order unless its hosted page was paid meanwhile.
-- False where the order was not declined by this: it is granted, or the claim is another's.
CREATE FUNCTION shop.decline_purchase(p_id text, p_claimed timestamptz, p_failure text, p_subjects text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_state text;
BEGIN
  UPDATE shop.purchase SET claimed_by = NULL, failure = CASE state WHEN 'claimed' THEN p_failure END,
      state = CASE state WHEN 'claimed' THEN 'declined' ELSE state END
    WHERE id = p_id AND claimed_by IS NOT NULL AND date_trunc('milliseconds', claimed_at) = p_claimed
    RETURNING state INTO v_state;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO shop.decline (subject) SELECT unnest(p_subjects);
  RETURN v_state = 'declined';
END $$;
--> statement-breakpoint

-- Numbers a look at an order's refunds and disputes, before the processor is asked. Null where there is no such granted order.
CREATE FUNCTION shop.look_at(p_id text) RETURNS integer LANGUAGE sql AS $$
  UPDATE shop.purchase SET looks = looks + 1 WHERE id = p_id AND state = 'granted' RETURNING looks
$$;
--> statement-breakpoint

-- Writes what a look found, all of it, and moves the credit accordingly. A look that began before one that is written already is
-- forgotten: each change at the processor brings a notice of its own, and so a later look. Safe to repeat. False where nothing was written.
CREATE FUNCTION shop.write_reversals(p_id text, p_look integer, p_found jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  UPDATE shop.purchase SET seen = p_look WHERE id = p_id AND state = 'granted' AND seen < p_look RETURNING * INTO v_order;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO shop.reversal AS v (id, purchase_id, kind, amount, status, counts, reason)
    SELECT r.id, p_id, r.kind, r.amount, r.status, r.counts, r.reason
      FROM jsonb_to_recordset(p_found) AS r (id text, kind text, amount bigint, status text, counts boolean, reason text)
    ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, status = excluded.status, counts = excluded.counts, reason = excluded.reason,
      updated_at = CASE WHEN (v.amount, v.status, v.counts) = (excluded.amount, excluded.status, excluded.counts) THEN v.updated_at ELSE clock_timestamp() END;
  PERFORM ledger.reverse('purchase:' || p_id, shop.reversed_of(v_order));
  RETURN true;
END $$;
--> statement-breakpoint

-- Makes one account a part of another: its lots move there, and whoever calls on it draws there. A chain is never longer than one step.
-- False where it cannot be: one of them is joined already, or both are the same.
CREATE FUNCTION shop.join_accounts(p_from text, p_to text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  SELECT count(*) INTO v_count FROM (SELECT 1 FROM shop.account WHERE id IN (p_from, p_to) AND joined_to IS NULL ORDER BY id FOR UPDATE) a;
  IF v_count <> 2 THEN RETURN false; END IF;
  UPDATE shop.account SET joined_to = p_to WHERE id = p_from OR joined_to = p_from;
  UPDATE shop.subscription SET account_id = p_to WHERE account_id = p_from;
  PERFORM ledger.move(p_from, p_to);
  RETURN true;
END $$;
