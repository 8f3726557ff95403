-- Payment proofs that were taken, each once in all processes together, and the accounts of the wallets that signed them.
CREATE TABLE shop.proof (
  key text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX proof_expires_at ON shop.proof (expires_at);
--> statement-breakpoint
-- An address is the same wallet on every chain. The key to its account comes first and the account after it, hence deferred.
CREATE TABLE shop.wallet (
  address text PRIMARY KEY CHECK (address ~ '^0x[0-9a-f]{40}$'),
  account_id text NOT NULL REFERENCES shop.account (id) DEFERRABLE INITIALLY DEFERRED,
  created_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX wallet_account ON shop.wallet (account_id);
--> statement-breakpoint

-- Takes a proof and names the account of its wallet; who is new gets an account with its trial. No row where the proof was taken before.
-- Of two first proofs of one wallet at once, the second waits at the wallet's row, and finds the account that the first one made.
CREATE FUNCTION shop.sign_in(p_proof text, p_expires timestamptz, p_wallet text, p_new_account text, p_plan text, p_units bigint)
RETURNS TABLE (account text, is_new boolean) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.proof (key, expires_at) VALUES (p_proof, p_expires) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO shop.wallet (address, account_id) VALUES (p_wallet, p_new_account) ON CONFLICT DO NOTHING;
  is_new := FOUND;
  IF is_new THEN PERFORM shop.register(p_new_account, p_plan, p_units); END IF;
  SELECT w.account_id INTO STRICT account FROM shop.wallet w WHERE w.address = p_wallet;
  RETURN NEXT;
END $$;
