-- The maximum balance of an account when a lot is granted: a billion dollars, or as many units. Sums over several such accounts stay below 2^53,
-- which processes can represent exactly.
CREATE OR REPLACE FUNCTION ledger.held_max() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 1000000000000000 $$;

-- Returns the total balance of an account in an asset, including what is leased.
CREATE OR REPLACE FUNCTION ledger.held_total(p_account text, p_asset text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (coalesce((SELECT sum(k.avail) FROM ledger.lot k WHERE k.account_id = p_account AND k.asset = p_asset AND NOT k.closed), 0)
    + coalesce((SELECT sum(l.amount) FROM ledger.lease l JOIN ledger.lot k ON k.account_id = l.account_id AND k.id = l.lot_id
        WHERE l.account_id = p_account AND k.asset = p_asset), 0))::bigint
$$;

-- Grants a lot to an account, once per key. Returns the lot; a repeated call returns the same one. Older lots with the same terms that are used up
-- are closed.
CREATE OR REPLACE FUNCTION ledger.grant_lot(
  p_key text, p_account text, p_posting text, p_contra text,
  p_kind text, p_asset text, p_plan text, p_amount bigint, p_expires timestamptz, p_resets timestamptz DEFAULT NULL
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_lot bigint;
  v_used bigint[];
BEGIN
  SELECT lot_id INTO v_lot FROM ledger.posting WHERE key = p_key;
  IF FOUND THEN
    PERFORM ledger.await_standby();
    RETURN v_lot;
  END IF;
  IF p_amount <= 0 THEN RAISE EXCEPTION 'a lot holds more than nothing: %', p_amount; END IF;
  IF p_amount > ledger.held_max() - ledger.held_total(p_account, p_asset) THEN
    RAISE EXCEPTION 'account % would hold more than % of %', p_account, ledger.held_max(), p_asset USING ERRCODE = 'program_limit_exceeded';
  END IF;
  INSERT INTO ledger.lot (account_id, asset, kind, plan_id, priority, avail, expires_at, resets_at)
    VALUES (p_account, p_asset, p_kind, p_plan,
      CASE p_kind WHEN 'trial' THEN 0 WHEN 'allowance' THEN 1 ELSE 2 END + CASE p_asset WHEN 'usd' THEN 10 ELSE 0 END,
      p_amount, p_expires, coalesce(p_resets, CASE p_kind WHEN 'allowance' THEN p_expires END))
    RETURNING id INTO v_lot;
  -- Of two concurrent calls, the second fails on the key, and its lot is rolled back.
  INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
    VALUES (p_key, p_account, v_lot, p_posting, p_contra, p_amount);
  IF p_expires IS NULL THEN
    SELECT array_agg(id) INTO v_used FROM (
      SELECT id FROM ledger.lot
        WHERE account_id = p_account AND NOT closed AND id < v_lot AND avail = 0 AND clawback_due = 0
          AND expires_at IS NULL AND kind = p_kind AND plan_id = p_plan AND asset = p_asset
        ORDER BY id FOR UPDATE SKIP LOCKED
    ) k;
    -- This is a separate statement because it must see every lease that was granted before the lots were locked.
    UPDATE ledger.lot k SET closed = true WHERE k.account_id = p_account AND k.id = ANY (v_used)
      AND NOT EXISTS (SELECT 1 FROM ledger.lease l WHERE l.account_id = k.account_id AND l.lot_id = k.id AND l.amount > 0);
  END IF;
  PERFORM ledger.announce('ledger', 'granted:' || p_account);
  RETURN v_lot;
END $$;

-- Removes the expired units of at most `p_max` lots, except those that are leased; leases that return later are removed the next time. Lots
-- locked by other transactions are skipped. Returns the number of lots; if it is `p_max`, there may be more.
CREATE OR REPLACE FUNCTION ledger.expire(p_max integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_lot record;
  v_count integer := 0;
BEGIN
  FOR v_lot IN
    SELECT account_id, id, avail FROM ledger.lot WHERE expires_at <= clock_timestamp() AND avail > 0
      ORDER BY expires_at, id LIMIT p_max FOR UPDATE SKIP LOCKED
  LOOP
    INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
      SELECT 'expiry:' || v_lot.id || ':' || count(*), v_lot.account_id, v_lot.id, 'expiry', 'expired', -v_lot.avail
        FROM ledger.posting WHERE account_id = v_lot.account_id AND lot_id = v_lot.id AND kind = 'expiry';
    UPDATE ledger.lot SET avail = 0 WHERE account_id = v_lot.account_id AND id = v_lot.id;
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;

-- Removes the rest of an ended lot immediately, so that a reversal does not find it. The caller holds the lot's lock.
CREATE OR REPLACE FUNCTION ledger.expire_lot(p_account text, p_lot bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
    SELECT 'expiry:' || k.id || ':' || (SELECT count(*) FROM ledger.posting p WHERE p.account_id = k.account_id AND p.lot_id = k.id AND p.kind = 'expiry'),
        k.account_id, k.id, 'expiry', 'expired', -k.avail
      FROM ledger.lot k WHERE k.account_id = p_account AND k.id = p_lot AND k.avail > 0;
  UPDATE ledger.lot SET avail = 0 WHERE account_id = p_account AND id = p_lot;
$$;

-- Returns a lot and the lots to which its rest moved when accounts were joined.
CREATE OR REPLACE FUNCTION ledger.lot_chain(p_account text, p_lot bigint) RETURNS TABLE (account_id text, id bigint, moved_to bigint) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE chain AS (
    SELECT k.account_id, k.id, k.moved_account, k.moved_to FROM ledger.lot k WHERE k.account_id = p_account AND k.id = p_lot
    UNION
    SELECT k.account_id, k.id, k.moved_account, k.moved_to FROM chain c JOIN ledger.lot k ON k.account_id = c.moved_account AND k.id = c.moved_to
  )
  SELECT chain.account_id, chain.id, chain.moved_to FROM chain
$$;

-- Notifies writers that lots of an account expire at another time than they know: they read them again and return their leases.
CREATE OR REPLACE FUNCTION ledger.announce_terms(p_account text) RETURNS void LANGUAGE sql AS $$
  SELECT ledger.announce('ledger', 'granted:' || p_account), ledger.announce('ledger', 'recall:' || p_account)
$$;

-- Ends a lot early because a renewal or another plan replaces it. The rest is removed by the next `ledger.expire`.
CREATE OR REPLACE FUNCTION ledger.end_lot(p_key text) RETURNS void LANGUAGE sql AS $$
  WITH ended AS (
    UPDATE ledger.lot k SET expires_at = clock_timestamp()
      FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
      WHERE p.key = p_key AND k.account_id = c.account_id AND k.id = c.id AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
      RETURNING k.account_id
  )
  SELECT ledger.announce_terms(account_id) FROM ended
$$;

-- Moves the rest of an account's lots, with the clawbacks due, to lots of the same terms in another account. Safe to repeat: leases that return
-- later move then, to the account that their lot moved to before, even if that is a third account by now.
CREATE OR REPLACE FUNCTION ledger.move_lots(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_lot ledger.lot;
  v_key text;
BEGIN
  PERFORM 1 FROM ledger.lot k WHERE (k.account_id, k.id) IN (
      SELECT account_id, id FROM ledger.lot WHERE account_id = p_from UNION SELECT moved_account, moved_to FROM ledger.lot WHERE account_id = p_from)
    ORDER BY k.id FOR UPDATE;
  FOR v_lot IN SELECT * FROM ledger.lot WHERE account_id = p_from AND avail > 0 ORDER BY id LOOP
    IF v_lot.moved_to IS NULL THEN
      v_lot.moved_account := p_to;
      INSERT INTO ledger.lot (account_id, asset, kind, plan_id, priority, avail, expires_at, resets_at, created_at)
        VALUES (p_to, v_lot.asset, v_lot.kind, v_lot.plan_id, v_lot.priority, 0, v_lot.expires_at, v_lot.resets_at, v_lot.created_at) RETURNING id INTO v_lot.moved_to;
    END IF;
    SELECT 'moved:' || v_lot.id || ':' || count(*) INTO v_key FROM ledger.posting WHERE account_id = p_from AND lot_id = v_lot.id AND kind = 'moved' AND amount < 0;
    INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount) VALUES
      (v_key || ':out', p_from, v_lot.id, 'moved', 'account:' || v_lot.moved_account, -v_lot.avail),
      (v_key || ':in', v_lot.moved_account, v_lot.moved_to, 'moved', 'account:' || p_from, v_lot.avail);
    UPDATE ledger.lot SET avail = avail + v_lot.avail, clawback_due = clawback_due + v_lot.clawback_due, closed = false WHERE account_id = v_lot.moved_account AND id = v_lot.moved_to;
    UPDATE ledger.lot SET avail = 0, clawback_due = 0, moved_account = v_lot.moved_account, moved_to = v_lot.moved_to WHERE account_id = p_from AND id = v_lot.id;
    PERFORM ledger.announce('ledger', 'granted:' || v_lot.moved_account);
  END LOOP;
  PERFORM ledger.announce('ledger', 'recall:' || p_from);
END $$;

-- Returns the origin of a granted lot (a promotion, or the seller), also after the lot moved with its account.
CREATE OR REPLACE FUNCTION ledger.source_of(p_account text, p_lot bigint) RETURNS text LANGUAGE sql STABLE AS $$
  WITH RECURSIVE origin AS (
    SELECT p_account AS account_id, p_lot AS id
    UNION
    SELECT k.account_id, k.id FROM origin o JOIN ledger.lot k ON k.moved_account = o.account_id AND k.moved_to = o.id
  )
  SELECT p.contra FROM origin o JOIN ledger.posting p ON p.account_id = o.account_id AND p.lot_id = o.id WHERE p.kind = 'grant' LIMIT 1
$$;

-- Returns the given and remaining amount of each lot of an account, over all processes, and the origin of granted lots.
CREATE OR REPLACE FUNCTION ledger.statement(p_account text) RETURNS TABLE (
  lot_id bigint, asset text, kind text, plan_id text, given bigint, remaining bigint, leased bigint, expires_at timestamptz, resets_at timestamptz, created_at timestamptz, source text
) LANGUAGE sql STABLE AS $$
  WITH uncheckpointed AS (
    SELECT s.lot_id, sum(s.amount)::bigint AS amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s
      WHERE n.open AND s.account_id = p_account GROUP BY 1
  ), leased AS (
    SELECT l.lot_id, sum(l.amount)::bigint AS amount FROM ledger.lease l WHERE l.account_id = p_account GROUP BY 1
  )
  SELECT k.id, k.asset, k.kind, k.plan_id,
      (SELECT coalesce(sum(p.amount), 0)::bigint FROM ledger.posting p
        WHERE p.account_id = k.account_id AND p.lot_id = k.id AND (p.kind IN ('purchase', 'trial', 'grant', 'budget') OR p.kind = 'moved' AND p.amount > 0)),
      greatest(0, k.avail + coalesce(l.amount, 0) - coalesce(s.amount, 0) - k.clawback_due), coalesce(l.amount, 0) - coalesce(s.amount, 0), k.expires_at, k.resets_at, k.created_at,
      CASE k.kind WHEN 'grant' THEN ledger.source_of(k.account_id, k.id) END
    FROM ledger.lot k LEFT JOIN leased l ON l.lot_id = k.id LEFT JOIN uncheckpointed s ON s.lot_id = k.id
    WHERE k.account_id = p_account
    ORDER BY k.priority, k.expires_at NULLS LAST, k.id
$$;
