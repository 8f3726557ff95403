-- The level of an account's credit: `enough`, `low` (less than a tenth of what it had after the last grant) or `exhausted` (nothing, or low and too
-- little for a call that was refused). A lower level is reported once; a grant raises it to `enough`. Calls do not write levels: a job reads the batches of the
-- ledger writers and looks at the accounts that have spent since.

-- Raises the level after a grant (trigger on ledger.posting). It runs at the commit, after all locks of the transaction.
CREATE OR REPLACE FUNCTION shop.raise_credit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.credit_level AS l (account_id, asset, kind, basis)
    SELECT NEW.account_id, c.asset, c.kind, c.remaining FROM ledger.lot k CROSS JOIN LATERAL shop.credit_left(ARRAY[NEW.account_id]) c
      WHERE k.account_id = NEW.account_id AND k.id = NEW.lot_id AND c.asset = k.asset AND c.kind = shop.credit_kind(k.kind)
    ON CONFLICT (account_id, asset, kind) DO UPDATE SET state = 'enough', basis = excluded.basis, grants = l.grants + 1, refused = false;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION shop.credit_kind(p_kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_kind WHEN 'grant' THEN 'credit' ELSE p_kind END
$$;

-- Returns what accounts have left of each asset and kind over all processes, with the spending of batches that are not checkpointed.
CREATE OR REPLACE FUNCTION shop.credit_left(p_accounts text[]) RETURNS TABLE (account_id text, asset text, kind text, remaining bigint) LANGUAGE sql STABLE AS $$
  WITH spent AS MATERIALIZED (
    SELECT s.account_id, s.lot_id, sum(s.amount) AS amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) s
      WHERE n.open AND s.account_id = ANY (p_accounts) GROUP BY 1, 2
  )
  SELECT k.account_id, k.asset, shop.credit_kind(k.kind), sum(greatest(0, k.avail - k.clawback_due - coalesce(s.amount, 0)
      + coalesce((SELECT sum(l.amount) FROM ledger.lease l WHERE l.account_id = k.account_id AND l.lot_id = k.id), 0)))::bigint
    FROM ledger.lot k LEFT JOIN spent s ON s.account_id = k.account_id AND s.lot_id = k.id
    WHERE k.account_id = ANY (p_accounts) AND NOT k.closed AND k.kind <> 'budget' AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
    GROUP BY 1, 2, 3
$$;

-- Notes that a writer lacks `p_missing` micro-dollars for a call and that the leases of other writers do not have them, a unit being worth `p_price`. A row
-- that another transaction has locked is left out: the next refusal notes it.
CREATE OR REPLACE FUNCTION shop.note_refused(p_writer text, p_account text, p_missing bigint, p_price bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.credit_level l SET refused = true FROM (
    SELECT account_id, asset, kind FROM shop.credit_level WHERE account_id = p_account AND state <> 'exhausted' AND NOT refused
      AND p_missing > coalesce((SELECT sum(e.amount * CASE k.asset WHEN 'usd' THEN 1 ELSE p_price END) FROM ledger.lease e
        JOIN ledger.lot k ON k.account_id = e.account_id AND k.id = e.lot_id WHERE e.account_id = p_account AND e.writer_id <> p_writer), 0)
      FOR UPDATE SKIP LOCKED
  ) due WHERE l.account_id = due.account_id AND l.asset = due.asset AND l.kind = due.kind
$$;

-- Lowers the levels of accounts, with the events and the mail about it. Returns the number of levels that changed. A grant that commits meanwhile
-- counts: its level is not lowered by an older reading.
CREATE OR REPLACE FUNCTION shop.lower_credit(p_accounts text[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_one record;
  v_count integer := 0;
  v_data jsonb;
BEGIN
  FOR v_one IN
    SELECT r.*, CASE WHEN r.remaining = 0 OR r.remaining * 10 < r.basis AND r.refused THEN 'exhausted' WHEN r.remaining * 10 < r.basis THEN 'low' ELSE r.state END AS next FROM (
      SELECT l.*, coalesce(c.remaining, 0) AS remaining FROM shop.credit_level l
          LEFT JOIN shop.credit_left(p_accounts) c ON c.account_id = l.account_id AND c.asset = l.asset AND c.kind = l.kind
        WHERE l.account_id = ANY (p_accounts) AND l.state <> 'exhausted'
    ) r ORDER BY r.account_id, r.asset, r.kind
  LOOP
    CONTINUE WHEN v_one.next = v_one.state AND NOT v_one.refused;
    UPDATE shop.credit_level SET state = v_one.next, refused = false
      WHERE account_id = v_one.account_id AND asset = v_one.asset AND kind = v_one.kind AND grants = v_one.grants AND state = v_one.state;
    CONTINUE WHEN NOT FOUND OR v_one.next = v_one.state;
    v_count := v_count + 1;
    v_data := jsonb_build_object('kind', v_one.kind, 'asset', v_one.asset, 'remaining', v_one.remaining, 'basis', v_one.basis);
    IF v_one.state = 'enough' THEN
      PERFORM shop.add_event('credit.low', v_one.account_id, concat_ws(':', v_one.account_id, v_one.asset, v_one.kind, v_one.grants), v_data);
      IF v_one.asset = 'usd' AND v_one.kind = 'credit' THEN PERFORM shop.add_low_balance_mail(v_one.account_id); END IF;
    END IF;
    IF v_one.next = 'exhausted' THEN
      PERFORM shop.add_event('credit.exhausted', v_one.account_id, concat_ws(':', v_one.account_id, v_one.asset, v_one.kind, v_one.grants), v_data);
    END IF;
  END LOOP;
  RETURN v_count;
END $$;

-- Looks at the accounts that spent in the next `p_max` batches of each writer, or whose call was refused. Returns the largest number of batches of a
-- writer; if it is `p_max`, there may be more. One process at a time does this.
CREATE OR REPLACE FUNCTION shop.check_credit(p_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_accounts text[];
  v_count integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('shop.check_credit', 0)) THEN RETURN 0; END IF;
  WITH news AS MATERIALIZED (
    SELECT b.* FROM ledger.writer n LEFT JOIN shop.credit_check c ON c.writer_id = n.id CROSS JOIN LATERAL (
      SELECT b.writer_id, b.epoch, b.seq, b.account_ids FROM ledger.batch b
        WHERE b.writer_id = n.id AND (b.epoch, b.seq) > (coalesce(c.epoch, 0), coalesce(c.seq, 0)) ORDER BY b.epoch, b.seq LIMIT p_max
    ) b
  ), kept AS (
    INSERT INTO shop.credit_check (writer_id, epoch, seq) SELECT DISTINCT ON (writer_id) writer_id, epoch, seq FROM news ORDER BY writer_id, epoch DESC, seq DESC
      ON CONFLICT (writer_id) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq
  )
  SELECT array_agg(DISTINCT a.account_id), (SELECT max(w.batches) FROM (SELECT count(*) AS batches FROM news GROUP BY writer_id) w) INTO v_accounts, v_count
    FROM (SELECT unnest(account_ids) AS account_id FROM news UNION SELECT account_id FROM shop.credit_level WHERE refused) a;
  IF v_accounts IS NOT NULL THEN PERFORM shop.lower_credit(v_accounts); END IF;
  RETURN coalesce(v_count, 0);
END $$;

-- Lowers the levels of accounts that have not spent: their credit expired or was taken back. Checks the next `p_max` accounts after `p_after`, and returns
-- the last of them, or null after the end of the list.
CREATE OR REPLACE FUNCTION shop.sweep_credit(p_after text, p_max integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_accounts text[];
BEGIN
  SELECT array_agg(account_id) INTO v_accounts FROM (
    SELECT DISTINCT account_id FROM shop.credit_level WHERE p_after IS NULL OR account_id > p_after ORDER BY account_id LIMIT p_max
  ) n;
  PERFORM shop.lower_credit(v_accounts);
  RETURN CASE WHEN cardinality(v_accounts) = p_max THEN v_accounts[p_max] END;
END $$;
