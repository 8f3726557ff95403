-- What an account may know and arrange by itself: keys for its own programs, and what was used.

-- Keys: long-lived bearers, each with what it may do. Only the digest of a key is stored.
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

-- Makes a key, with its budget. When it was made; null where the account has as many as it may.
CREATE FUNCTION shop.make_key(p_id text, p_account text, p_digest text, p_hint text, p_name text, p_budget bigint, p_services text[], p_expires timestamptz, p_max integer)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v_made timestamptz := clock_timestamp();
BEGIN
  -- For update: two at once are one after the other, so that the limit holds.
  PERFORM 1 FROM shop.account WHERE id = p_account FOR UPDATE;
  IF (SELECT count(*) FROM shop.key WHERE account_id = p_account AND revoked_at IS NULL) >= p_max THEN RETURN NULL; END IF;
  INSERT INTO shop.key (id, account_id, digest, hint, name, budget, services, expires_at, created_at)
    VALUES (p_id, p_account, p_digest, p_hint, p_name, p_budget, p_services, p_expires, v_made);
  IF p_budget IS NOT NULL THEN
    PERFORM ledger.grant_lot('budget:' || p_id, p_id, 'budget', 'account', 'budget', 'usd', '#budget', p_budget, p_expires);
  END IF;
  RETURN v_made;
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
--> statement-breakpoint

-- The calls of an account, and of those that are a part of it, from one moment to another: what each lot bore of them, less what was given back.
-- `cost` in micro-dollars; what included units bear costs nothing, and is `included`.
CREATE FUNCTION ledger.used(p_account text, p_from timestamptz, p_to timestamptz)
RETURNS TABLE (call_id uuid, service text, operation text, plan_id text, key_id text, status smallint, units integer, included bigint, cost bigint, is_returned boolean) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, u.service, u.operation, u.plan_id, u.key_id, u.status, CASE WHEN p.key IS NULL THEN u.units ELSE 0 END,
      CASE WHEN p.key IS NULL AND k.asset = 'unit' THEN u.amount ELSE 0 END, CASE WHEN p.key IS NULL AND k.asset = 'usd' THEN u.amount ELSE 0 END, p.key IS NOT NULL
    FROM ledger.usage u
      LEFT JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id
      LEFT JOIN ledger.posting p ON p.account_id = u.account_id AND p.bucket_id = u.bucket_id AND p.kind = 'undelivered' AND p.key = 'undelivered:' || u.call_id || ':' || u.draw
    WHERE u.account_id IN (SELECT a.id FROM shop.account a WHERE a.id = p_account OR a.joined_to = p_account)
      AND u.call_id >= ledger.uuid_at(p_from) AND u.call_id < ledger.uuid_at(p_to)
$$;
--> statement-breakpoint

-- The same in sums, by what `p_group` names: service, operation, plan, key or day (UTC). A call that several plans bear counts once for each.
CREATE FUNCTION ledger.used_by(p_account text, p_from timestamptz, p_to timestamptz, p_group text)
RETURNS TABLE (name text, calls bigint, units bigint, included bigint, cost bigint) LANGUAGE sql STABLE AS $$
  SELECT CASE p_group WHEN 'service' THEN u.service WHEN 'operation' THEN u.operation WHEN 'plan' THEN u.plan_id WHEN 'key' THEN u.key_id
        ELSE to_char(ledger.time_of(u.call_id) AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS name,
      count(DISTINCT u.call_id), sum(u.units)::bigint, sum(u.included)::bigint, sum(u.cost)::bigint
    FROM ledger.used(p_account, p_from, p_to) u GROUP BY 1 ORDER BY 1 NULLS LAST
$$;
--> statement-breakpoint

-- Indexes days of usage that have ended, so that what an account used is found without reading those of all: nothing is written there any more,
-- and on the day that is written to, an index would cost a third of the hot path. One day at a time; true while there are more.
CREATE FUNCTION ledger.index_usage() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
BEGIN
  SELECT c.relname INTO v_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'ledger.usage'::regclass AND c.relname ~ '^usage_\d{8}$'
      AND c.relname < 'usage_' || to_char((clock_timestamp() - interval '1 hour') AT TIME ZONE 'UTC', 'YYYYMMDD')
      AND to_regclass('ledger.' || c.relname || '_account') IS NULL
    ORDER BY 1 LIMIT 1;
  IF v_name IS NULL THEN RETURN false; END IF;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON ledger.%I (account_id, call_id)', v_name || '_account', v_name);
  RETURN true;
END $$;
