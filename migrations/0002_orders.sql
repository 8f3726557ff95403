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

-- Claims an order for one credential before anyone is charged: `claimed`, `same` (this credential has it already) or `taken`.
CREATE FUNCTION shop.claim_purchase(p_id text, p_challenge text, p_credential text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'unknown'; END IF;
  IF v_order.challenge_id = p_challenge AND v_order.credential_digest = p_credential THEN RETURN 'same'; END IF;
  IF v_order.state <> 'offered' OR v_order.challenge_id IS NOT NULL THEN RETURN 'taken'; END IF;
  UPDATE shop.purchase SET state = 'claimed', challenge_id = p_challenge, credential_digest = p_credential, claimed_at = clock_timestamp() WHERE id = p_id;
  RETURN 'claimed';
END $$;
--> statement-breakpoint

-- Grants what an order paid for, once, and makes its account where the buyer had none. Safe to repeat in any order of notices.
-- An order that was paid twice (by an agent and, on its hosted page, by a person) becomes two: each payment buys its credit.
-- Returns the order's account, or null where there is no such order.
CREATE FUNCTION shop.grant_purchase(p_id text, p_payment_intent text, p_new_account text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF v_order.state = 'granted' THEN
    IF p_payment_intent IS NULL OR v_order.payment_intent IS NULL OR p_payment_intent = v_order.payment_intent THEN RETURN v_order.account_id; END IF;
    INSERT INTO shop.purchase (id, state, account_id, plan_id, amount, payment_intent, expires_at, granted_at)
      VALUES (p_id || ':' || p_payment_intent, 'granted', v_order.account_id, v_order.plan_id, v_order.amount, p_payment_intent,
        v_order.expires_at, clock_timestamp())
      ON CONFLICT DO NOTHING;
    PERFORM ledger.grant_lot('purchase:' || p_id || ':' || p_payment_intent, v_order.account_id, 'purchase', 'processor:stripe', 'credit', 'usd',
      v_order.plan_id, v_order.amount, NULL);
    RETURN v_order.account_id;
  END IF;
  IF v_order.account_id IS NULL THEN
    INSERT INTO shop.account (id, origin) VALUES (p_new_account, 'purchase');
    v_order.account_id := p_new_account;
  END IF;
  PERFORM ledger.grant_lot('purchase:' || p_id, v_order.account_id, 'purchase', 'processor:stripe', 'credit', 'usd', v_order.plan_id, v_order.amount, NULL);
  UPDATE shop.purchase SET state = 'granted', account_id = v_order.account_id, payment_intent = coalesce(p_payment_intent, payment_intent),
      granted_at = clock_timestamp(), failure = NULL
    WHERE id = p_id;
  RETURN v_order.account_id;
END $$;
--> statement-breakpoint

-- Ends a claimed order whose charge certainly did not happen.
CREATE FUNCTION shop.decline_purchase(p_id text, p_failure text, p_subjects text[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.purchase SET state = 'declined', failure = p_failure WHERE id = p_id AND state = 'claimed';
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO shop.decline (subject) SELECT unnest(p_subjects);
  RETURN true;
END $$;
