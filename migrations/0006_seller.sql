-- What the seller gives and forbids: each act is one statement, together with its entry in the audit log.

-- Gives an account a lot, once for each key. `state`: `given` (also when it was before, in the same words), `mismatch` (the key gave something
-- else), `unknown_account`. `account`: the one that it stands in now.
CREATE FUNCTION shop.give(p_key text, p_account text, p_plan text, p_asset text, p_amount bigint, p_expires timestamptz, p_reason text, p_who text)
RETURNS TABLE (state text, account text) LANGUAGE plpgsql AS $$
DECLARE
  v_given record;
BEGIN
  SELECT coalesce(a.joined_to, a.id) INTO account FROM shop.account a WHERE a.id = p_account;
  -- For update: the same key twice at once for one account is one after the other.
  PERFORM 1 FROM shop.account a WHERE a.id = account FOR UPDATE;
  IF NOT FOUND THEN state := 'unknown_account'; RETURN NEXT; RETURN; END IF;
  SELECT k.*, shop.standing(p.account_id) AS standing, p.amount INTO v_given FROM ledger.posting p JOIN ledger.bucket k ON k.account_id = p.account_id AND k.id = p.bucket_id
    WHERE p.key = 'grant:' || p_key;
  IF FOUND THEN
    state := CASE WHEN (v_given.standing, v_given.plan_id, v_given.asset, v_given.amount, v_given.expires_at) IS NOT DISTINCT FROM (account, p_plan, p_asset, p_amount, p_expires)
      THEN 'given' ELSE 'mismatch' END;
    RETURN NEXT;
    RETURN;
  END IF;
  PERFORM ledger.grant_lot('grant:' || p_key, account, 'grant', 'seller', 'grant', p_asset, p_plan, p_amount, p_expires);
  INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'grant', account,
    jsonb_build_object('key', 'grant:' || p_key, 'asset', p_asset, 'amount', p_amount, 'plan', p_plan, 'expires_at', p_expires, 'reason', p_reason));
  state := 'given';
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Makes a promotion. False where its code is taken, be it by one that has ended.
CREATE FUNCTION shop.make_promotion(p_code text, p_plan text, p_asset text, p_amount bigint, p_expires timestamptz, p_lot_days integer, p_max integer,
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
--> statement-breakpoint

-- Ends a promotion; what it gave stays. False where there is none that runs.
CREATE FUNCTION shop.end_promotion(p_code text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
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
--> statement-breakpoint

-- An account sends a code. `state`: `given`, with what; `had`: it has been given before; `claim_first`; `unknown`: there is no such code, or not any
-- more; `limited`: too many were tried in vain by one of `p_subjects`. One at a time for each account and each code.
CREATE FUNCTION shop.redeem(p_account text, p_code text, p_subjects text[], p_tries_max integer, p_window interval)
RETURNS TABLE (state text, wait_seconds integer, asset text, amount bigint, expires_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  v_account shop.account;
  v_code shop.promotion;
BEGIN
  SELECT * INTO v_account FROM shop.account a WHERE a.id = (SELECT coalesce(s.joined_to, s.id) FROM shop.account s WHERE s.id = p_account) FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'account % is gone', p_account; END IF;
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
--> statement-breakpoint

-- Lets an account do nothing but look, or lets it go on; its money stays. Every process is told. `state`: `done`, `same` (it was so before), `unknown_account`.
CREATE FUNCTION shop.freeze(p_account text, p_frozen boolean, p_reason text, p_who text) RETURNS TABLE (state text, account text) LANGUAGE plpgsql AS $$
DECLARE
  v_before timestamptz;
BEGIN
  SELECT coalesce(a.joined_to, a.id) INTO account FROM shop.account a WHERE a.id = p_account;
  SELECT a.frozen_at INTO v_before FROM shop.account a WHERE a.id = account FOR UPDATE;
  IF NOT FOUND THEN state := 'unknown_account'; RETURN NEXT; RETURN; END IF;
  IF (v_before IS NOT NULL) = p_frozen THEN state := 'same'; RETURN NEXT; RETURN; END IF;
  UPDATE shop.account a SET frozen_at = CASE WHEN p_frozen THEN clock_timestamp() END WHERE a.id = account;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, CASE WHEN p_frozen THEN 'frozen' ELSE 'unfrozen' END, account,
    jsonb_build_object('frozen_at', v_before), jsonb_build_object('frozen', p_frozen, 'reason', p_reason));
  PERFORM pg_notify('revocations', CASE WHEN p_frozen THEN 'frozen ' ELSE 'thawed ' END || account);
  state := 'done';
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Every catalogue that was sold by, as it was written, and when a process last took it. The digest is of the catalogue and of the description of
-- the upstream, so that whoever sells by the same files has the same.
CREATE TABLE shop.catalog (
  digest text PRIMARY KEY,
  text text NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
--> statement-breakpoint

-- Makes another secret of `p_name` beside the one that is in use; what it is the third of is dropped. False while the last one is younger than
-- `p_rest`: what the one before it signed may not have been used yet.
CREATE FUNCTION shop.rotate_secret(p_name text, p_value text, p_rest interval, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_last shop.secret;
BEGIN
  SELECT * INTO v_last FROM shop.secret WHERE split_part(name, ' ', 1) = p_name ORDER BY created_at DESC LIMIT 1 FOR UPDATE;
  IF v_last.created_at > clock_timestamp() - p_rest THEN RETURN false; END IF;
  DELETE FROM shop.secret WHERE split_part(name, ' ', 1) = p_name AND name <> v_last.name;
  INSERT INTO shop.secret (name, value, created_at)
    VALUES (p_name || ' ' || coalesce(nullif(split_part(v_last.name, ' ', 2), '')::int, 1) + 1, p_value, clock_timestamp());
  INSERT INTO shop.audit (who, act, subject) VALUES (p_who, 'secret_rotated', p_name);
  PERFORM pg_notify('seller', 'secrets');
  RETURN true;
END $$;
