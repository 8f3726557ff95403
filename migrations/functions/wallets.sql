-- Accepts a signed message once over all processes. Returns false if it was accepted before.
CREATE OR REPLACE FUNCTION shop.consume_proof(p_proof text, p_expires timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.proof (key, expires_at) VALUES (p_proof, p_expires) ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- Signs a wallet in by a message that the caller has verified: to `p_account`, or if that is null to the wallet's oldest account. A wallet without an
-- account gets one, with a trial unless the wallet had one (`p_digest`). `state`: `signed_in`, `used` (the message was accepted before), `foreign` (the wallet does not open that account; the
-- message stays usable). Of two concurrent first sign-ins of a wallet, the second waits and finds the account of the first.
CREATE OR REPLACE FUNCTION shop.sign_in(p_proof text, p_expires timestamptz, p_wallet text, p_account text, p_new_account text, p_plan text, p_units bigint,
  p_asset text DEFAULT 'unit', p_once text[] DEFAULT '{}', p_digest text DEFAULT NULL, p_address text DEFAULT NULL)
RETURNS TABLE (state text, account text, is_new boolean, accounts text[], trial text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('wallet ' || p_wallet, 0));
  is_new := false;
  trial := 'none';
  IF p_account IS NOT NULL AND NOT EXISTS (SELECT FROM shop.wallet w WHERE w.address = p_wallet AND w.account_id = p_account) THEN
    state := 'foreign'; RETURN NEXT; RETURN;
  END IF;
  IF NOT shop.consume_proof(p_proof, p_expires) THEN
    state := 'used'; RETURN NEXT; RETURN;
  END IF;
  IF NOT EXISTS (SELECT FROM shop.wallet w WHERE w.address = p_wallet) THEN
    INSERT INTO shop.wallet (address, account_id) VALUES (p_wallet, p_new_account);
    trial := shop.register(p_new_account, p_plan, p_units, p_asset, p_once, 'wallet', p_digest, p_address);
    is_new := true;
  END IF;
  state := 'signed_in';
  SELECT array_agg(w.account_id ORDER BY w.created_at, w.account_id) INTO accounts FROM shop.wallet w WHERE w.address = p_wallet;
  account := coalesce(p_account, accounts[1]);
  RETURN NEXT;
END $$;

-- Moves the wallets of an account that is joined to another.
CREATE OR REPLACE FUNCTION shop.move_wallets(p_from text, p_to text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.wallet (address, account_id, created_at) SELECT address, p_to, created_at FROM shop.wallet WHERE account_id = p_from ON CONFLICT DO NOTHING;
  DELETE FROM shop.wallet WHERE account_id = p_from;
$$;
