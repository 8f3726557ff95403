-- What the seller's console looks at: by time, what wants attention and why, and use by the hour, so that no page walks all calls.

-- Why a notice of the processor could not be worked off, when it was last tried.
ALTER TABLE shop.processor_event ADD COLUMN failure text, ADD COLUMN failed_at timestamptz;
--> statement-breakpoint
CREATE INDEX processor_event_open ON shop.processor_event (received_at) WHERE done_at IS NULL;
--> statement-breakpoint
-- Why reconciliation could not end an order, when it last tried. It says something of an open order alone.
ALTER TABLE shop.purchase ADD COLUMN unreconciled text;
--> statement-breakpoint
CREATE INDEX purchase_unreconciled ON shop.purchase (created_at) WHERE unreconciled IS NOT NULL;
--> statement-breakpoint
CREATE INDEX purchase_granted ON shop.purchase (granted_at) WHERE state = 'granted';
--> statement-breakpoint
CREATE INDEX purchase_declined ON shop.purchase (created_at, id) WHERE state = 'declined';
--> statement-breakpoint
CREATE INDEX reversal_created_at ON shop.reversal (created_at);
--> statement-breakpoint
CREATE INDEX reversal_open ON shop.reversal (created_at) WHERE kind = 'dispute' AND status IN ('needs_response', 'under_review', 'warning_needs_response', 'warning_under_review');
--> statement-breakpoint
CREATE INDEX subscription_past_due ON shop.subscription (period_end) WHERE status = 'past_due';
--> statement-breakpoint
CREATE INDEX account_email_prefix ON shop.account (email text_pattern_ops) WHERE email IS NOT NULL;
--> statement-breakpoint
CREATE INDEX top_up_customer ON shop.top_up ((saved_card ->> 'customer'));
--> statement-breakpoint
CREATE INDEX posting_undelivered ON ledger.posting (at) WHERE kind = 'undelivered';
--> statement-breakpoint

-- Use by the hour, of hours that have ended. Rows of usage are only ever added and none an hour later, so a sum stays true; what is
-- given back afterwards is a posting.
CREATE TABLE ledger.used_hour (
  hour timestamptz NOT NULL,
  service text NOT NULL,
  calls bigint NOT NULL,
  units bigint NOT NULL,
  included bigint NOT NULL,
  cost bigint NOT NULL,
  PRIMARY KEY (hour, service)
);
--> statement-breakpoint
-- The last of those hours in which an account called.
CREATE TABLE ledger.caller (
  account_id text PRIMARY KEY,
  hour timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX caller_hour ON ledger.caller (hour);
--> statement-breakpoint

-- Calls from then on are not summed up yet.
CREATE FUNCTION ledger.summed_until() RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(hour) + interval '1 hour', to_timestamp(0)) FROM ledger.used_hour
$$;
--> statement-breakpoint

-- The rows of usage between two moments, as people count them: budgets are caps and no use. `cost` in micro-dollars; what included units bear is `included`.
CREATE FUNCTION ledger.use_of(p_from timestamptz, p_to timestamptz)
RETURNS TABLE (call_id uuid, is_call boolean, account_id text, service text, units integer, included bigint, cost bigint) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, u.draw = 0, u.account_id, u.service, u.units, CASE k.asset WHEN 'unit' THEN u.amount ELSE 0 END, CASE k.asset WHEN 'usd' THEN u.amount ELSE 0 END
    FROM ledger.usage u LEFT JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id
    WHERE u.call_id >= ledger.uuid_at(p_from) AND u.call_id < ledger.uuid_at(p_to) AND u.plan_id IS DISTINCT FROM '#budget'
$$;
--> statement-breakpoint

-- Sums up hours that have ended, a day of them at a time; true while there may be more. Safe to repeat and to run in several processes.
CREATE FUNCTION ledger.sum_usage() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_from timestamptz := ledger.summed_until();
  v_to timestamptz := date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour';
BEGIN
  SELECT date_trunc('hour', ledger.time_of(call_id), 'UTC') INTO v_from FROM ledger.usage WHERE call_id >= ledger.uuid_at(v_from) ORDER BY call_id LIMIT 1;
  v_to := least(v_to, v_from + interval '1 day');
  IF v_from IS NULL OR v_from >= v_to THEN RETURN false; END IF;
  WITH used AS MATERIALIZED (
    SELECT date_trunc('hour', ledger.time_of(call_id), 'UTC') AS hour, u.* FROM ledger.use_of(v_from, v_to) u
  ), summed AS (
    INSERT INTO ledger.used_hour (hour, service, calls, units, included, cost)
      SELECT hour, service, count(*) FILTER (WHERE is_call), sum(units), sum(included), sum(cost) FROM used GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT DO NOTHING
  )
  INSERT INTO ledger.caller AS c (account_id, hour) SELECT account_id, max(hour) FROM used GROUP BY 1 ORDER BY 1
    ON CONFLICT (account_id) DO UPDATE SET hour = greatest(c.hour, excluded.hour);
  RETURN true;
END $$;
--> statement-breakpoint

-- What was used of each service since an hour began, less what was given back since.
CREATE FUNCTION ledger.use_by_service(p_from timestamptz) RETURNS TABLE (service text, calls bigint, units bigint, included bigint, cost bigint) LANGUAGE sql STABLE AS $$
  SELECT a.service, sum(a.calls)::bigint, sum(a.units)::bigint, sum(a.included)::bigint, sum(a.cost)::bigint FROM (
    SELECT h.service, h.calls, h.units, h.included, h.cost FROM ledger.used_hour h WHERE h.hour >= p_from
    UNION ALL
    SELECT u.service, count(*) FILTER (WHERE u.is_call), sum(u.units), sum(u.included), sum(u.cost)
      FROM ledger.use_of(greatest(p_from, ledger.summed_until()), now() + interval '1 day') u GROUP BY 1
    UNION ALL
    SELECT u.service, 0, -u.units, CASE k.asset WHEN 'unit' THEN -u.amount ELSE 0 END, CASE k.asset WHEN 'usd' THEN -u.amount ELSE 0 END
      FROM ledger.posting p JOIN ledger.usage u ON u.call_id = split_part(p.key, ':', 2)::uuid AND u.draw = split_part(p.key, ':', 3)::smallint
        JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id AND k.kind <> 'budget'
      WHERE p.kind = 'undelivered' AND p.at >= p_from
  ) a GROUP BY 1 ORDER BY sum(a.cost) DESC, sum(a.units) DESC, 1
$$;
--> statement-breakpoint

-- How many accounts called since an hour began; one that is a part of another counts as that one.
CREATE FUNCTION ledger.callers_since(p_from timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT count(DISTINCT coalesce(a.joined_to, c.account_id)) FROM (
    SELECT account_id FROM ledger.caller WHERE hour >= p_from
    UNION SELECT account_id FROM ledger.use_of(greatest(p_from, ledger.summed_until()), now() + interval '1 day')
  ) c LEFT JOIN shop.account a ON a.id = c.account_id
$$;
--> statement-breakpoint

-- What all accounts together have left, over all processes: what was paid for, and what was given.
CREATE FUNCTION ledger.unspent() RETURNS TABLE (asset text, is_paid boolean, amount bigint) LANGUAGE sql STABLE AS $$
  WITH unfolded AS MATERIALIZED (
    SELECT s.account_id, s.bucket_id, sum(s.amount)::bigint AS amount FROM ledger.lane n, LATERAL ledger.unfolded(n.id, n.epoch, n.folded_seq) s WHERE n.open GROUP BY 1, 2
  ), leased AS MATERIALIZED (
    SELECT l.account_id, l.bucket_id, sum(l.amount)::bigint AS amount FROM ledger.lease l GROUP BY 1, 2
  )
  SELECT k.asset, k.kind IN ('credit', 'allowance'), sum(greatest(0, k.avail + coalesce(l.amount, 0) - coalesce(s.amount, 0) - k.owed))::bigint
    FROM ledger.bucket k LEFT JOIN leased l ON l.account_id = k.account_id AND l.bucket_id = k.id LEFT JOIN unfolded s ON s.account_id = k.account_id AND s.bucket_id = k.id
    WHERE k.kind <> 'budget' AND (k.avail > 0 OR l.amount > 0) AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    GROUP BY 1, 2
$$;
--> statement-breakpoint

-- What of an order went back and was not there to be taken, in micro-dollars.
CREATE FUNCTION shop.loss_of(p_id text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN o.units IS NULL THEN k.owed ELSE ceil(k.owed::numeric * o.amount / o.units) END), 0)::bigint
    FROM shop.purchase o JOIN ledger.posting p ON p.key = 'purchase:' || o.id
      CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c JOIN ledger.bucket k ON k.account_id = c.account_id AND k.id = c.id
    WHERE o.id = p_id
$$;
