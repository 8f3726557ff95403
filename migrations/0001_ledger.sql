-- The ledger: what every account was given, what is set aside, what was used. Nothing but the functions below moves money,
-- and each of them is one statement, so that no lost connection can leave half a movement (docs/architecture.md).
CREATE SCHEMA ledger;
--> statement-breakpoint

-- A lot: what an account was given at one time. Units of results (`unit`) or micro-dollars (`usd`).
CREATE TABLE ledger.bucket (
  account_id text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  asset text NOT NULL CHECK (asset IN ('usd', 'unit')),
  -- A budget is a cap on what may be drawn under one key, and no money: its account is the key (0007_self_service.sql).
  kind text NOT NULL CHECK (kind IN ('trial', 'allowance', 'credit', 'grant', 'budget')),
  plan_id text NOT NULL,
  -- Burn order: priority, then the earliest expiry, then the oldest. Units stand before money.
  priority smallint NOT NULL,
  avail bigint NOT NULL CHECK (avail >= 0),
  -- What a refund or dispute takes back and was not there to be taken: it goes as soon as it is. What is spent is never asked of
  -- the buyer again: an amount that stays here is the seller's loss.
  owed bigint NOT NULL DEFAULT 0 CHECK (owed >= 0),
  expires_at timestamptz,
  -- When an allowance is renewed; its units may live on for the plan's days of grace.
  resets_at timestamptz,
  -- Where what is left went when the account was joined to another one.
  moved_account text,
  moved_to bigint,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Used up, and a newer lot stands for its plan: lanes look at it no more, so that a call costs as little after a thousand purchases as
  -- after one. Whatever comes back to it, or is owed of it, opens it again.
  closed boolean NOT NULL DEFAULT false CHECK (NOT closed OR (avail = 0 AND owed = 0)),
  PRIMARY KEY (account_id, id)
) WITH (fillfactor = 70);
--> statement-breakpoint
CREATE INDEX bucket_open ON ledger.bucket (account_id, id) WHERE NOT closed;
--> statement-breakpoint
CREATE INDEX bucket_expiry ON ledger.bucket (expires_at) WHERE expires_at IS NOT NULL AND avail > 0;
--> statement-breakpoint
CREATE INDEX bucket_owed ON ledger.bucket (account_id, id) WHERE owed > 0;
--> statement-breakpoint
CREATE INDEX bucket_moved ON ledger.bucket (moved_account, moved_to) WHERE moved_to IS NOT NULL;
--> statement-breakpoint

-- The journal: every entry into or out of a bucket except usage. `contra` is the other side of the double entry.
CREATE TABLE ledger.posting (
  key text PRIMARY KEY,
  account_id text NOT NULL,
  bucket_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('purchase', 'trial', 'grant', 'budget', 'expiry', 'undelivered', 'reversed', 'reinstated', 'moved')),
  contra text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
--> statement-breakpoint
CREATE INDEX posting_bucket ON ledger.posting (account_id, bucket_id);
--> statement-breakpoint

-- One writer for each process. The epoch rises whenever the lane is opened or reaped, and fences what came before.
CREATE TABLE ledger.lane (
  id text PRIMARY KEY,
  epoch bigint NOT NULL,
  open boolean NOT NULL,
  folded_seq bigint NOT NULL,
  delivered_seq bigint NOT NULL,
  heartbeat_at timestamptz NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint

-- What of a bucket is set aside for a lane, less what folded batches spent.
CREATE TABLE ledger.lease (
  lane_id text NOT NULL,
  account_id text NOT NULL,
  bucket_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  PRIMARY KEY (lane_id, account_id, bucket_id)
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE INDEX lease_bucket ON ledger.lease (account_id, bucket_id);
--> statement-breakpoint

-- What one commit settled: append-only. `spent` is summed for each bucket, so that folding reads no usage rows. Kept for an hour:
-- written fast rather than small.
CREATE TABLE ledger.batch (
  lane_id text NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  account_ids text[] NOT NULL,
  bucket_ids bigint[] NOT NULL,
  spent bigint[] NOT NULL,
  call_ids uuid[] NOT NULL,
  PRIMARY KEY (lane_id, epoch, seq)
) WITH (toast_tuple_target = 8160);
--> statement-breakpoint

-- What a batch answered when it asked for credit: the same batch sent again gets the same answer.
CREATE TABLE ledger.batch_answer (
  lane_id text NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  answer jsonb NOT NULL,
  PRIMARY KEY (lane_id, epoch, seq)
);
--> statement-breakpoint
ALTER TABLE ledger.batch_answer ALTER COLUMN answer SET STORAGE EXTERNAL;
--> statement-breakpoint

-- One row for each call and bucket drawn; `draw` counts them from 0. The UUIDv7 is unique over all partitions, and days drop cheaply.
-- No foreign key and no second index: they would cost a quarter of the hot path.
CREATE TABLE ledger.usage (
  call_id uuid NOT NULL,
  draw smallint NOT NULL,
  account_id text NOT NULL,
  bucket_id bigint,
  plan_id text,
  service text NOT NULL,
  operation text NOT NULL,
  status smallint NOT NULL,
  units integer NOT NULL CHECK (units >= 0),
  price bigint NOT NULL CHECK (price >= 0),
  amount bigint NOT NULL CHECK (amount >= 0),
  -- The account's own key that the call was made with.
  key_id text,
  lane_id text NOT NULL,
  epoch bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (call_id, draw),
  CHECK (bucket_id IS NOT NULL OR amount = 0)
) PARTITION BY RANGE (call_id);
--> statement-breakpoint
CREATE TABLE ledger.usage_other PARTITION OF ledger.usage DEFAULT;
--> statement-breakpoint

-- A call under a caller's own key (`Idempotency-Key`), and the lane that serves it. One of a lane that has ended may be taken over.
-- Key and request are SHA-256 digests.
CREATE TABLE ledger.ticket (
  account_id text NOT NULL,
  key bytea NOT NULL,
  request bytea NOT NULL,
  call_id uuid NOT NULL,
  lane_id text NOT NULL,
  epoch bigint NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, key)
);
--> statement-breakpoint
CREATE INDEX ticket_age ON ledger.ticket (taken_at);
--> statement-breakpoint

-- What a ticket was answered with: written in one commit with its charge, append-only, dropped by days. Without a body: it was too large to be kept.
CREATE TABLE ledger.kept_answer (
  call_id uuid NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  key bytea NOT NULL,
  status smallint NOT NULL,
  headers text NOT NULL,
  body bytea
) PARTITION BY RANGE (call_id);
--> statement-breakpoint
-- Kept for a day: written fast rather than small.
ALTER TABLE ledger.kept_answer ALTER COLUMN body SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE TABLE ledger.kept_answer_other PARTITION OF ledger.kept_answer DEFAULT;
--> statement-breakpoint

-- How many tickets an account drew in a day (UTC), and how much was kept under them: both are bounded.
CREATE TABLE ledger.ticket_day (
  day date NOT NULL,
  account_id text NOT NULL,
  tickets integer NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (day, account_id)
) WITH (fillfactor = 50);
--> statement-breakpoint

-- The account that an account is a part of by now, or itself. No join comes between until the statement that asks has ended.
CREATE FUNCTION shop.standing(p_account text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_standing text;
BEGIN
  SELECT coalesce(joined_to, id) INTO v_standing FROM shop.account WHERE id = p_account FOR SHARE;
  RETURN coalesce(v_standing, p_account);
END $$;
--> statement-breakpoint

-- The smallest UUIDv7 of a moment.
CREATE FUNCTION ledger.uuid_at(p_at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
--> statement-breakpoint

-- The moment of a UUIDv7.
CREATE FUNCTION ledger.time_of(p_call uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp(('x' || left(replace(p_call::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;
--> statement-breakpoint

-- Makes the partitions of calls for today (UTC) and the days after it; safe to repeat and to run in several processes.
CREATE FUNCTION ledger.prepare_usage(p_days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_day date;
  v_table text;
  v_name text;
BEGIN
  FOR v_table, v_day IN
    SELECT t, (clock_timestamp() AT TIME ZONE 'UTC')::date + d FROM unnest(ARRAY['usage', 'kept_answer']) t, generate_series(0, p_days) d
  LOOP
    v_name := v_table || '_' || to_char(v_day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('ledger.' || v_name) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE ledger.%I PARTITION OF ledger.%I FOR VALUES FROM (%L) TO (%L)', v_name, v_table,
        ledger.uuid_at(v_day::timestamp AT TIME ZONE 'UTC'), ledger.uuid_at((v_day + 1)::timestamp AT TIME ZONE 'UTC'));
    EXCEPTION
      WHEN duplicate_table OR unique_violation THEN NULL; -- another process made it
      WHEN check_violation THEN NULL; -- the default partition holds rows of that day already: it keeps them
    END;
  END LOOP;
END $$;
--> statement-breakpoint

-- Gives an account a lot, once for each key. Returns the bucket, the same one when repeated. Older ones of the same terms that are used up
-- are closed with it.
CREATE FUNCTION ledger.grant_lot(
  p_key text, p_account text, p_posting text, p_contra text,
  p_kind text, p_asset text, p_plan text, p_amount bigint, p_expires timestamptz, p_resets timestamptz DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_bucket bigint;
  v_used bigint[];
BEGIN
  SELECT bucket_id INTO v_bucket FROM ledger.posting WHERE key = p_key;
  IF FOUND THEN RETURN v_bucket; END IF;
  IF p_amount <= 0 THEN RAISE EXCEPTION 'a lot holds more than nothing: %', p_amount; END IF;
  INSERT INTO ledger.bucket (account_id, asset, kind, plan_id, priority, avail, expires_at, resets_at)
    VALUES (p_account, p_asset, p_kind, p_plan,
      CASE p_kind WHEN 'trial' THEN 0 WHEN 'allowance' THEN 1 ELSE 2 END + CASE p_asset WHEN 'usd' THEN 10 ELSE 0 END,
      p_amount, p_expires, coalesce(p_resets, CASE p_kind WHEN 'allowance' THEN p_expires END))
    RETURNING id INTO v_bucket;
  -- Two at once: the second fails on the key and takes its bucket with it.
  INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
    VALUES (p_key, p_account, v_bucket, p_posting, p_contra, p_amount);
  IF p_expires IS NULL THEN
    SELECT array_agg(id) INTO v_used FROM (
      SELECT id FROM ledger.bucket
        WHERE account_id = p_account AND NOT closed AND id < v_bucket AND avail = 0 AND owed = 0
          AND expires_at IS NULL AND kind = p_kind AND plan_id = p_plan AND asset = p_asset
        ORDER BY id FOR UPDATE SKIP LOCKED
    ) k;
    -- Another statement, as it has to see every lease that was taken before the lots were locked.
    UPDATE ledger.bucket k SET closed = true WHERE k.account_id = p_account AND k.id = ANY (v_used)
      AND NOT EXISTS (SELECT 1 FROM ledger.lease l WHERE l.account_id = k.account_id AND l.bucket_id = k.id AND l.amount > 0);
  END IF;
  PERFORM pg_notify('ledger', 'granted:' || p_account);
  RETURN v_bucket;
END $$;
--> statement-breakpoint

-- What batches of a lane spent after its last fold, for each bucket.
CREATE FUNCTION ledger.unfolded(p_lane text, p_epoch bigint, p_folded bigint)
RETURNS TABLE (account_id text, bucket_id bigint, amount bigint) LANGUAGE sql STABLE AS $$
  SELECT s.account_id, s.bucket_id, sum(s.amount)::bigint
    FROM ledger.batch b, LATERAL unnest(b.account_ids, b.bucket_ids, b.spent) AS s (account_id, bucket_id, amount)
    WHERE b.lane_id = p_lane AND b.epoch = p_epoch AND b.seq > p_folded
    GROUP BY 1, 2
$$;
--> statement-breakpoint

-- Takes what batches spent out of the lane's leases. The caller holds the lane's row.
CREATE FUNCTION ledger.fold(p_lane text, p_epoch bigint, p_folded bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_spent bigint;
  v_taken bigint;
BEGIN
  WITH spent AS MATERIALIZED (
    SELECT account_id, bucket_id, amount FROM ledger.unfolded(p_lane, p_epoch, p_folded)
  ), taken AS (
    UPDATE ledger.lease l SET amount = l.amount - s.amount FROM spent s
      WHERE l.lane_id = p_lane AND l.account_id = s.account_id AND l.bucket_id = s.bucket_id
      RETURNING 1
  )
  SELECT (SELECT count(*) FROM spent), (SELECT count(*) FROM taken) INTO v_spent, v_taken;
  IF v_taken <> v_spent THEN RAISE EXCEPTION 'lane % spent from % buckets and leases %', p_lane, v_spent, v_taken; END IF;
END $$;
--> statement-breakpoint

-- Gives back what calls were charged whose answers never left: once for each call and bucket, on the record. An answer that is kept whole
-- is not lost: it is given again under its key, for what it was charged. One that is kept without its body goes back with its ticket,
-- so that the call can be made anew.
CREATE FUNCTION ledger.undeliver(p_calls uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_count bigint;
  v_calls uuid[];
BEGIN
  SELECT coalesce(array_agg(c), '{}') INTO v_calls
    FROM unnest(p_calls) c WHERE NOT EXISTS (SELECT 1 FROM ledger.kept_answer k WHERE k.call_id = c AND k.body IS NOT NULL);
  PERFORM 1 FROM ledger.bucket k
    WHERE (k.account_id, k.id) IN (SELECT u.account_id, u.bucket_id FROM ledger.usage u WHERE u.call_id = ANY (v_calls) AND u.amount > 0)
    ORDER BY k.id FOR UPDATE;
  WITH posted AS (
    INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
      SELECT 'undelivered:' || u.call_id || ':' || u.draw, u.account_id, u.bucket_id, 'undelivered', 'revenue', u.amount
        FROM ledger.usage u WHERE u.call_id = ANY (v_calls) AND u.amount > 0
      ON CONFLICT DO NOTHING
      RETURNING posting.account_id, posting.bucket_id, posting.amount
  ), given AS (
    SELECT p.account_id, p.bucket_id, sum(p.amount)::bigint AS amount, count(*) AS rows FROM posted p GROUP BY 1, 2
  ), moved AS (
    UPDATE ledger.bucket k SET avail = k.avail + g.amount, closed = false FROM given g
      WHERE k.account_id = g.account_id AND k.id = g.bucket_id
  )
  SELECT coalesce(sum(rows), 0) INTO v_count FROM given;
  WITH forgotten AS (DELETE FROM ledger.kept_answer WHERE call_id = ANY (v_calls) RETURNING call_id, account_id, key)
  DELETE FROM ledger.ticket t USING forgotten f WHERE t.account_id IN (f.account_id, shop.standing(f.account_id)) AND t.key = f.key AND t.call_id = f.call_id;
  RETURN v_count;
END $$;
--> statement-breakpoint

-- Ends what a lane holds: folds, gives back what was charged and not delivered, returns every lease. Raises the epoch, so that
-- whoever still writes under the old one is fenced. Returns the new epoch.
CREATE FUNCTION ledger.reap(p_lane text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_lane ledger.lane;
  v_calls uuid[];
BEGIN
  SELECT * INTO v_lane FROM ledger.lane WHERE id = p_lane FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM 1 FROM ledger.bucket k
    WHERE (k.account_id, k.id) IN (SELECT l.account_id, l.bucket_id FROM ledger.lease l WHERE l.lane_id = p_lane)
    ORDER BY k.id FOR UPDATE;
  PERFORM ledger.fold(p_lane, v_lane.epoch, v_lane.folded_seq);
  SELECT array_agg(c.call_id) INTO v_calls
    FROM ledger.batch b, LATERAL unnest(b.call_ids) AS c (call_id)
    WHERE b.lane_id = p_lane AND b.epoch = v_lane.epoch AND b.seq > v_lane.delivered_seq;
  IF v_calls IS NOT NULL THEN PERFORM ledger.undeliver(v_calls); END IF;
  UPDATE ledger.bucket k SET avail = k.avail + l.amount, closed = false FROM ledger.lease l
    WHERE l.lane_id = p_lane AND l.amount > 0 AND k.account_id = l.account_id AND k.id = l.bucket_id;
  PERFORM pg_notify('ledger', 'returned:' || a.account_id) FROM (SELECT DISTINCT account_id FROM ledger.lease WHERE lane_id = p_lane AND amount > 0) a;
  DELETE FROM ledger.lease WHERE lane_id = p_lane;
  UPDATE ledger.lane SET epoch = epoch + 1, open = false, folded_seq = 0, delivered_seq = 0 WHERE id = p_lane;
  RETURN v_lane.epoch + 1;
END $$;
--> statement-breakpoint

-- Opens a lane and ends what its name held before. Returns the epoch to write under.
CREATE FUNCTION ledger.open_lane(p_lane text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_epoch bigint;
BEGIN
  INSERT INTO ledger.lane (id, epoch, open, folded_seq, delivered_seq, heartbeat_at)
    VALUES (p_lane, 0, false, 0, 0, clock_timestamp()) ON CONFLICT DO NOTHING;
  v_epoch := ledger.reap(p_lane);
  UPDATE ledger.lane SET open = true, heartbeat_at = clock_timestamp() WHERE id = p_lane;
  RETURN v_epoch;
END $$;
--> statement-breakpoint

-- Ends a lane whose process has delivered all that it charged. False when it was fenced before.
CREATE FUNCTION ledger.close_lane(p_lane text, p_epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger.lane SET delivered_seq = 9223372036854775807 WHERE id = p_lane AND epoch = p_epoch AND open;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger.reap(p_lane);
  RETURN true;
END $$;
--> statement-breakpoint

-- Reaps every lane whose process has been silent for too long. Returns how many. A lane whose books are broken (it spent more than
-- its leases) stays as it is, for a person to look at, and keeps no other lane from being reaped.
CREATE FUNCTION ledger.reap_silent(p_silence interval) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_lane text;
  v_count integer := 0;
BEGIN
  FOR v_lane IN
    SELECT id FROM ledger.lane WHERE open AND heartbeat_at < clock_timestamp() - p_silence ORDER BY id FOR UPDATE
  LOOP
    BEGIN
      PERFORM ledger.reap(v_lane);
      v_count := v_count + 1;
    EXCEPTION WHEN check_violation OR raise_exception THEN
      RAISE WARNING 'lane % cannot be reaped: %', v_lane, SQLERRM;
    END;
  END LOOP;
  RETURN v_count;
END $$;
--> statement-breakpoint

-- Takes out what has expired and is not set aside; leases that come back later go the next time.
CREATE FUNCTION ledger.expire() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_lot record;
  v_count integer := 0;
BEGIN
  FOR v_lot IN
    SELECT account_id, id, avail FROM ledger.bucket WHERE expires_at <= clock_timestamp() AND avail > 0 ORDER BY id FOR UPDATE
  LOOP
    INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
      SELECT 'expiry:' || v_lot.id || ':' || count(*), v_lot.account_id, v_lot.id, 'expiry', 'expired', -v_lot.avail
        FROM ledger.posting WHERE account_id = v_lot.account_id AND bucket_id = v_lot.id AND kind = 'expiry';
    UPDATE ledger.bucket SET avail = 0 WHERE account_id = v_lot.account_id AND id = v_lot.id;
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;
--> statement-breakpoint

-- A lot and those that what was left of it moved on to, when its account was joined to another.
CREATE FUNCTION ledger.lot_chain(p_account text, p_bucket bigint) RETURNS TABLE (account_id text, id bigint, moved_to bigint) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE chain AS (
    SELECT k.account_id, k.id, k.moved_account, k.moved_to FROM ledger.bucket k WHERE k.account_id = p_account AND k.id = p_bucket
    UNION
    SELECT k.account_id, k.id, k.moved_account, k.moved_to FROM chain c JOIN ledger.bucket k ON k.account_id = c.moved_account AND k.id = c.moved_to
  )
  SELECT chain.account_id, chain.id, chain.moved_to FROM chain
$$;
--> statement-breakpoint

-- Takes what is owed of a lot out of what is left in it. What lanes have set aside goes when it comes back (`ledger.collect`).
CREATE FUNCTION ledger.claw(p_account text, p_bucket bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_take bigint;
BEGIN
  SELECT least(avail, owed) INTO v_take FROM ledger.bucket WHERE account_id = p_account AND id = p_bucket FOR UPDATE;
  IF v_take IS NULL OR v_take = 0 THEN RETURN; END IF;
  INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
    SELECT 'reversed:' || p_bucket || ':' || count(*), p_account, p_bucket, 'reversed', 'processor', -v_take
      FROM ledger.posting WHERE account_id = p_account AND bucket_id = p_bucket AND kind = 'reversed';
  UPDATE ledger.bucket SET avail = avail - v_take, owed = owed - v_take WHERE account_id = p_account AND id = p_bucket;
END $$;
--> statement-breakpoint

-- Sees to it that of the lot which the posting `p_key` made, `p_target` in all is taken back: more is taken, or what was taken too much is
-- given back. It says how things stand, and not what happened, so that news may come in any order and however often.
CREATE FUNCTION ledger.reverse(p_key text, p_target bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_paid ledger.posting;
  v_last ledger.bucket;
  v_delta bigint;
  v_back bigint;
BEGIN
  SELECT * INTO v_paid FROM ledger.posting WHERE key = p_key;
  IF NOT FOUND THEN RETURN; END IF;
  LOOP
    PERFORM 1 FROM ledger.bucket k WHERE (k.account_id, k.id) IN (SELECT c.account_id, c.id FROM ledger.lot_chain(v_paid.account_id, v_paid.bucket_id) c)
      ORDER BY k.id FOR UPDATE;
    SELECT k.* INTO v_last FROM ledger.bucket k JOIN ledger.lot_chain(v_paid.account_id, v_paid.bucket_id) c USING (account_id, id)
      WHERE k.moved_to IS NULL FOR UPDATE OF k;
    EXIT WHEN FOUND; -- the lot may have moved on before it was locked
  END LOOP;
  v_delta := least(p_target, v_paid.amount) - v_last.owed + coalesce((
    SELECT sum(p.amount) FROM ledger.posting p JOIN ledger.lot_chain(v_paid.account_id, v_paid.bucket_id) c ON c.account_id = p.account_id AND c.id = p.bucket_id
      WHERE p.kind IN ('reversed', 'reinstated')), 0);
  IF v_delta > 0 THEN
    UPDATE ledger.bucket SET owed = owed + v_delta, closed = false WHERE account_id = v_last.account_id AND id = v_last.id;
    PERFORM ledger.claw(v_last.account_id, v_last.id);
    PERFORM pg_notify('ledger', 'recall:' || v_last.account_id);
  ELSIF v_delta < 0 THEN
    v_back := greatest(0, -v_delta - v_last.owed);
    UPDATE ledger.bucket SET owed = owed - least(owed, -v_delta), avail = avail + v_back, closed = closed AND v_back = 0 WHERE account_id = v_last.account_id AND id = v_last.id;
    IF v_back > 0 THEN
      INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount)
        SELECT 'reinstated:' || v_last.id || ':' || count(*), v_last.account_id, v_last.id, 'reinstated', 'processor', v_back
          FROM ledger.posting WHERE account_id = v_last.account_id AND bucket_id = v_last.id AND kind = 'reinstated';
      PERFORM pg_notify('ledger', 'granted:' || v_last.account_id);
    END IF;
  END IF;
END $$;
--> statement-breakpoint

-- Lots of an account end at another time than lanes know: they look, and give back what they have set aside of them.
CREATE FUNCTION ledger.announce_terms(p_account text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('ledger', 'granted:' || p_account), pg_notify('ledger', 'recall:' || p_account)
$$;
--> statement-breakpoint

-- Ends a lot before its time: a renewal or another plan takes its place. What is left goes with the next `ledger.expire`.
CREATE FUNCTION ledger.end_lot(p_key text) RETURNS void LANGUAGE sql AS $$
  WITH ended AS (
    UPDATE ledger.bucket k SET expires_at = clock_timestamp()
      FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.bucket_id) c
      WHERE p.key = p_key AND k.account_id = c.account_id AND k.id = c.id AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
      RETURNING k.account_id
  )
  SELECT ledger.announce_terms(account_id) FROM ended
$$;
--> statement-breakpoint

-- Moves what is left of one account's lots to another one's, each to a lot of the same terms, with what is owed of it. Safe to repeat:
-- what lanes have set aside comes back later and moves then, to where its lot has gone before, also when that is a third account by now.
CREATE FUNCTION ledger.move(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_lot ledger.bucket;
  v_key text;
BEGIN
  PERFORM 1 FROM ledger.bucket k WHERE (k.account_id, k.id) IN (
      SELECT account_id, id FROM ledger.bucket WHERE account_id = p_from UNION SELECT moved_account, moved_to FROM ledger.bucket WHERE account_id = p_from)
    ORDER BY k.id FOR UPDATE;
  FOR v_lot IN SELECT * FROM ledger.bucket WHERE account_id = p_from AND avail > 0 ORDER BY id LOOP
    IF v_lot.moved_to IS NULL THEN
      v_lot.moved_account := p_to;
      INSERT INTO ledger.bucket (account_id, asset, kind, plan_id, priority, avail, expires_at, resets_at, created_at)
        VALUES (p_to, v_lot.asset, v_lot.kind, v_lot.plan_id, v_lot.priority, 0, v_lot.expires_at, v_lot.resets_at, v_lot.created_at) RETURNING id INTO v_lot.moved_to;
    END IF;
    SELECT 'moved:' || v_lot.id || ':' || count(*) INTO v_key FROM ledger.posting WHERE account_id = p_from AND bucket_id = v_lot.id AND kind = 'moved' AND amount < 0;
    INSERT INTO ledger.posting (key, account_id, bucket_id, kind, contra, amount) VALUES
      (v_key || ':out', p_from, v_lot.id, 'moved', 'account:' || v_lot.moved_account, -v_lot.avail),
      (v_key || ':in', v_lot.moved_account, v_lot.moved_to, 'moved', 'account:' || p_from, v_lot.avail);
    UPDATE ledger.bucket SET avail = avail + v_lot.avail, owed = owed + v_lot.owed, closed = false WHERE account_id = v_lot.moved_account AND id = v_lot.moved_to;
    UPDATE ledger.bucket SET avail = 0, owed = 0, moved_account = v_lot.moved_account, moved_to = v_lot.moved_to WHERE account_id = p_from AND id = v_lot.id;
    PERFORM pg_notify('ledger', 'granted:' || v_lot.moved_account);
  END LOOP;
  PERFORM pg_notify('ledger', 'recall:' || p_from);
END $$;
--> statement-breakpoint

-- What came back to lots that owe it goes where it belongs. Returns of how many lots.
CREATE FUNCTION ledger.collect() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_lot record;
  v_count integer := 0;
BEGIN
  FOR v_lot IN SELECT account_id, id FROM ledger.bucket WHERE owed > 0 AND avail > 0 ORDER BY id FOR UPDATE LOOP
    PERFORM ledger.claw(v_lot.account_id, v_lot.id);
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;
--> statement-breakpoint

-- What accounts have, as a lane sees it: their lots in burn order, and what other lanes hold of them; of those in `p_exact`, where a refusal
-- may rest on it, less what the others have spent and not folded. `plans` are those they may call on: a trial while something of it is
-- left, an allowance until it expires, credit for good. One statement for all of them, and its plan is kept.
CREATE FUNCTION ledger.holdings(p_accounts text[], p_lane text, p_exact text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_spent jsonb := '{}';
BEGIN
  IF cardinality(p_exact) > 0 THEN
    SELECT coalesce(jsonb_object_agg(s.bucket_id, s.amount), '{}') INTO v_spent FROM (
      SELECT s.bucket_id, sum(s.amount) AS amount FROM ledger.lane n, LATERAL ledger.unfolded(n.id, n.epoch, n.folded_seq) s
        WHERE n.open AND n.id <> p_lane AND s.account_id = ANY (p_exact) GROUP BY 1
    ) s;
  END IF;
  RETURN (
    WITH live AS (
      SELECT k.*, coalesce(l.others, 0) - coalesce((v_spent ->> k.id::text)::bigint, 0) AS others, coalesce(l.leased, false) AS leased
        FROM ledger.bucket k
          LEFT JOIN LATERAL (
            SELECT sum(l.amount) FILTER (WHERE l.lane_id <> p_lane) AS others, bool_or(l.amount > 0) AS leased
              FROM ledger.lease l WHERE l.account_id = k.account_id AND l.bucket_id = k.id
          ) l ON true
        WHERE k.account_id = ANY (p_accounts) AND NOT k.closed AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    ), held AS (
      SELECT jsonb_build_object(
          'account', account_id,
          'lots', coalesce(jsonb_agg(jsonb_build_object(
              'id', k.id, 'asset', k.asset, 'kind', k.kind, 'plan', k.plan_id, 'avail', greatest(0, k.avail - k.owed), 'others', k.others,
              'expires', (extract(epoch FROM k.expires_at) * 1000)::bigint
            ) ORDER BY k.priority, k.expires_at NULLS LAST, k.id) FILTER (WHERE k.avail > k.owed OR k.leased), '[]'),
          'plans', coalesce(jsonb_agg(DISTINCT k.plan_id) FILTER (WHERE k.kind <> 'trial' OR k.avail > 0 OR k.leased), '[]'),
          'resets', (extract(epoch FROM min(k.resets_at) FILTER (WHERE k.resets_at > clock_timestamp())) * 1000)::bigint
        ) AS holding
        FROM unnest(p_accounts) AS a (account_id) LEFT JOIN live k USING (account_id) GROUP BY account_id
    )
    SELECT jsonb_agg(holding) FROM held
  );
END $$;
--> statement-breakpoint

-- What a lane may be granted now, in burn order: of the lots that the caller has locked, as any other may be refilled and emptied meanwhile.
CREATE FUNCTION ledger.lots_open(p_account text, p_plans text, p_locked bigint[]) RETURNS TABLE (id bigint, asset text, avail bigint) LANGUAGE sql STABLE AS $$
  SELECT id, asset, avail - owed FROM ledger.bucket
    WHERE account_id = p_account AND id = ANY (p_locked) AND avail > owed AND plan_id = ANY (string_to_array(p_plans, ','))
      AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ORDER BY priority, expires_at NULLS LAST, id
$$;
--> statement-breakpoint

-- The rows of usage that a batch says. Where a column has one value for all of them, its list says it once.
CREATE FUNCTION ledger.usage_rows(
  u_call uuid[], u_draw smallint[], u_account text[], u_bucket bigint[], u_plan text[], u_service text[], u_operation text[],
  u_status smallint[], u_units integer[], u_price bigint[], u_amount bigint[], u_key text[]
) RETURNS TABLE (
  call_id uuid, draw smallint, account_id text, bucket_id bigint, plan_id text, service text, operation text,
  status smallint, units integer, price bigint, amount bigint, key_id text
) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, coalesce(u.draw, u_draw[1]), coalesce(u.account_id, u_account[1]), u.bucket_id, u.plan_id, coalesce(u.service, u_service[1]),
      coalesce(u.operation, u_operation[1]), coalesce(u.status, u_status[1]), coalesce(u.units, u_units[1]), coalesce(u.price, u_price[1]),
      coalesce(u.amount, u_amount[1]), u.key_id
    FROM unnest(u_call, u_draw, u_account, u_bucket, u_plan, u_service, u_operation, u_status, u_units, u_price, u_amount, u_key)
      AS u (call_id, draw, account_id, bucket_id, plan_id, service, operation, status, units, price, amount, key_id)
$$;
--> statement-breakpoint

-- One commit for many calls: books their usage, keeps the answers of those under a key, returns idle leases, sets more credit aside, folds.
-- {"state":"ok","holdings":[...],"granted":[...]} or {"state":"fenced"}. The same (lane, epoch, seq) again answers the same.
-- Fails with unique_violation where a row of usage is on the books already: to be sent `p_again`, it leaves that row alone, and charges the
-- others. To ask for each row in the first place would make every one cost twice as much.
CREATE FUNCTION ledger.batch(
  p_lane text, p_epoch bigint, p_seq bigint, p_delivered bigint, p_fold boolean,
  u_call uuid[], u_draw smallint[], u_account text[], u_bucket bigint[], u_plan text[], u_service text[], u_operation text[],
  u_status smallint[], u_units integer[], u_price bigint[], u_amount bigint[], u_key text[],
  k_call uuid[] DEFAULT '{}', k_account text[] DEFAULT '{}', k_key bytea[] DEFAULT '{}',
  k_status smallint[] DEFAULT '{}', k_headers text[] DEFAULT '{}', k_body bytea[] DEFAULT '{}',
  r_account text[] DEFAULT '{}', r_bucket bigint[] DEFAULT '{}', r_amount bigint[] DEFAULT '{}', r_recalled boolean[] DEFAULT '{}',
  w_account text[] DEFAULT '{}', w_plans text[] DEFAULT '{}', w_price bigint[] DEFAULT '{}', w_units bigint[] DEFAULT '{}',
  w_headroom bigint[] DEFAULT '{}', w_recall boolean[] DEFAULT '{}', p_again boolean DEFAULT false
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_lane ledger.lane;
  v_answer jsonb;
  v_last bigint;
  v_live bigint;
  v_want record;
  v_lot record;
  v_units bigint;
  v_room bigint;
  v_money bigint;
  v_need bigint;
  v_take bigint;
  v_locked bigint[];
  v_granted jsonb := '[]';
  v_short text[] := '{}';
BEGIN
  -- Not FOR SHARE: a copy of this batch that was cut off may still run, and has to end before its repetition looks.
  SELECT * INTO v_lane FROM ledger.lane WHERE id = p_lane FOR NO KEY UPDATE;
  IF NOT FOUND OR v_lane.epoch <> p_epoch OR NOT v_lane.open THEN RETURN '{"state":"fenced"}'; END IF;
  SELECT max(seq) INTO v_last FROM ledger.batch WHERE lane_id = p_lane AND epoch = p_epoch AND seq BETWEEN p_seq - 1 AND p_seq;
  IF v_last = p_seq THEN
    SELECT answer INTO v_answer FROM ledger.batch_answer WHERE lane_id = p_lane AND epoch = p_epoch AND seq = p_seq;
    RETURN coalesce(v_answer, '{"state":"ok"}');
  END IF;
  IF p_seq > 1 AND v_last IS NULL THEN
    RAISE EXCEPTION 'lane % epoch %: batch % has no predecessor', p_lane, p_epoch, p_seq USING ERRCODE = 'data_corrupted';
  END IF;

  IF p_again THEN
    WITH booked AS (
      INSERT INTO ledger.usage SELECT u.*, p_lane, p_epoch, p_seq
        FROM ledger.usage_rows(u_call, u_draw, u_account, u_bucket, u_plan, u_service, u_operation, u_status, u_units, u_price, u_amount, u_key) u
        ON CONFLICT DO NOTHING
        RETURNING call_id, account_id, bucket_id, amount
    )
    SELECT array_agg(call_id), array_agg(account_id), array_agg(bucket_id), array_agg(amount) INTO u_call, u_account, u_bucket, u_amount FROM booked;
  ELSIF cardinality(u_call) > 0 THEN
    INSERT INTO ledger.usage SELECT u.*, p_lane, p_epoch, p_seq
      FROM ledger.usage_rows(u_call, u_draw, u_account, u_bucket, u_plan, u_service, u_operation, u_status, u_units, u_price, u_amount, u_key) u;
  END IF;
  INSERT INTO ledger.batch (lane_id, epoch, seq, account_ids, bucket_ids, spent, call_ids)
    SELECT p_lane, p_epoch, p_seq, coalesce(array_agg(s.account_id), '{}'), coalesce(array_agg(s.bucket_id), '{}'), coalesce(array_agg(s.amount), '{}'),
        ARRAY(SELECT c.call_id FROM unnest(u_call, u_amount) AS c (call_id, amount) WHERE coalesce(c.amount, u_amount[1]) > 0)
      FROM (
        SELECT coalesce(u.account_id, u_account[1]) AS account_id, u.bucket_id, sum(coalesce(u.amount, u_amount[1]))::bigint AS amount
          FROM unnest(u_account, u_bucket, u_amount) AS u (account_id, bucket_id, amount)
          WHERE coalesce(u.amount, u_amount[1]) > 0 GROUP BY 1, 2
      ) s;
  IF cardinality(k_call) > 0 THEN
    INSERT INTO ledger.kept_answer (call_id, account_id, key, status, headers, body)
      SELECT * FROM unnest(k_call, k_account, k_key, k_status, k_headers, k_body) ON CONFLICT DO NOTHING;
    INSERT INTO ledger.ticket_day AS d (day, account_id, tickets, bytes)
      SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date, k.account_id, 0, sum(octet_length(k.body))
        FROM unnest(k_account, k_body) AS k (account_id, body) WHERE k.body IS NOT NULL GROUP BY 2 ORDER BY 2
      ON CONFLICT (day, account_id) DO UPDATE SET bytes = d.bytes + excluded.bytes;
  END IF;

  IF cardinality(r_account) + cardinality(w_account) > 0 THEN
    SELECT coalesce(array_agg(id), '{}') INTO v_locked FROM (
      SELECT id FROM ledger.bucket WHERE account_id = ANY (r_account || w_account) AND NOT closed AND (avail > 0 OR id = ANY (r_bucket)) ORDER BY id FOR UPDATE
    ) k;
  END IF;
  IF p_fold THEN
    PERFORM ledger.fold(p_lane, p_epoch, v_lane.folded_seq);
    UPDATE ledger.lane SET folded_seq = p_seq, delivered_seq = greatest(delivered_seq, p_delivered), heartbeat_at = clock_timestamp() WHERE id = p_lane;
  END IF;
  IF cardinality(r_account) > 0 THEN
    IF NOT p_fold THEN RAISE EXCEPTION 'leases come back only with a fold'; END IF;
    UPDATE ledger.lease l SET amount = l.amount - r.amount FROM unnest(r_account, r_bucket, r_amount) AS r (account_id, bucket_id, amount)
      WHERE l.lane_id = p_lane AND l.account_id = r.account_id AND l.bucket_id = r.bucket_id;
    GET DIAGNOSTICS v_take = ROW_COUNT;
    IF v_take <> cardinality(r_account) THEN RAISE EXCEPTION 'lane % returns a lease that it does not hold', p_lane; END IF;
    UPDATE ledger.bucket k SET avail = k.avail + r.amount, closed = false FROM unnest(r_account, r_bucket, r_amount) AS r (account_id, bucket_id, amount)
      WHERE k.account_id = r.account_id AND k.id = r.bucket_id;
    DELETE FROM ledger.lease l USING unnest(r_account, r_bucket) AS r (account_id, bucket_id)
      WHERE l.lane_id = p_lane AND l.account_id = r.account_id AND l.bucket_id = r.bucket_id AND l.amount = 0;
    PERFORM pg_notify('ledger', 'returned:' || a.account_id)
      FROM (SELECT DISTINCT account_id FROM unnest(r_account, r_recalled) AS r (account_id, recalled) WHERE recalled) a;
  END IF;
  IF cardinality(w_account) = 0 THEN RETURN '{"state":"ok"}'; END IF;

  SELECT greatest(1, count(*)) INTO v_live FROM ledger.lane WHERE open;
  FOR v_want IN
    SELECT * FROM unnest(w_account, w_plans, w_price, w_units, w_headroom, w_recall) AS w (account_id, plans, price, units, headroom, recall)
  LOOP
    v_units := v_want.units;
    v_room := v_want.headroom;
    v_money := NULL;
    IF v_want.recall THEN
      -- Whole or not at all: parts of it in two lanes would serve neither's call.
      SELECT coalesce(sum(avail) FILTER (WHERE asset = 'unit'), 0), coalesce(sum(avail) FILTER (WHERE asset = 'usd'), 0) INTO v_need, v_take
        FROM ledger.lots_open(v_want.account_id, v_want.plans, v_locked);
      IF greatest(0, v_units - v_need) * v_want.price > v_take THEN
        v_short := v_short || v_want.account_id;
        PERFORM pg_notify('ledger', 'recall:' || v_want.account_id);
        CONTINUE;
      END IF;
    END IF;
    FOR v_lot IN SELECT * FROM ledger.lots_open(v_want.account_id, v_want.plans, v_locked) LOOP
      -- Units stand before money in the burn order: what they do not cover is asked in micro-dollars.
      IF v_lot.asset = 'usd' AND v_money IS NULL THEN
        v_money := v_units * v_want.price;
        v_room := v_room * v_want.price;
        v_units := 0;
      END IF;
      EXIT WHEN v_units = 0 AND coalesce(v_money, 0) = 0 AND v_room = 0;
      v_need := least(v_lot.avail, CASE v_lot.asset WHEN 'usd' THEN v_money ELSE v_units END);
      -- Beyond the need a lane takes no more than its share, so that other lanes find something.
      v_take := v_need + greatest(0, least(v_room, v_lot.avail / (2 * v_live) - v_need));
      CONTINUE WHEN v_take = 0;
      v_room := v_room - (v_take - v_need);
      IF v_lot.asset = 'usd' THEN v_money := v_money - v_need; ELSE v_units := v_units - v_need; END IF;
      UPDATE ledger.bucket SET avail = avail - v_take WHERE account_id = v_want.account_id AND id = v_lot.id;
      INSERT INTO ledger.lease AS l (lane_id, account_id, bucket_id, amount) VALUES (p_lane, v_want.account_id, v_lot.id, v_take)
        ON CONFLICT (lane_id, account_id, bucket_id) DO UPDATE SET amount = l.amount + excluded.amount;
      v_granted := v_granted || jsonb_build_object('account', v_want.account_id, 'lot', v_lot.id, 'amount', v_take);
    END LOOP;
    IF v_units + coalesce(v_money, 0) > 0 THEN v_short := v_short || v_want.account_id; END IF;
  END LOOP;
  v_answer := jsonb_build_object('state', 'ok', 'granted', v_granted,
    'holdings', ledger.holdings(ARRAY(SELECT DISTINCT unnest(w_account)), p_lane, v_short));
  INSERT INTO ledger.batch_answer (lane_id, epoch, seq, answer) VALUES (p_lane, p_epoch, p_seq, v_answer);
  RETURN v_answer;
END $$;
--> statement-breakpoint

-- Drops what only a repetition of an old batch would need.
CREATE FUNCTION ledger.prune(p_age interval) RETURNS void LANGUAGE sql AS $$
  DELETE FROM ledger.batch_answer a USING ledger.batch b
    WHERE b.lane_id = a.lane_id AND b.epoch = a.epoch AND b.seq = a.seq AND b.at < now() - p_age;
  DELETE FROM ledger.batch b USING ledger.lane n
    WHERE n.id = b.lane_id AND b.at < now() - p_age
      AND (b.epoch < n.epoch OR (b.seq < n.folded_seq AND b.seq <= n.delivered_seq))
$$;
--> statement-breakpoint

-- Draws a ticket for a call, or tells why another call has it: `taken`; `kept` (answered: here is what), `in_flight` (a living lane serves it),
-- `mismatch` (it was another request), `too_many` (today). `keeps`: whether there is room for the answer's body.
-- One that was neither answered nor is served any more is taken over, and so is one that is older than `p_life`.
CREATE FUNCTION ledger.take_ticket(
  p_account text, p_key bytea, p_request bytea, p_call uuid, p_lane text, p_epoch bigint, p_life interval, p_tickets_max integer, p_bytes_max bigint
) RETURNS TABLE (state text, keeps boolean, kept_call uuid, kept_status smallint, kept_headers text, kept_body bytea) LANGUAGE plpgsql AS $$
DECLARE
  v_ticket ledger.ticket;
  v_kept ledger.kept_answer;
  v_today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  v_day ledger.ticket_day;
  v_lives boolean;
BEGIN
  -- Who has joined another account in between asks there for what was asked here.
  p_account := shop.standing(p_account);
  LOOP
    INSERT INTO ledger.ticket (account_id, key, request, call_id, lane_id, epoch) VALUES (p_account, p_key, p_request, p_call, p_lane, p_epoch)
      ON CONFLICT DO NOTHING;
    IF FOUND THEN
      INSERT INTO ledger.ticket_day AS d (day, account_id, tickets, bytes) VALUES (v_today, p_account, 1, 0)
        ON CONFLICT (day, account_id) DO UPDATE SET tickets = d.tickets + 1 RETURNING * INTO v_day;
      EXIT WHEN v_day.tickets <= p_tickets_max;
      DELETE FROM ledger.ticket t WHERE t.account_id = p_account AND t.key = p_key;
      UPDATE ledger.ticket_day d SET tickets = d.tickets - 1 WHERE d.day = v_today AND d.account_id = p_account;
      state := 'too_many';
      RETURN NEXT;
      RETURN;
    END IF;
    SELECT * INTO v_ticket FROM ledger.ticket t WHERE t.account_id = p_account AND t.key = p_key FOR UPDATE;
    CONTINUE WHEN NOT FOUND; -- given up meanwhile
    -- In this order: whatever a lane has booked that is seen to have ended, is there to be seen.
    SELECT EXISTS (SELECT 1 FROM ledger.lane n WHERE n.id = v_ticket.lane_id AND n.epoch = v_ticket.epoch AND n.open) INTO v_lives;
    SELECT * INTO v_kept FROM ledger.kept_answer a WHERE a.call_id = v_ticket.call_id;
    IF v_kept.call_id IS NULL AND NOT v_lives OR v_ticket.taken_at < clock_timestamp() - p_life THEN
      UPDATE ledger.ticket t SET request = p_request, call_id = p_call, lane_id = p_lane, epoch = p_epoch, taken_at = clock_timestamp()
        WHERE t.account_id = p_account AND t.key = p_key;
      SELECT * INTO v_day FROM ledger.ticket_day d WHERE d.day = v_today AND d.account_id = p_account;
      EXIT;
    END IF;
    state := CASE WHEN v_ticket.request <> p_request THEN 'mismatch' WHEN v_kept.call_id IS NULL THEN 'in_flight' ELSE 'kept' END;
    IF state = 'kept' THEN
      kept_call := v_kept.call_id;
      kept_status := v_kept.status;
      kept_headers := v_kept.headers;
      kept_body := v_kept.body;
    END IF;
    RETURN NEXT;
    RETURN;
  END LOOP;
  state := 'taken';
  keeps := coalesce(v_day.bytes, 0) < p_bytes_max;
  RETURN NEXT;
END $$;
--> statement-breakpoint

-- Calls that ended without an answer to keep: their keys are free again.
CREATE FUNCTION ledger.give_up_tickets(p_account text[], p_key bytea[], p_call uuid[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM ledger.ticket t USING unnest(p_account, p_key, p_call) AS g (account_id, key, call_id)
    WHERE t.account_id IN (g.account_id, shop.standing(g.account_id)) AND t.key = g.key AND t.call_id = g.call_id
      AND NOT EXISTS (SELECT 1 FROM ledger.kept_answer a WHERE a.call_id = t.call_id)
$$;
--> statement-breakpoint

-- The keys of an account that joins another go on there. A key that both have used stays what it is where they go on.
CREATE FUNCTION ledger.move_tickets(p_from text, p_to text) RETURNS void LANGUAGE sql AS $$
  UPDATE ledger.ticket t SET account_id = p_to
    WHERE t.account_id = p_from AND NOT EXISTS (SELECT 1 FROM ledger.ticket o WHERE o.account_id = p_to AND o.key = t.key)
$$;
--> statement-breakpoint

-- Forgets tickets that are too old to count, at most so many at a time, and drops the days of answers that no ticket names any more.
-- Gives way to whoever uses them: what cannot be dropped now is dropped the next time.
CREATE FUNCTION ledger.prune_tickets(p_life interval, p_max integer) RETURNS integer LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  v_count integer;
  v_before timestamp := date_trunc('day', (clock_timestamp() - p_life) AT TIME ZONE 'UTC');
  v_name text;
BEGIN
  DELETE FROM ledger.ticket t USING (
    SELECT o.account_id, o.key FROM ledger.ticket o WHERE o.taken_at < clock_timestamp() - p_life ORDER BY o.taken_at LIMIT p_max FOR UPDATE SKIP LOCKED
  ) o WHERE t.account_id = o.account_id AND t.key = o.key;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM ledger.ticket_day WHERE day < v_before::date;
  DELETE FROM ledger.kept_answer_other WHERE call_id < ledger.uuid_at(v_before AT TIME ZONE 'UTC');
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'ledger.kept_answer'::regclass AND c.relname ~ '_\d{8}$' AND c.relname < 'kept_answer_' || to_char(v_before, 'YYYYMMDD')
  LOOP
    BEGIN
      EXECUTE format('DROP TABLE ledger.%I', v_name);
    EXCEPTION WHEN lock_not_available OR undefined_table THEN NULL; -- in use, or another process was quicker
    END;
  END LOOP;
  RETURN v_count;
END $$;
--> statement-breakpoint

-- Where a granted lot comes from: a promotion, or the seller; also when it has moved with its account.
CREATE FUNCTION ledger.source_of(p_account text, p_bucket bigint) RETURNS text LANGUAGE sql STABLE AS $$
  WITH RECURSIVE origin AS (
    SELECT p_account AS account_id, p_bucket AS id
    UNION
    SELECT k.account_id, k.id FROM origin o JOIN ledger.bucket k ON k.moved_account = o.account_id AND k.moved_to = o.id
  )
  SELECT p.contra FROM origin o JOIN ledger.posting p ON p.account_id = o.account_id AND p.bucket_id = o.id WHERE p.kind = 'grant' LIMIT 1
$$;
--> statement-breakpoint

-- What an account was given and has, over all processes, for each lot; of what was granted, where it comes from.
CREATE FUNCTION ledger.statement(p_account text) RETURNS TABLE (
  bucket_id bigint, asset text, kind text, plan_id text, given bigint, remaining bigint, leased bigint, expires_at timestamptz, resets_at timestamptz, created_at timestamptz, source text
) LANGUAGE sql STABLE AS $$
  WITH unfolded AS (
    SELECT s.bucket_id, sum(s.amount)::bigint AS amount FROM ledger.lane n, LATERAL ledger.unfolded(n.id, n.epoch, n.folded_seq) s
      WHERE n.open AND s.account_id = p_account GROUP BY 1
  ), leased AS (
    SELECT l.bucket_id, sum(l.amount)::bigint AS amount FROM ledger.lease l WHERE l.account_id = p_account GROUP BY 1
  )
  SELECT k.id, k.asset, k.kind, k.plan_id,
      (SELECT coalesce(sum(p.amount), 0)::bigint FROM ledger.posting p
        WHERE p.account_id = k.account_id AND p.bucket_id = k.id AND (p.kind IN ('purchase', 'trial', 'grant', 'budget') OR p.kind = 'moved' AND p.amount > 0)),
      greatest(0, k.avail + coalesce(l.amount, 0) - coalesce(s.amount, 0) - k.owed), coalesce(l.amount, 0) - coalesce(s.amount, 0), k.expires_at, k.resets_at, k.created_at,
      CASE k.kind WHEN 'grant' THEN ledger.source_of(k.account_id, k.id) END
    FROM ledger.bucket k LEFT JOIN leased l ON l.bucket_id = k.id LEFT JOIN unfolded s ON s.bucket_id = k.id
    WHERE k.account_id = p_account
    ORDER BY k.priority, k.expires_at NULLS LAST, k.id
$$;
--> statement-breakpoint

-- How much of an order's lot its refunds and disputes take back as things stand, in the lot's asset: of included units the share that
-- the money is of the price, in the buyer's favour.
CREATE FUNCTION shop.reversed_of(p_order shop.purchase) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_order.units IS NULL THEN r.amount ELSE coalesce(floor(p_order.units::numeric * r.amount / nullif(p_order.amount, 0)), 0)::bigint END
    FROM (SELECT least(p_order.amount, coalesce(sum(amount), 0))::bigint AS amount FROM shop.reversal WHERE purchase_id = p_order.id AND counts) r
$$;
--> statement-breakpoint

-- Every breach of the books, over the whole database, in one snapshot; no row means that all holds. The checks are those of
-- docs/guarantees.md; `npm run ledger -- prove` prints them.
CREATE FUNCTION ledger.prove() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE chain AS (
    SELECT p.key, p.account_id, p.bucket_id FROM ledger.posting p WHERE p.kind = 'purchase'
    UNION
    SELECT c.key, k.moved_account, k.moved_to FROM chain c JOIN ledger.bucket k ON k.account_id = c.account_id AND k.id = c.bucket_id WHERE k.moved_to IS NOT NULL
  ), returned AS MATERIALIZED (
    SELECT account_id, bucket_id, sum(amount)::bigint AS amount FROM ledger.posting WHERE kind IN ('reversed', 'reinstated') GROUP BY 1, 2
  ), unfolded AS MATERIALIZED (
    SELECT s.account_id, s.bucket_id, sum(s.amount)::bigint AS amount
      FROM ledger.lane n, LATERAL ledger.unfolded(n.id, n.epoch, n.folded_seq) s WHERE n.open GROUP BY 1, 2
  ), used AS MATERIALIZED (
    SELECT account_id, bucket_id, sum(amount)::bigint AS amount FROM ledger.usage WHERE amount > 0 GROUP BY 1, 2
  ), posted AS MATERIALIZED (
    SELECT account_id, bucket_id, sum(amount)::bigint AS amount FROM ledger.posting GROUP BY 1, 2
  ), leased AS MATERIALIZED (
    SELECT account_id, bucket_id, sum(amount)::bigint AS amount FROM ledger.lease GROUP BY 1, 2
  ), booked AS MATERIALIZED (
    SELECT lane_id, epoch, seq, account_id, bucket_id, sum(amount)::bigint AS amount FROM ledger.usage WHERE amount > 0 GROUP BY 1, 2, 3, 4, 5
  ), claimed AS MATERIALIZED (
    SELECT b.lane_id, b.epoch, b.seq, s.account_id, s.bucket_id, s.amount
      FROM ledger.batch b, LATERAL unnest(b.account_ids, b.bucket_ids, b.spent) AS s (account_id, bucket_id, amount)
  )
  SELECT 'postings = available + leased + used - not yet folded', k.account_id || '/' || k.id,
      format('%s posted, %s available, %s leased, %s used, %s not yet folded', coalesce(p.amount, 0), k.avail, coalesce(l.amount, 0), coalesce(u.amount, 0), coalesce(f.amount, 0))
    FROM ledger.bucket k
      LEFT JOIN posted p ON p.account_id = k.account_id AND p.bucket_id = k.id
      LEFT JOIN leased l ON l.account_id = k.account_id AND l.bucket_id = k.id
      LEFT JOIN used u ON u.account_id = k.account_id AND u.bucket_id = k.id
      LEFT JOIN unfolded f ON f.account_id = k.account_id AND f.bucket_id = k.id
    WHERE coalesce(p.amount, 0) <> k.avail + coalesce(l.amount, 0) + coalesce(u.amount, 0) - coalesce(f.amount, 0)
  UNION ALL
  SELECT 'nothing is used, posted or leased without its lot', x.account_id || '/' || x.bucket_id, x.what
    FROM (SELECT account_id, bucket_id, 'used' AS what FROM used UNION ALL SELECT account_id, bucket_id, 'posted' FROM posted UNION ALL SELECT account_id, bucket_id, 'leased' FROM leased) x
    WHERE NOT EXISTS (SELECT 1 FROM ledger.bucket k WHERE k.account_id = x.account_id AND k.id = x.bucket_id)
  UNION ALL
  SELECT 'nothing is negative', k.account_id || '/' || k.id, format('%s available', k.avail) FROM ledger.bucket k WHERE k.avail < 0
  UNION ALL
  SELECT 'nothing is negative', l.lane_id || ' ' || l.account_id || '/' || l.bucket_id, format('%s leased', l.amount) FROM ledger.lease l WHERE l.amount < 0
  UNION ALL
  SELECT 'a call costs its units at its price', u.call_id::text, format('%s micro-dollars for %s units at %s', sum(u.amount), sum(u.units), max(u.price))
    FROM ledger.usage u JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id AND k.asset = 'usd'
    GROUP BY u.call_id HAVING sum(u.amount) <> sum(u.units) * max(u.price) OR min(u.price) <> max(u.price)
  UNION ALL
  SELECT 'a unit of an allowance is a unit of a result', u.call_id::text, format('%s drawn for %s units', u.amount, u.units)
    FROM ledger.usage u JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id AND k.asset = 'unit' WHERE u.amount <> u.units
  UNION ALL
  SELECT 'a call belongs to one account', u.call_id::text, string_agg(DISTINCT u.account_id, ' ')
    FROM ledger.usage u WHERE u.plan_id IS DISTINCT FROM '#budget' GROUP BY u.call_id HAVING count(DISTINCT u.account_id) > 1
  UNION ALL
  SELECT 'a budget bears all that its call is worth', u.call_id::text, format('%s of %s units', sum(u.units) FILTER (WHERE u.plan_id = '#budget'), sum(u.units) FILTER (WHERE u.plan_id <> '#budget'))
    FROM ledger.usage u WHERE u.call_id IN (SELECT b.call_id FROM ledger.usage b WHERE b.plan_id = '#budget')
    GROUP BY u.call_id HAVING sum(u.units) FILTER (WHERE u.plan_id = '#budget') IS DISTINCT FROM sum(u.units) FILTER (WHERE u.plan_id <> '#budget')
  UNION ALL
  SELECT 'a batch is the sum of its rows', coalesce(c.lane_id, b.lane_id) || ' ' || coalesce(c.epoch, b.epoch) || '/' || coalesce(c.seq, b.seq),
      format('%s claimed, %s booked', coalesce(c.amount, 0), coalesce(b.amount, 0))
    FROM claimed c FULL JOIN booked b USING (lane_id, epoch, seq, account_id, bucket_id)
    WHERE coalesce(c.amount, 0) <> coalesce(b.amount, 0)
      AND EXISTS (SELECT 1 FROM ledger.batch x WHERE x.lane_id = coalesce(c.lane_id, b.lane_id) AND x.epoch = coalesce(c.epoch, b.epoch) AND x.seq = coalesce(c.seq, b.seq))
  UNION ALL
  SELECT 'batches have no gap', g.lane_id || ' ' || g.epoch, format('%s batches from %s to %s', g.rows, g.first, g.last)
    FROM (SELECT lane_id, epoch, count(*) AS rows, min(seq) AS first, max(seq) AS last FROM ledger.batch GROUP BY 1, 2) g
    WHERE g.rows <> g.last - g.first + 1
  UNION ALL
  SELECT 'nothing is written under an epoch that has not begun', b.lane_id, format('epoch %s, batch of %s', n.epoch, max(b.epoch))
    FROM ledger.batch b JOIN ledger.lane n ON n.id = b.lane_id GROUP BY b.lane_id, n.epoch HAVING max(b.epoch) > n.epoch
  UNION ALL
  SELECT 'a closed lane holds nothing', l.lane_id, format('%s leased', sum(l.amount))
    FROM ledger.lease l LEFT JOIN ledger.lane n ON n.id = l.lane_id WHERE n.open IS NOT TRUE GROUP BY l.lane_id
  UNION ALL
  SELECT 'what is given back was charged', p.key, format('%s given back', p.amount)
    FROM ledger.posting p WHERE p.kind = 'undelivered' AND NOT EXISTS (
      SELECT 1 FROM ledger.usage u WHERE u.call_id = split_part(p.key, ':', 2)::uuid AND u.draw = split_part(p.key, ':', 3)::smallint AND u.amount = p.amount)
  UNION ALL
  SELECT 'a kept answer has its charge', a.call_id::text, a.account_id
    FROM ledger.kept_answer a WHERE NOT EXISTS (SELECT 1 FROM ledger.usage u WHERE u.call_id = a.call_id AND u.account_id = a.account_id AND u.status = a.status)
  UNION ALL
  SELECT 'what is given again is not given back', a.call_id::text, format('%s given back', p.amount)
    FROM ledger.posting p JOIN ledger.kept_answer a ON a.call_id = split_part(p.key, ':', 2)::uuid WHERE p.kind = 'undelivered'
  UNION ALL
  SELECT 'a key is charged once a day', a.account_id || ' ' || encode(a.key, 'hex'), format('calls %s and %s', a.call_id, b.call_id)
    FROM ledger.kept_answer a JOIN ledger.kept_answer b ON b.account_id = a.account_id AND b.key = a.key AND b.call_id > a.call_id
    WHERE ledger.time_of(b.call_id) < ledger.time_of(a.call_id) + interval '23 hours'
  UNION ALL
  SELECT 'a granted order has its one lot', o.id, format('ordered %s, posted %s', o.amount, p.amount)
    FROM shop.purchase o LEFT JOIN ledger.posting p ON p.key = 'purchase:' || o.id
    WHERE (o.state = 'granted') <> (p.key IS NOT NULL) OR p.amount <> coalesce(o.units, o.amount)
      OR p.account_id <> o.account_id AND NOT EXISTS (SELECT FROM shop.account a WHERE a.id = p.account_id AND a.joined_to = o.account_id)
  UNION ALL
  SELECT 'a paid lot has its order', p.key, format('%s posted', p.amount)
    FROM ledger.posting p WHERE p.kind = 'purchase' AND NOT EXISTS (SELECT 1 FROM shop.purchase o WHERE 'purchase:' || o.id = p.key)
  UNION ALL
  SELECT 'what was reversed is taken back or owed', o.id, format('%s reversed, %s taken or owed', shop.reversed_of(o), x.reversed)
    FROM shop.purchase o JOIN (
      SELECT c.key, sum(k.owed) - coalesce(sum(r.amount), 0) AS reversed
        FROM chain c JOIN ledger.bucket k ON k.account_id = c.account_id AND k.id = c.bucket_id
          LEFT JOIN returned r ON r.account_id = c.account_id AND r.bucket_id = c.bucket_id
        GROUP BY c.key
    ) x ON x.key = 'purchase:' || o.id
    WHERE x.reversed <> shop.reversed_of(o)
  UNION ALL
  SELECT 'a promotion gives what it says, and not more often than it may', m.code, format('%s redeemed of %s, %s posted', m.redemptions, m.redemptions_max, count(p.key))
    FROM shop.promotion m LEFT JOIN ledger.posting p ON p.contra = 'promotion:' || m.code
    GROUP BY m.code HAVING count(p.key) <> m.redemptions OR m.redemptions > m.redemptions_max OR bool_or(p.amount <> m.amount)
  UNION ALL
  SELECT 'what a code gave has its promotion', p.key, p.contra
    FROM ledger.posting p WHERE p.contra LIKE 'promotion:%' AND NOT EXISTS (SELECT FROM shop.promotion m WHERE 'promotion:' || m.code = p.contra)
  UNION ALL
  SELECT 'what the seller gave is in the audit log', p.key, format('%s given', p.amount)
    FROM ledger.posting p WHERE p.kind = 'grant' AND p.contra = 'seller' AND NOT EXISTS (SELECT FROM shop.audit a WHERE a.act = 'grant' AND a.after ->> 'key' = p.key)
  UNION ALL
  SELECT 'what moves arrives', m.move, format('%s more', m.amount)
    FROM (SELECT substring(key FROM '^moved:[^:]+:[^:]+') AS move, sum(amount) AS amount FROM ledger.posting WHERE kind = 'moved' GROUP BY 1) m WHERE m.amount <> 0
$$;
--> statement-breakpoint

-- The sums of the whole house, for each asset: paid in + granted - spent - reversed - expired = balance, of which some is held by lanes.
-- `lost`: what refunds and disputes took back from the seller and was spent already.
CREATE FUNCTION ledger.totals() RETURNS TABLE (
  asset text, accounts bigint, lots bigint, paid_in bigint, granted bigint, spent bigint, reversed bigint, expired bigint, balance bigint, held bigint, lost bigint
) LANGUAGE sql STABLE AS $$
  WITH lot AS (
    SELECT k.asset, k.account_id, k.id, k.avail, k.owed,
        coalesce((SELECT sum(l.amount) FROM ledger.lease l WHERE l.account_id = k.account_id AND l.bucket_id = k.id), 0) AS leased
      FROM ledger.bucket k WHERE k.kind <> 'budget'
  ), posted AS (
    SELECT k.asset, p.kind, sum(p.amount) AS amount FROM ledger.posting p JOIN ledger.bucket k ON k.account_id = p.account_id AND k.id = p.bucket_id WHERE k.kind <> 'budget' GROUP BY 1, 2
  ), used AS (
    SELECT k.asset, sum(u.amount) AS amount FROM ledger.usage u JOIN ledger.bucket k ON k.account_id = u.account_id AND k.id = u.bucket_id WHERE k.kind <> 'budget' GROUP BY 1
  ), unfolded AS (
    SELECT k.asset, sum(s.amount) AS amount FROM ledger.lane n, LATERAL ledger.unfolded(n.id, n.epoch, n.folded_seq) s
      JOIN ledger.bucket k ON k.account_id = s.account_id AND k.id = s.bucket_id WHERE n.open AND k.kind <> 'budget' GROUP BY 1
  )
  SELECT lot.asset, count(DISTINCT lot.account_id), count(*),
      coalesce((SELECT amount FROM posted WHERE posted.asset = lot.asset AND kind = 'purchase'), 0)::bigint,
      coalesce((SELECT sum(amount) FROM posted WHERE posted.asset = lot.asset AND kind IN ('trial', 'grant')), 0)::bigint,
      (coalesce((SELECT amount FROM used WHERE used.asset = lot.asset), 0)
        - coalesce((SELECT amount FROM posted WHERE posted.asset = lot.asset AND kind = 'undelivered'), 0))::bigint,
      (-coalesce((SELECT sum(amount) FROM posted WHERE posted.asset = lot.asset AND kind IN ('reversed', 'reinstated')), 0))::bigint,
      (-coalesce((SELECT amount FROM posted WHERE posted.asset = lot.asset AND kind = 'expiry'), 0))::bigint,
      (sum(lot.avail + lot.leased) - coalesce((SELECT amount FROM unfolded WHERE unfolded.asset = lot.asset), 0))::bigint,
      (sum(lot.leased) - coalesce((SELECT amount FROM unfolded WHERE unfolded.asset = lot.asset), 0))::bigint, sum(lot.owed)::bigint
    FROM lot GROUP BY lot.asset
$$;
