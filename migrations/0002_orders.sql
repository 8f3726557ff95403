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

-- What a claim names: the ledger lane of the process that charges, and its epoch.
CREATE FUNCTION shop.claimant(p_lane text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT p_lane || '#' || coalesce((SELECT epoch FROM ledger.lane WHERE id = p_lane), 0)
$$;
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
    UPDATE shop.purchase SET state = 'claimed', doubted = doubted OR standing = 'in_doubt', claimed_at = clock_timestamp(),
        claimed_by = shop.claimant(p_lane)
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

-- When the allowances of a subscription end: each with the next period, or, where the plan lets them roll over, one period later. The last one
-- of a plan that renews lives on for its days of grace, unless the plan has ended. It says how things are, so periods may come in any order.
CREATE FUNCTION shop.fit_allowances(p_subscription text) RETURNS void LANGUAGE sql AS $$
  WITH changed AS (
    UPDATE ledger.bucket k SET expires_at = t.ends
      FROM (
        SELECT c.account_id, c.id, least(s.ended_at, CASE
            WHEN (o.terms ->> 'rollover')::boolean THEN o.period_end + ('1 ' || (o.terms ->> 'every'))::interval
            ELSE coalesce(lead(o.period_start) OVER (ORDER BY o.period_start), o.period_end + CASE
              WHEN s.processor_id IS NULL OR s.cancel_at_period_end THEN interval '0' ELSE make_interval(days => (o.terms ->> 'graceDays')::integer) END)
          END) AS ends
          FROM shop.purchase o JOIN shop.subscription s ON s.id = o.subscription_id JOIN ledger.posting p ON p.key = 'purchase:' || o.id
            CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
          WHERE o.subscription_id = p_subscription AND o.state = 'granted'
      ) t
      WHERE k.account_id = t.account_id AND k.id = t.id AND k.expires_at IS DISTINCT FROM t.ends
      RETURNING k.account_id
  )
  SELECT ledger.announce_terms(account_id) FROM (SELECT DISTINCT account_id FROM changed) c
$$;
--> statement-breakpoint

-- What lanes have set aside of the plan that an order replaces; they are asked to bring back what no call under way needs. To be asked
-- before the order is granted: what is still set aside then counts as used.
CREATE FUNCTION shop.recall_replaced(p_id text) RETURNS bigint LANGUAGE sql AS $$
  WITH leased AS (
    SELECT l.account_id, sum(l.amount) AS amount FROM shop.purchase o JOIN ledger.posting p ON p.key = 'purchase:' || (o.terms -> 'replaces' ->> 'order')
        CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
        JOIN ledger.lease l ON l.account_id = c.account_id AND l.bucket_id = c.id
      WHERE o.id = p_id AND l.amount > 0 GROUP BY l.account_id
  ), asked AS (SELECT amount, pg_notify('ledger', 'recall:' || account_id) FROM leased)
  SELECT coalesce(sum(amount), 0)::bigint FROM asked
$$;
--> statement-breakpoint

-- What is left of the plan that an order replaces, of the units that were left when the order was priced: who uses them up in between gets
-- so much less of the new plan, rounded against him. Ends the plan that is replaced. Returns the units of the new one.
CREATE FUNCTION shop.take_over(p_order shop.purchase) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_old jsonb := p_order.terms -> 'replaces';
  v_left bigint;
  v_missing bigint;
BEGIN
  IF v_old IS NULL THEN RETURN p_order.units; END IF;
  PERFORM 1 FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c JOIN ledger.bucket k ON k.account_id = c.account_id AND k.id = c.id
    WHERE p.key = 'purchase:' || (v_old ->> 'order') ORDER BY k.id FOR UPDATE OF k;
  -- What has expired, or was taken over by another order, is not left.
  SELECT sum(k.avail) INTO v_left FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
    JOIN ledger.bucket k ON k.account_id = c.account_id AND k.id = c.id
    WHERE p.key = 'purchase:' || (v_old ->> 'order') AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp());
  PERFORM ledger.end_lot('purchase:' || (v_old ->> 'order'));
  UPDATE shop.subscription SET status = 'expired', ended_at = coalesce(ended_at, clock_timestamp())
    WHERE id = (SELECT subscription_id FROM shop.purchase WHERE id = v_old ->> 'order');
  v_missing := greatest(0, (v_old ->> 'units')::bigint - coalesce(v_left, 0));
  -- The value of the missing units by what was credited for them, in units of the new plan at its full price.
  -- Nothing was credited for a plan that was used up already.
  RETURN greatest(1, p_order.units - coalesce(ceil(v_missing::numeric * (v_old ->> 'credit')::numeric / nullif((v_old ->> 'units')::numeric, 0)
    * p_order.units / (p_order.terms ->> 'price')::numeric), 0)::bigint);
END $$;
--> statement-breakpoint

-- Begins the period that a granted order pays: its allowance, and the subscription that it is a period of. Prepaid periods of one plan follow
-- one another, their units are there at once. Safe to repeat.
CREATE FUNCTION shop.begin_period(p_id text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF EXISTS (SELECT FROM ledger.posting WHERE key = 'purchase:' || p_id) THEN RETURN; END IF;
  v_order.subscription_id := coalesce(v_order.subscription_id, 'sub_' || p_id);
  v_order.units := shop.take_over(v_order);
  v_order.period_start := coalesce(v_order.period_start, greatest(clock_timestamp(), (SELECT max(period_end) FROM shop.subscription
    WHERE account_id = v_order.account_id AND plan_id = v_order.plan_id AND processor_id IS NULL AND status = 'active')));
  v_order.period_end := coalesce(v_order.period_end, v_order.period_start + ('1 ' || (v_order.terms ->> 'every'))::interval);
  UPDATE shop.purchase SET subscription_id = v_order.subscription_id, units = v_order.units, period_start = v_order.period_start, period_end = v_order.period_end
    WHERE id = p_id;
  INSERT INTO shop.subscription AS s (id, account_id, plan_id, status, period_start, period_end)
    VALUES (v_order.subscription_id, v_order.account_id, v_order.plan_id, 'active', v_order.period_start, v_order.period_end)
    ON CONFLICT (id) DO UPDATE SET
      plan_id = CASE WHEN excluded.period_end > s.period_end THEN excluded.plan_id ELSE s.plan_id END,
      period_start = CASE WHEN excluded.period_end > s.period_end THEN excluded.period_start ELSE s.period_start END,
      period_end = greatest(s.period_end, excluded.period_end);
  PERFORM ledger.grant_lot('purchase:' || p_id, v_order.account_id, 'purchase', 'processor', 'allowance', 'unit', v_order.plan_id, v_order.units,
    v_order.period_end, v_order.period_end);
  PERFORM shop.fit_allowances(v_order.subscription_id);
END $$;
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
  v_order.account_id := shop.standing(v_order.account_id);
  IF v_order.state <> 'granted' THEN
    UPDATE shop.purchase SET state = 'granted', account_id = v_order.account_id, payment = p_payment,
        granted_at = clock_timestamp(), failure = NULL
      WHERE id = p_id;
  ELSIF v_order.payment <> p_payment THEN
    v_key := v_key || ':' || p_payment;
    INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, units, terms, rail, payment, expires_at, granted_at)
      VALUES (p_id || ':' || p_payment, 'granted', v_order.account_id, v_order.plan_id, v_order.amount, v_order.units,
        v_order.terms - 'replaces', v_order.rail, p_payment, v_order.expires_at, clock_timestamp())
      ON CONFLICT DO NOTHING;
  END IF;
  IF v_order.units IS NULL THEN
    PERFORM ledger.grant_lot(v_key, v_order.account_id, 'purchase', 'processor', 'credit', 'usd', v_order.plan_id, v_order.amount, NULL);
  ELSE
    PERFORM shop.begin_period(substr(v_key, 10));
  END IF;
  UPDATE shop.purchase SET claimed_by = NULL WHERE id = p_id AND challenge_id = p_challenge AND claimed_by IS NOT NULL;
  RETURN v_order.account_id;
END $$;
--> statement-breakpoint

-- Ends a claim whose charge certainly did not happen, and with it the order unless its hosted page was paid meanwhile.
-- False where the order was not declined by this: it is granted, or the claim is another's.
CREATE FUNCTION shop.decline_purchase(p_id text, p_claimed timestamptz, p_failure text, p_subjects text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  UPDATE shop.purchase SET claimed_by = NULL, failure = CASE state WHEN 'claimed' THEN p_failure END,
      state = CASE state WHEN 'claimed' THEN 'declined' ELSE state END
    WHERE id = p_id AND claimed_by IS NOT NULL AND date_trunc('milliseconds', claimed_at) = p_claimed
    RETURNING * INTO v_order;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO shop.decline (subject) SELECT unnest(p_subjects);
  IF v_order.rail = 'top_up' AND v_order.state = 'declined' THEN PERFORM shop.stop_top_ups(v_order.account_id, p_failure); END IF;
  RETURN v_order.state = 'declined';
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
  v_before bigint;
BEGIN
  UPDATE shop.purchase SET seen = p_look WHERE id = p_id AND state = 'granted' AND seen < p_look RETURNING * INTO v_order;
  IF NOT FOUND THEN RETURN false; END IF;
  v_before := shop.reversed_of(v_order);
  INSERT INTO shop.reversal AS v (id, purchase_id, kind, amount, status, counts, reason)
    SELECT r.id, p_id, r.kind, r.amount, r.status, r.counts, r.reason
      FROM jsonb_to_recordset(p_found) AS r (id text, kind text, amount bigint, status text, counts boolean, reason text)
    ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, status = excluded.status, counts = excluded.counts, reason = excluded.reason,
      updated_at = CASE WHEN (v.amount, v.status, v.counts) = (excluded.amount, excluded.status, excluded.counts) THEN v.updated_at ELSE clock_timestamp() END;
  PERFORM ledger.reverse('purchase:' || p_id, shop.reversed_of(v_order));
  -- Nobody's card is charged by itself to make up for what has just gone back to it.
  IF shop.reversed_of(v_order) > v_before THEN PERFORM shop.stop_top_ups(v_order.account_id, 'A payment of this account was refunded or disputed.'); END IF;
  RETURN true;
END $$;
--> statement-breakpoint

-- Makes one account a part of another: its lots, orders, plans and wallets go there, and whoever calls on it draws there. A chain is never
-- longer than one step. Every process is told. False where it cannot be: one of them is joined already, or both are the same.
-- Orders are locked before accounts, as a grant does.
CREATE FUNCTION shop.join_accounts(p_from text, p_to text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_from shop.account;
BEGIN
  PERFORM 1 FROM shop.purchase WHERE account_id = p_from ORDER BY id FOR UPDATE;
  SELECT count(*) INTO v_count FROM (SELECT 1 FROM shop.account WHERE id IN (p_from, p_to) AND joined_to IS NULL ORDER BY id FOR UPDATE) a;
  IF v_count <> 2 THEN RETURN false; END IF;
  SELECT * INTO v_from FROM shop.account WHERE id = p_from;
  UPDATE shop.account SET joined_to = p_to, joined_at = clock_timestamp() WHERE id = p_from OR joined_to = p_from;
  -- The person comes along. Where both have one, either finds the account that remains.
  IF v_from.email IS NOT NULL AND EXISTS (SELECT FROM shop.account WHERE id = p_to AND email IS NULL) THEN
    UPDATE shop.account SET email = NULL WHERE id = p_from;
    UPDATE shop.account SET email = v_from.email, claimed_at = v_from.claimed_at WHERE id = p_to;
  END IF;
  UPDATE shop.purchase SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.subscription SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.wallet SET account_id = p_to WHERE account_id = p_from;
  PERFORM shop.move_top_ups(p_from, p_to);
  PERFORM ledger.move_tickets(p_from, p_to);
  PERFORM ledger.move(p_from, p_to);
  PERFORM pg_notify('revocations', 'joined ' || p_from || ' ' || p_to);
  RETURN true;
END $$;
--> statement-breakpoint

-- Books an invoice that is paid: a period of a plan that renews. The first one pays the order that began it; each later one is an order of
-- its own. Invoices may come in any order and however often. Returns the account.
CREATE FUNCTION shop.grant_invoice(p_order text, p_invoice text, p_is_first boolean, p_subscription text, p_payment text, p_amount bigint,
  p_plan text, p_units bigint, p_terms jsonb, p_start timestamptz, p_end timestamptz, p_new_account text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
  v_account text;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_order FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_account := v_order.account_id;
  IF v_account IS NULL THEN
    v_account := p_new_account;
    INSERT INTO shop.account (id, origin) VALUES (v_account, 'purchase') ON CONFLICT DO NOTHING;
  END IF;
  v_account := shop.standing(v_account);
  UPDATE shop.purchase SET account_id = v_account WHERE id = p_order AND account_id IS DISTINCT FROM v_account;
  IF p_is_first AND v_order.state <> 'granted' THEN
    UPDATE shop.purchase SET state = 'granted', payment = p_payment, subscription_id = p_subscription, period_start = p_start, period_end = p_end,
        granted_at = clock_timestamp(), failure = NULL, claimed_by = NULL
      WHERE id = p_order;
    PERFORM shop.begin_period(p_order);
  ELSIF v_order.payment IS DISTINCT FROM p_payment THEN
    INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, units, terms, rail, subscription_id, period_start, period_end, payment, expires_at, granted_at)
      VALUES (p_invoice, 'granted', v_account, p_plan, p_amount, p_units, p_terms, 'invoice', p_subscription, p_start, p_end, p_payment, p_end, clock_timestamp())
      ON CONFLICT DO NOTHING;
    PERFORM shop.begin_period(p_invoice);
  END IF;
  UPDATE shop.subscription SET processor_id = p_subscription WHERE id = p_subscription AND processor_id IS NULL;
  PERFORM shop.fit_allowances(p_subscription);
  RETURN v_account;
END $$;
--> statement-breakpoint

-- Numbers a look at a subscription, before the processor is asked. Null where nothing of it has been paid yet.
CREATE FUNCTION shop.look_at_subscription(p_id text) RETURNS integer LANGUAGE sql AS $$
  UPDATE shop.subscription SET looks = looks + 1 WHERE id = p_id RETURNING looks
$$;
--> statement-breakpoint

-- Writes how a subscription stands at the processor; a look that began before one that is written already is forgotten.
CREATE FUNCTION shop.write_subscription(p_id text, p_look integer, p_status text, p_cancel boolean, p_next_plan text, p_ended timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.subscription SET seen = p_look, status = p_status, cancel_at_period_end = p_cancel,
      next_plan_id = nullif(p_next_plan, plan_id), ended_at = p_ended
    WHERE id = p_id AND seen < p_look;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM shop.fit_allowances(p_id);
  RETURN true;
END $$;
--> statement-breakpoint

-- A change of plan that is to be asked of the processor, written down before it is: who asks again, after whatever came between, asks for the
-- very same under the same number. Only one is open at a time.
CREATE FUNCTION shop.begin_change(p_id text, p_plan text, p_credit bigint) RETURNS TABLE (number integer, plan text, credit bigint) LANGUAGE sql AS $$
  UPDATE shop.subscription s SET change_plan = coalesce(s.change_plan, p_plan), change_credit = CASE WHEN s.change_plan IS NULL THEN p_credit ELSE s.change_credit END
    WHERE s.id = p_id RETURNING s.change_number, s.change_plan, s.change_credit
$$;
--> statement-breakpoint

-- Its outcome is known. Safe to repeat.
CREATE FUNCTION shop.end_change(p_id text, p_number integer) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.subscription SET change_number = change_number + 1, change_plan = NULL, change_credit = NULL WHERE id = p_id AND change_number = p_number
$$;
