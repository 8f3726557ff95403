-- Returns the usage rows of a batch, in the order of the table's columns. A column with one value for all rows is passed as a list of one
-- element. `u_metered` is empty if no call of the batch is metered.
CREATE OR REPLACE FUNCTION ledger.usage_rows(
  u_call uuid[], u_draw smallint[], u_account text[], u_lot bigint[], u_plan text[], u_service text[], u_operation text[],
  u_status smallint[], u_units bigint[], u_price bigint[], u_amount bigint[], u_key text[], u_metered jsonb[]
) RETURNS TABLE (
  call_id uuid, draw smallint, status smallint, account_id text, lot_id bigint, units bigint, price bigint, amount bigint,
  plan_id text, service text, operation text, key_id text, quantities jsonb, price_key text, upstream_cost bigint
) LANGUAGE sql STABLE AS $$
  SELECT u.call_id, coalesce(u.draw, u_draw[1]), coalesce(u.status, u_status[1]), coalesce(u.account_id, u_account[1]), u.lot_id,
      coalesce(u.units, u_units[1]), coalesce(u.price, u_price[1]), coalesce(u.amount, u_amount[1]), u.plan_id, coalesce(u.service, u_service[1]),
      coalesce(u.operation, u_operation[1]), u.key_id, u.metered -> 'quantities', u.metered ->> 'price_key', (u.metered ->> 'upstream_cost')::bigint
    FROM unnest(u_call, u_draw, u_account, u_lot, u_plan, u_service, u_operation, u_status, u_units, u_price, u_amount, u_key, u_metered)
      AS u (call_id, draw, account_id, lot_id, plan_id, service, operation, status, units, price, amount, key_id, metered)
$$;

-- Returns the lots that a writer may draw on, in burn order. Units of results never pay for a call that is priced in money (`p_money_only`). Only lots that the caller has locked are returned, because others may change meanwhile.
CREATE OR REPLACE FUNCTION ledger.drawable_lots(p_account text, p_plans text, p_money_only boolean, p_locked bigint[]) RETURNS TABLE (id bigint, asset text, avail bigint, kind text, plan_id text) LANGUAGE sql STABLE AS $$
  SELECT id, asset, avail - clawback_due, kind, plan_id FROM ledger.lot
    WHERE account_id = p_account AND id = ANY (p_locked) AND avail > clawback_due AND plan_id = ANY (string_to_array(p_plans, ','))
      AND (asset = 'usd' OR p_money_only IS NOT TRUE)
      AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ORDER BY priority, expires_at NULLS LAST, id
$$;

-- Returns the lots of accounts in burn order, with the amounts that other writers hold of them. For accounts in `p_exact`, where a refusal
-- may follow, the uncheckpointed spending of the other writers is subtracted. `plans` are the plans that may be used: a trial while any of it is
-- left, an allowance until it expires, credit always. One prepared statement serves all accounts.
CREATE OR REPLACE FUNCTION ledger.holdings(p_accounts text[], p_writer text, p_exact text[]) RETURNS jsonb
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_spent jsonb := '{}'::jsonb;
BEGIN
  IF cardinality(p_exact) > 0 THEN
    SELECT coalesce(jsonb_object_agg(s.lot_id, s.amount), '{}') INTO v_spent FROM (
      SELECT s.lot_id, sum(s.amount) AS amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s
        WHERE n.open AND n.id <> p_writer AND s.account_id = ANY (p_exact) GROUP BY 1
    ) s;
  END IF;
  RETURN (
    WITH live AS (
      SELECT k.*, coalesce(l.others, 0) - coalesce((v_spent ->> k.id::text)::bigint, 0) AS others, coalesce(l.leased, false) AS leased
        FROM ledger.lot k
          LEFT JOIN LATERAL (
            SELECT sum(l.amount) FILTER (WHERE l.writer_id <> p_writer) AS others, bool_or(l.amount > 0) AS leased
              FROM ledger.lease l WHERE l.account_id = k.account_id AND l.lot_id = k.id
          ) l ON true
        WHERE k.account_id = ANY (p_accounts) AND NOT k.closed AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    ), held AS (
      SELECT jsonb_build_object(
          'account', account_id,
          'lots', coalesce(jsonb_agg(jsonb_build_object(
              'id', k.id, 'asset', k.asset, 'kind', k.kind, 'plan', k.plan_id, 'avail', greatest(0, k.avail - k.clawback_due), 'others', k.others,
              'expires', (extract(epoch FROM k.expires_at) * 1000)::bigint
            ) ORDER BY k.priority, k.expires_at NULLS LAST, k.id) FILTER (WHERE k.avail > k.clawback_due OR k.leased), '[]'),
          'plans', coalesce(jsonb_agg(DISTINCT k.plan_id) FILTER (WHERE k.kind <> 'trial' OR k.avail > 0 OR k.leased), '[]'),
          'resets', (extract(epoch FROM min(k.resets_at) FILTER (WHERE k.resets_at > clock_timestamp())) * 1000)::bigint
        ) AS holding
        FROM unnest(p_accounts) AS a (account_id) LEFT JOIN live k USING (account_id) GROUP BY account_id
    )
    SELECT jsonb_agg(holding) FROM held
  );
END $$;

-- Commits many calls at once: books their usage, stores the responses of idempotent calls, returns idle leases, grants further leases, and
-- checkpoints. The result is {"state":"ok","holdings":[...],"granted":[...]} or {"state":"fenced"}; the same (writer, epoch, seq) again gets the
-- same result. It fails with unique_violation if a usage row was booked before. The writer then sends the batch with `p_again`, which skips such
-- rows and charges the others. Checking every row in the first place would double the cost of each.
CREATE OR REPLACE FUNCTION ledger.batch(
  p_writer text, p_epoch bigint, p_seq bigint, p_delivered bigint, p_checkpoint boolean,
  u_call uuid[], u_draw smallint[], u_account text[], u_lot bigint[], u_plan text[], u_service text[], u_operation text[],
  u_status smallint[], u_units bigint[], u_price bigint[], u_amount bigint[], u_key text[], u_metered jsonb[],
  k_call uuid[] DEFAULT '{}', k_account text[] DEFAULT '{}', k_key bytea[] DEFAULT '{}',
  k_status smallint[] DEFAULT '{}', k_headers text[] DEFAULT '{}', k_body bytea[] DEFAULT '{}',
  r_account text[] DEFAULT '{}', r_lot bigint[] DEFAULT '{}', r_amount bigint[] DEFAULT '{}', r_recalled boolean[] DEFAULT '{}',
  w_account text[] DEFAULT '{}', w_plans text[] DEFAULT '{}', w_price bigint[] DEFAULT '{}', w_units bigint[] DEFAULT '{}',
  w_headroom bigint[] DEFAULT '{}', w_recall boolean[] DEFAULT '{}', w_money_only boolean[] DEFAULT '{}', p_again boolean DEFAULT false
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_writer ledger.writer;
  v_result jsonb;
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
  v_accounts text[];
  v_lots bigint[];
  v_spent bigint[];
  v_charged uuid[];
  v_granted jsonb := '[]'::jsonb;
  v_short text[] := '{}'::text[];
  v_paused boolean;
  v_paused_accounts text[] := '{}'::text[];
BEGIN
  -- FOR SHARE would not be enough: an interrupted copy of this batch may still run, and has to end before the repetition reads.
  SELECT * INTO v_writer FROM ledger.writer WHERE id = p_writer FOR NO KEY UPDATE;
  IF NOT FOUND OR v_writer.epoch <> p_epoch OR NOT v_writer.open THEN RETURN '{"state":"fenced"}'::jsonb; END IF;
  SELECT max(seq) INTO v_last FROM ledger.batch WHERE writer_id = p_writer AND epoch = p_epoch AND seq BETWEEN p_seq - 1 AND p_seq;
  IF v_last = p_seq THEN
    SELECT result INTO v_result FROM ledger.batch_result WHERE writer_id = p_writer AND epoch = p_epoch AND seq = p_seq;
    RETURN coalesce(v_result, '{"state":"ok"}');
  END IF;
  IF p_seq > 1 AND v_last IS NULL THEN
    RAISE EXCEPTION 'writer % epoch %: batch % has no predecessor', p_writer, p_epoch, p_seq USING ERRCODE = 'data_corrupted';
  END IF;

  IF p_again THEN
    WITH booked AS (
      INSERT INTO ledger.usage SELECT u.*, p_writer, p_epoch, p_seq
        FROM ledger.usage_rows(u_call, u_draw, u_account, u_lot, u_plan, u_service, u_operation, u_status, u_units, u_price, u_amount, u_key, u_metered) u
        ON CONFLICT DO NOTHING
        RETURNING call_id, account_id, lot_id, amount
    )
    SELECT array_agg(call_id), array_agg(account_id), array_agg(lot_id), array_agg(amount) INTO u_call, u_account, u_lot, u_amount FROM booked;
  ELSIF cardinality(u_call) > 0 THEN
    INSERT INTO ledger.usage SELECT u.*, p_writer, p_epoch, p_seq
      FROM ledger.usage_rows(u_call, u_draw, u_account, u_lot, u_plan, u_service, u_operation, u_status, u_units, u_price, u_amount, u_key, u_metered) u;
  END IF;
  -- Most batches charge each call the same, from one lot, or have a single call. Then the sums need no query.
  IF cardinality(u_account) = 1 AND cardinality(u_amount) = 1 AND u_amount[1] > 0 AND u_lot[1] = ALL (u_lot) THEN
    v_accounts := u_account;
    v_lots := u_lot[1:1];
    v_spent := ARRAY[u_amount[1] * cardinality(u_call)];
  ELSE
    SELECT coalesce(array_agg(s.account_id), '{}'), coalesce(array_agg(s.lot_id), '{}'), coalesce(array_agg(s.amount), '{}') INTO v_accounts, v_lots, v_spent
      FROM (
        SELECT coalesce(u.account_id, u_account[1]) AS account_id, u.lot_id, sum(coalesce(u.amount, u_amount[1]))::bigint AS amount
          FROM unnest(u_account, u_lot, u_amount) AS u (account_id, lot_id, amount)
          WHERE coalesce(u.amount, u_amount[1]) > 0 GROUP BY 1, 2
      ) s;
  END IF;
  IF 0 < ALL (u_amount) THEN v_charged := u_call;
  ELSE v_charged := ARRAY(SELECT c.call_id FROM unnest(u_call, u_amount) AS c (call_id, amount) WHERE coalesce(c.amount, u_amount[1]) > 0);
  END IF;
  INSERT INTO ledger.batch (writer_id, epoch, seq, delivered_seq, account_ids, lot_ids, spent, call_ids)
    VALUES (p_writer, p_epoch, p_seq, CASE WHEN p_checkpoint THEN p_delivered ELSE 0 END, v_accounts, v_lots, v_spent, v_charged);
  IF cardinality(k_call) > 0 THEN
    INSERT INTO ledger.stored_response (call_id, account_id, key, status, headers, body)
      SELECT * FROM unnest(k_call, k_account, k_key, k_status, k_headers, k_body) ON CONFLICT DO NOTHING;
    INSERT INTO ledger.idempotency_key_day AS d (day, account_id, idempotency_keys, bytes)
      SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date, k.account_id, 0, sum(octet_length(k.body))
        FROM unnest(k_account, k_body) AS k (account_id, body) WHERE k.body IS NOT NULL GROUP BY 2 ORDER BY 2
      ON CONFLICT (day, account_id) DO UPDATE SET bytes = d.bytes + excluded.bytes;
  END IF;

  IF cardinality(r_account) + cardinality(w_account) > 0 THEN
    SELECT coalesce(array_agg(id), '{}') INTO v_locked FROM (
      SELECT id FROM ledger.lot WHERE account_id = ANY (r_account || w_account) AND NOT closed AND (avail > 0 OR id = ANY (r_lot)) ORDER BY id FOR UPDATE
    ) k;
  END IF;
  IF p_checkpoint THEN
    PERFORM ledger.checkpoint(p_writer, p_epoch, v_writer.checkpointed_seq);
    UPDATE ledger.writer SET checkpointed_seq = p_seq, delivered_seq = greatest(delivered_seq, p_delivered), heartbeat_at = clock_timestamp() WHERE id = p_writer;
  END IF;
  IF cardinality(r_account) > 0 THEN
    IF NOT p_checkpoint THEN RAISE EXCEPTION 'leases come back only with a checkpoint'; END IF;
    UPDATE ledger.lease l SET amount = l.amount - r.amount FROM unnest(r_account, r_lot, r_amount) AS r (account_id, lot_id, amount)
      WHERE l.writer_id = p_writer AND l.account_id = r.account_id AND l.lot_id = r.lot_id;
    GET DIAGNOSTICS v_take = ROW_COUNT;
    IF v_take <> cardinality(r_account) THEN RAISE EXCEPTION 'writer % returns a lease that it does not hold', p_writer; END IF;
    UPDATE ledger.lot k SET avail = k.avail + r.amount, closed = false FROM unnest(r_account, r_lot, r_amount) AS r (account_id, lot_id, amount)
      WHERE k.account_id = r.account_id AND k.id = r.lot_id;
    IF EXISTS (SELECT FROM ledger.trial_limit) THEN PERFORM ledger.return_trial(r_account, r_lot, r_amount); END IF;
    DELETE FROM ledger.lease l USING unnest(r_account, r_lot) AS r (account_id, lot_id)
      WHERE l.writer_id = p_writer AND l.account_id = r.account_id AND l.lot_id = r.lot_id AND l.amount = 0;
    PERFORM ledger.announce('ledger', 'returned:' || a.account_id)
      FROM (SELECT DISTINCT account_id FROM unnest(r_account, r_recalled) AS r (account_id, recalled) WHERE recalled) a;
  END IF;
  IF cardinality(w_account) = 0 THEN RETURN '{"state":"ok"}'::jsonb; END IF;

  SELECT greatest(1, count(*)) INTO v_live FROM ledger.writer WHERE open;
  FOR v_want IN
    SELECT * FROM unnest(w_account, w_plans, w_price, w_units, w_headroom, w_recall, w_money_only) AS w (account_id, plans, price, units, headroom, recall, money_only)
  LOOP
    v_units := v_want.units;
    v_room := v_want.headroom;
    v_money := NULL;
    v_paused := false;
    IF v_want.recall THEN
      -- A recalled lease is granted in full or not at all: parts of it in two writers would be enough for neither call.
      SELECT coalesce(sum(avail) FILTER (WHERE asset = 'unit'), 0), coalesce(sum(avail) FILTER (WHERE asset = 'usd'), 0) INTO v_need, v_take
        FROM ledger.drawable_lots(v_want.account_id, v_want.plans, v_want.money_only, v_locked);
      IF greatest(0, v_units - v_need) * v_want.price > v_take THEN
        v_short := v_short || v_want.account_id;
        PERFORM shop.note_refused(p_writer, v_want.account_id, greatest(0, v_units - v_need) * v_want.price - v_take, v_want.price);
        PERFORM ledger.announce('ledger', 'recall:' || v_want.account_id);
        CONTINUE;
      END IF;
    END IF;
    FOR v_lot IN SELECT * FROM ledger.drawable_lots(v_want.account_id, v_want.plans, v_want.money_only, v_locked) LOOP
      -- Units come before money in the burn order. The part that they do not cover is leased in micro-dollars.
      IF v_lot.asset = 'usd' AND v_money IS NULL THEN
        v_money := v_units * v_want.price;
        v_room := v_room * v_want.price;
        v_units := 0;
      END IF;
      EXIT WHEN v_units = 0 AND coalesce(v_money, 0) = 0 AND v_room = 0;
      v_need := least(v_lot.avail, CASE v_lot.asset WHEN 'usd' THEN v_money ELSE v_units END);
      -- Beyond its need a writer takes no more than its share, so that other writers find something.
      v_take := v_need + greatest(0, least(v_room, v_lot.avail / (2 * v_live) - v_need));
      IF v_lot.kind = 'trial' AND v_take > 0 THEN
        v_take := ledger.take_trial(v_lot.plan_id, v_need, v_take);
        -- The trial is skipped: what comes after it in the burn order may pay for the call.
        IF v_take < v_need THEN v_paused := true; CONTINUE; END IF;
      END IF;
      CONTINUE WHEN v_take = 0;
      v_room := v_room - (v_take - v_need);
      IF v_lot.asset = 'usd' THEN v_money := v_money - v_need; ELSE v_units := v_units - v_need; END IF;
      UPDATE ledger.lot SET avail = avail - v_take WHERE account_id = v_want.account_id AND id = v_lot.id;
      INSERT INTO ledger.lease AS l (writer_id, account_id, lot_id, amount) VALUES (p_writer, v_want.account_id, v_lot.id, v_take)
        ON CONFLICT (writer_id, account_id, lot_id) DO UPDATE SET amount = l.amount + excluded.amount;
      v_granted := v_granted || jsonb_build_object('account', v_want.account_id, 'lot', v_lot.id, 'amount', v_take);
    END LOOP;
    IF v_paused THEN v_paused_accounts := v_paused_accounts || v_want.account_id; END IF;
    IF v_units + coalesce(v_money, 0) > 0 THEN
      v_short := v_short || v_want.account_id;
      PERFORM shop.note_refused(p_writer, v_want.account_id, v_units * v_want.price + coalesce(v_money, 0), v_want.price);
    END IF;
  END LOOP;
  v_result := jsonb_build_object('state', 'ok', 'granted', v_granted,
    'holdings', ledger.holdings(ARRAY(SELECT DISTINCT unnest(w_account)), p_writer, v_short));
  IF cardinality(v_paused_accounts) > 0 THEN
    v_result := v_result || jsonb_build_object('paused', to_jsonb(v_paused_accounts), 'paused_until', ledger.next_trial_hour());
  END IF;
  INSERT INTO ledger.batch_result (writer_id, epoch, seq, result) VALUES (p_writer, p_epoch, p_seq, v_result);
  RETURN v_result;
END $$;
