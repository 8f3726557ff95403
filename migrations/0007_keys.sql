-- Keys that an account makes for its own programs: long-lived bearers, each with what it may do. Only the digest of a key is stored.
CREATE TABLE shop.key (
  id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES shop.account (id),
  -- SHA-256 of the key, in hex; and its last characters, by which its owner knows it again.
  digest text NOT NULL UNIQUE,
  hint text NOT NULL,
  name text NOT NULL,
  -- In micro-dollars: what calls under it may be worth in all. It is a lot of the ledger that holds no money (`budget`), whose account is the key.
  budget bigint CHECK (budget > 0),
  services text[] CHECK (cardinality(services) > 0),
  expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  revoked_at timestamptz
);
--> statement-breakpoint
CREATE INDEX key_account ON shop.key (account_id, created_at) WHERE revoked_at IS NULL;
--> statement-breakpoint

-- Makes a key, with its budget. False where the account has as many as it may.
CREATE FUNCTION shop.make_key(p_id text, p_account text, p_digest text, p_hint text, p_name text, p_budget bigint, p_services text[], p_expires timestamptz, p_max integer)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- For update: two at once are one after the other, so that the limit holds.
  PERFORM 1 FROM shop.account WHERE id = p_account FOR UPDATE;
  IF (SELECT count(*) FROM shop.key WHERE account_id = p_account AND revoked_at IS NULL) >= p_max THEN RETURN false; END IF;
  INSERT INTO shop.key (id, account_id, digest, hint, name, budget, services, expires_at) VALUES (p_id, p_account, p_digest, p_hint, p_name, p_budget, p_services, p_expires);
  IF p_budget IS NOT NULL THEN
    PERFORM ledger.grant_lot('budget:' || p_id, p_id, 'budget', 'account', 'budget', 'usd', '#budget', p_budget, p_expires);
  END IF;
  RETURN true;
END $$;
--> statement-breakpoint

-- Ends a key of an account, or of one that has become a part of it. False where there is none; safe to repeat.
CREATE FUNCTION shop.end_key(p_account text, p_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.key k SET revoked_at = coalesce(revoked_at, clock_timestamp())
    FROM shop.account a WHERE k.id = p_id AND a.id = k.account_id AND coalesce(a.joined_to, a.id) = p_account;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger.end_lot('budget:' || p_id);
  RETURN true;
END $$;
