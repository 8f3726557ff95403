-- Grants a lot to an account, once per key. `state`: `given` (also if the same grant was made before), `mismatch` (the key made a different grant),
-- `unknown_account`, `too_much` (the account would exceed the maximum balance). `account`: the account that received it, after joins.
CREATE OR REPLACE FUNCTION shop.grant_credit(p_key text, p_account text, p_plan text, p_asset text, p_amount bigint, p_expires timestamptz, p_reason text, p_who text)
RETURNS TABLE (state text, account text) LANGUAGE plpgsql AS $$
DECLARE
  v_given record;
BEGIN
  SELECT coalesce(a.joined_to, a.id) INTO account FROM shop.account a WHERE a.id = p_account;
  -- FOR UPDATE makes two concurrent calls with one key follow each other.
  PERFORM 1 FROM shop.account a WHERE a.id = account FOR UPDATE;
  IF NOT FOUND THEN state := 'unknown_account'; RETURN NEXT; RETURN; END IF;
  SELECT k.*, shop.resolve_account(p.account_id) AS resolved_account, p.amount INTO v_given FROM ledger.posting p JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id
    WHERE p.key = 'grant:' || p_key;
  IF FOUND THEN
    state := CASE WHEN (v_given.resolved_account, v_given.plan_id, v_given.asset, v_given.amount, v_given.expires_at) IS NOT DISTINCT FROM (account, p_plan, p_asset, p_amount, p_expires)
      THEN 'given' ELSE 'mismatch' END;
    RETURN NEXT;
    RETURN;
  END IF;
  IF p_amount > ledger.held_max() - ledger.held_total(account, p_asset) THEN
    state := 'too_much'; RETURN NEXT; RETURN;
  END IF;
  PERFORM ledger.grant_lot('grant:' || p_key, account, 'grant', 'seller', 'grant', p_asset, p_plan, p_amount, p_expires);
  INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'grant', account,
    jsonb_build_object('key', 'grant:' || p_key, 'asset', p_asset, 'amount', p_amount, 'plan', p_plan, 'expires_at', p_expires, 'reason', p_reason));
  state := 'given';
  RETURN NEXT;
END $$;

-- Creates a promotion. Returns false if its code was used before, even by a promotion that has ended.
CREATE OR REPLACE FUNCTION shop.make_promotion(p_code text, p_plan text, p_asset text, p_amount bigint, p_expires timestamptz, p_lot_days integer, p_max integer,
  p_claimed_only boolean, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_made shop.promotion;
BEGIN
  INSERT INTO shop.promotion (code, plan_id, asset, amount, expires_at, lot_days, redemptions_max, claimed_only)
    VALUES (p_code, p_plan, p_asset, p_amount, p_expires, p_lot_days, p_max, p_claimed_only) ON CONFLICT DO NOTHING RETURNING * INTO v_made;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'promotion_made', p_code, to_jsonb(v_made));
  RETURN true;
END $$;

-- Ends a promotion. Its grants stay. Returns false if no such promotion is running.
CREATE OR REPLACE FUNCTION shop.end_promotion(p_code text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_before shop.promotion;
BEGIN
  SELECT * INTO v_before FROM shop.promotion WHERE code = p_code AND ended_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE shop.promotion SET ended_at = clock_timestamp() WHERE code = p_code;
  INSERT INTO shop.audit (who, act, subject, before, after)
    SELECT p_who, 'promotion_ended', p_code, to_jsonb(v_before), to_jsonb(m) FROM shop.promotion m WHERE m.code = p_code;
  RETURN true;
END $$;

-- Redeems a code for an account. `state`: `given` (with the grant), `had` (redeemed before), `claim_first` (only claimed accounts may), `unknown` (no
-- such code, or it has ended), `limited` (too many failed attempts by one of `p_subjects`). Calls for one account, subject or code follow each other.
CREATE OR REPLACE FUNCTION shop.redeem(p_account text, p_code text, p_subjects text[], p_tries_max integer, p_window interval)
RETURNS TABLE (state text, wait_seconds integer, asset text, amount bigint, expires_at timestamptz) LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
  v_account shop.account;
  v_code shop.promotion;
BEGIN
  SELECT * INTO v_account FROM shop.account a WHERE a.id = (SELECT coalesce(s.joined_to, s.id) FROM shop.account s WHERE s.id = p_account) FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'account % is gone', p_account; END IF;
  PERFORM shop.lock_subjects(p_subjects);
  SELECT ceil(extract(epoch FROM max(tried.at) + p_window - clock_timestamp())) INTO wait_seconds FROM (
    SELECT d.at, row_number() OVER (PARTITION BY d.subject ORDER BY d.at DESC) AS n FROM shop.decline d
      WHERE d.subject = ANY (p_subjects) AND d.at > clock_timestamp() - p_window
  ) tried WHERE tried.n = p_tries_max;
  IF wait_seconds IS NOT NULL THEN
    state := 'limited'; RETURN NEXT; RETURN;
  END IF;
  SELECT * INTO v_code FROM shop.promotion m WHERE m.code = p_code FOR UPDATE;
  IF FOUND AND EXISTS (SELECT FROM shop.account a JOIN ledger.posting p ON p.key = 'promotion:' || p_code || ':' || a.id WHERE a.id = v_account.id OR a.joined_to = v_account.id) THEN
    state := 'had';
  ELSIF v_code.code IS NULL OR v_code.ended_at IS NOT NULL OR v_code.expires_at <= clock_timestamp() OR v_code.redemptions >= v_code.redemptions_max THEN
    state := 'unknown';
    INSERT INTO shop.decline (subject) SELECT unnest(p_subjects);
  ELSIF v_code.claimed_only AND v_account.claimed_at IS NULL THEN
    state := 'claim_first';
  ELSE
    state := 'given';
    asset := v_code.asset;
    amount := v_code.amount;
    expires_at := clock_timestamp() + make_interval(days => v_code.lot_days);
    UPDATE shop.promotion m SET redemptions = m.redemptions + 1 WHERE m.code = p_code;
    PERFORM ledger.grant_lot('promotion:' || p_code || ':' || v_account.id, v_account.id, 'grant', 'promotion:' || p_code, 'grant', asset, v_code.plan_id, amount, expires_at);
  END IF;
  RETURN NEXT;
END $$;
