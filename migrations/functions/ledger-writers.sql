-- Returns the spending of a writer's batches since its last checkpoint, for each lot.
CREATE OR REPLACE FUNCTION ledger.uncheckpointed(p_writer text, p_epoch bigint, p_checkpointed bigint)
RETURNS TABLE (account_id text, lot_id bigint, amount bigint) LANGUAGE sql STABLE AS $$
  SELECT s.account_id, s.lot_id, sum(s.amount)::bigint
    FROM ledger.batch b, LATERAL unnest(b.account_ids, b.lot_ids, b.spent) AS s (account_id, lot_id, amount)
    WHERE b.writer_id = p_writer AND b.epoch = p_epoch AND b.seq > p_checkpointed
    GROUP BY 1, 2
$$;

-- Subtracts the spending of batches from the writer's leases, and marks the accounts whose automatic top-up may be due. The caller holds the lock
-- on the writer's row.
CREATE OR REPLACE FUNCTION ledger.checkpoint(p_writer text, p_epoch bigint, p_checkpointed bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_spent bigint;
  v_taken bigint;
  v_accounts text[];
BEGIN
  WITH spent AS MATERIALIZED (
    SELECT account_id, lot_id, amount FROM ledger.uncheckpointed(p_writer, p_epoch, p_checkpointed)
  ), taken AS (
    UPDATE ledger.lease l SET amount = l.amount - s.amount FROM spent s
      WHERE l.writer_id = p_writer AND l.account_id = s.account_id AND l.lot_id = s.lot_id
      RETURNING 1
  )
  SELECT (SELECT count(*) FROM spent), (SELECT count(*) FROM taken), (SELECT array_agg(DISTINCT account_id) FROM spent) INTO v_spent, v_taken, v_accounts;
  IF v_taken <> v_spent THEN RAISE EXCEPTION 'writer % spent from % lots and leases %', p_writer, v_spent, v_taken; END IF;
  IF v_spent > 0 THEN PERFORM shop.mark_low_top_ups(v_accounts); END IF;
END $$;

-- Credits back the charges of calls whose responses were never sent, once for each call and lot, each with a posting. A response that is stored in
-- full is not lost: the caller gets it with the same key, and the charge stays. A response stored without its body is deleted together with its
-- idempotency key, so that the call can be made again.
CREATE OR REPLACE FUNCTION ledger.credit_undelivered(p_calls uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_count bigint;
  v_calls uuid[];
BEGIN
  SELECT coalesce(array_agg(c), '{}') INTO v_calls
    FROM unnest(p_calls) c WHERE NOT EXISTS (SELECT 1 FROM ledger.stored_response k WHERE k.call_id = c AND k.body IS NOT NULL);
  PERFORM 1 FROM ledger.lot k
    WHERE (k.account_id, k.id) IN (SELECT u.account_id, u.lot_id FROM ledger.usage u WHERE u.call_id = ANY (v_calls) AND u.amount > 0)
    ORDER BY k.id FOR UPDATE;
  WITH posted AS (
    INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
      SELECT 'undelivered:' || u.call_id || ':' || u.draw, u.account_id, u.lot_id, 'undelivered', 'revenue', u.amount
        FROM ledger.usage u WHERE u.call_id = ANY (v_calls) AND u.amount > 0
      ON CONFLICT DO NOTHING
      RETURNING posting.account_id, posting.lot_id, posting.amount
  ), given AS (
    SELECT p.account_id, p.lot_id, sum(p.amount)::bigint AS amount, count(*) AS rows FROM posted p GROUP BY 1, 2
  ), moved AS (
    UPDATE ledger.lot k SET avail = k.avail + g.amount, closed = false FROM given g
      WHERE k.account_id = g.account_id AND k.id = g.lot_id
  )
  SELECT coalesce(sum(rows), 0) INTO v_count FROM given;
  WITH forgotten AS (DELETE FROM ledger.stored_response WHERE call_id = ANY (v_calls) RETURNING call_id, account_id, key)
  DELETE FROM ledger.idempotency_key t USING forgotten f WHERE t.account_id IN (f.account_id, shop.resolve_account(f.account_id)) AND t.key = f.key AND t.call_id = f.call_id;
  RETURN v_count;
END $$;

-- Ends a writer: checkpoints, credits back what was charged and not delivered, and returns every lease. Raises the epoch, which fences a process
-- that still writes under the old one. Returns the new epoch.
CREATE OR REPLACE FUNCTION ledger.reap(p_writer text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_writer ledger.writer;
  v_calls uuid[];
BEGIN
  SELECT * INTO v_writer FROM ledger.writer WHERE id = p_writer FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM 1 FROM ledger.lot k
    WHERE (k.account_id, k.id) IN (SELECT l.account_id, l.lot_id FROM ledger.lease l WHERE l.writer_id = p_writer)
    ORDER BY k.id FOR UPDATE;
  PERFORM ledger.checkpoint(p_writer, v_writer.epoch, v_writer.checkpointed_seq);
  SELECT array_agg(c.call_id) INTO v_calls
    FROM ledger.batch b, LATERAL unnest(b.call_ids) AS c (call_id)
    WHERE b.writer_id = p_writer AND b.epoch = v_writer.epoch AND b.seq > v_writer.delivered_seq;
  IF v_calls IS NOT NULL THEN PERFORM ledger.credit_undelivered(v_calls); END IF;
  UPDATE ledger.lot k SET avail = k.avail + l.amount, closed = false FROM ledger.lease l
    WHERE l.writer_id = p_writer AND l.amount > 0 AND k.account_id = l.account_id AND k.id = l.lot_id;
  PERFORM ledger.announce('ledger', 'returned:' || a.account_id) FROM (SELECT DISTINCT account_id FROM ledger.lease WHERE writer_id = p_writer AND amount > 0) a;
  IF EXISTS (SELECT FROM ledger.trial_limit) THEN
    PERFORM ledger.return_trial(array_agg(l.account_id), array_agg(l.lot_id), array_agg(l.amount)) FROM ledger.lease l WHERE l.writer_id = p_writer AND l.amount > 0;
  END IF;
  DELETE FROM ledger.lease WHERE writer_id = p_writer;
  UPDATE ledger.writer SET epoch = epoch + 1, open = false, checkpointed_seq = 0, delivered_seq = 0 WHERE id = p_writer;
  RETURN v_writer.epoch + 1;
END $$;

-- Opens a writer, after ending what a previous process held under its name. Returns the epoch to write under.
CREATE OR REPLACE FUNCTION ledger.open_writer(p_writer text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_epoch bigint;
BEGIN
  INSERT INTO ledger.writer (id, epoch, open, checkpointed_seq, delivered_seq, heartbeat_at)
    VALUES (p_writer, 0, false, 0, 0, clock_timestamp()) ON CONFLICT DO NOTHING;
  v_epoch := ledger.reap(p_writer);
  UPDATE ledger.writer SET open = true, heartbeat_at = clock_timestamp() WHERE id = p_writer;
  RETURN v_epoch;
END $$;

-- Ends a writer whose process has delivered everything that it charged. Returns false if the writer was fenced before.
CREATE OR REPLACE FUNCTION ledger.close_writer(p_writer text, p_epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ledger.writer SET delivered_seq = 9223372036854775807 WHERE id = p_writer AND epoch = p_epoch AND open;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM ledger.reap(p_writer);
  RETURN true;
END $$;

-- Ends every writer without a heartbeat for `p_silence`. Returns their number. A writer that cannot be ended (it spent more than its leases) is
-- left for a person to examine, and the others are ended all the same.
CREATE OR REPLACE FUNCTION ledger.reap_silent(p_silence interval) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_writer text;
  v_count integer := 0;
BEGIN
  FOR v_writer IN
    SELECT id FROM ledger.writer WHERE open AND heartbeat_at < clock_timestamp() - p_silence ORDER BY id FOR UPDATE
  LOOP
    BEGIN
      PERFORM ledger.reap(v_writer);
      v_count := v_count + 1;
    EXCEPTION WHEN check_violation OR raise_exception THEN
      RAISE WARNING 'writer % cannot be reaped: %', v_writer, SQLERRM;
    END;
  END LOOP;
  RETURN v_count;
END $$;

-- Deletes old batches that only a repetition would need: at most `p_max`, each writer's oldest first, so that the numbers have no gaps. Returns
-- their number; if it is `p_max`, there may be more.
CREATE OR REPLACE FUNCTION ledger.prune(p_age interval, p_max integer DEFAULT 5000) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  WITH old AS MATERIALIZED (
    SELECT b.writer_id, b.epoch, b.seq FROM ledger.batch b JOIN ledger.writer n ON n.id = b.writer_id
      WHERE b.at < now() - p_age AND (b.epoch < n.epoch OR (b.seq < n.checkpointed_seq AND b.seq <= n.delivered_seq))
      ORDER BY b.writer_id, b.epoch, b.seq LIMIT p_max
  ), answers AS (
    DELETE FROM ledger.batch_result a USING old o WHERE a.writer_id = o.writer_id AND a.epoch = o.epoch AND a.seq = o.seq
  ), batches AS (
    DELETE FROM ledger.batch b USING old o WHERE b.writer_id = o.writer_id AND b.epoch = o.epoch AND b.seq = o.seq RETURNING 1
  )
  SELECT count(*) FROM batches
$$;
