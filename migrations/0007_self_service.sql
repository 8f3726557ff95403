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
--> statement-breakpoint

-- What buyers ask to have back: once for each purchase. What went back since says whether they got it.
CREATE TABLE shop.refund_request (
  purchase_id text PRIMARY KEY REFERENCES shop.purchase (id),
  amount bigint NOT NULL CHECK (amount > 0),
  reason text NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  declined_at timestamptz,
  -- Why the seller declined, for the buyer.
  answer text,
  -- When the mail to the seller had left; until when nobody else is to send it.
  told_at timestamptz,
  telling_until timestamptz,
  CHECK ((declined_at IS NULL) = (answer IS NULL))
);
--> statement-breakpoint
CREATE INDEX refund_request_asked ON shop.refund_request (asked_at, purchase_id);
--> statement-breakpoint
CREATE INDEX refund_request_untold ON shop.refund_request (asked_at) WHERE told_at IS NULL;
--> statement-breakpoint

-- Each request with its purchase. `refunded`: what went back since it was made; `unspent`: what of the purchase is there still, in micro-dollars,
-- of included units the share that they are of the price.
CREATE VIEW shop.refund_request_shown AS
  SELECT r.purchase_id, o.account_id, o.plan_id, o.amount AS paid, r.amount, r.reason, r.asked_at, r.declined_at, r.answer, v.refunded, u.unspent,
      CASE WHEN v.refunded > 0 THEN 'refunded' WHEN r.declined_at IS NOT NULL THEN 'declined' ELSE 'open' END AS state
    FROM shop.refund_request r JOIN shop.purchase o ON o.id = r.purchase_id
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(w.amount), 0)::bigint AS refunded FROM shop.reversal w
          WHERE w.purchase_id = o.id AND w.kind = 'refund' AND w.counts AND w.created_at >= r.asked_at
      ) v CROSS JOIN LATERAL (
        SELECT coalesce(sum(CASE WHEN o.units IS NULL THEN t.remaining ELSE floor(t.remaining::numeric * o.amount / o.units) END), 0)::bigint AS unspent
          FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
            JOIN ledger.statement(o.account_id) t ON t.bucket_id = c.id
          WHERE p.key = 'purchase:' || o.id AND c.account_id = o.account_id AND c.moved_to IS NULL
            AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
      ) u;
--> statement-breakpoint

-- The seller declines a request, with a reason for the buyer; in the audit log by the same statement. False where it is not open.
CREATE FUNCTION shop.decline_refund_request(p_purchase text, p_answer text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM shop.refund_request WHERE purchase_id = p_purchase FOR UPDATE;
  IF NOT EXISTS (SELECT FROM shop.refund_request_shown WHERE purchase_id = p_purchase AND state = 'open') THEN RETURN false; END IF;
  UPDATE shop.refund_request SET declined_at = clock_timestamp(), answer = p_answer WHERE purchase_id = p_purchase;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, 'refund_declined', p_purchase, NULL, jsonb_build_object('answer', p_answer));
  RETURN true;
END $$;
