-- Acquires an idempotency key for a call. `state`: `taken`; `kept` (with the stored response); `in_flight` (a running writer serves it); `mismatch`
-- (it was used for a different request); `too_many` (today). `keeps`: there is room to store the body of the response. A key without a response
-- whose writer has ended is acquired again, and so is a key that is older than `p_life`.
CREATE OR REPLACE FUNCTION ledger.acquire_idempotency_key(
  p_account text, p_key bytea, p_request bytea, p_call uuid, p_writer text, p_epoch bigint, p_life interval, p_idempotency_keys_max integer, p_bytes_max bigint
) RETURNS TABLE (state text, keeps boolean, kept_call uuid, kept_status smallint, kept_headers text, kept_body bytea) LANGUAGE plpgsql AS $$
DECLARE
  v_idempotency_key ledger.idempotency_key;
  v_kept ledger.stored_response;
  v_today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  v_day ledger.idempotency_key_day;
  v_lives boolean;
BEGIN
  -- The keys of a joined account move to the account that it was joined to.
  p_account := shop.resolve_account(p_account);
  LOOP
    INSERT INTO ledger.idempotency_key (account_id, key, request, call_id, writer_id, epoch) VALUES (p_account, p_key, p_request, p_call, p_writer, p_epoch)
      ON CONFLICT DO NOTHING;
    IF FOUND THEN
      INSERT INTO ledger.idempotency_key_day AS d (day, account_id, idempotency_keys, bytes) VALUES (v_today, p_account, 1, 0)
        ON CONFLICT (day, account_id) DO UPDATE SET idempotency_keys = d.idempotency_keys + 1 RETURNING * INTO v_day;
      EXIT WHEN v_day.idempotency_keys <= p_idempotency_keys_max;
      DELETE FROM ledger.idempotency_key t WHERE t.account_id = p_account AND t.key = p_key;
      UPDATE ledger.idempotency_key_day d SET idempotency_keys = d.idempotency_keys - 1 WHERE d.day = v_today AND d.account_id = p_account;
      state := 'too_many';
      RETURN NEXT;
      RETURN;
    END IF;
    SELECT * INTO v_idempotency_key FROM ledger.idempotency_key t WHERE t.account_id = p_account AND t.key = p_key FOR UPDATE;
    CONTINUE WHEN NOT FOUND; -- given up meanwhile
    -- The writer is read before the response: everything that an ended writer has booked is visible then.
    SELECT EXISTS (SELECT 1 FROM ledger.writer n WHERE n.id = v_idempotency_key.writer_id AND n.epoch = v_idempotency_key.epoch AND n.open) INTO v_lives;
    SELECT * INTO v_kept FROM ledger.stored_response a WHERE a.call_id = v_idempotency_key.call_id;
    IF v_kept.call_id IS NULL AND NOT v_lives OR v_idempotency_key.taken_at < clock_timestamp() - p_life THEN
      UPDATE ledger.idempotency_key t SET request = p_request, call_id = p_call, writer_id = p_writer, epoch = p_epoch, taken_at = clock_timestamp()
        WHERE t.account_id = p_account AND t.key = p_key;
      SELECT * INTO v_day FROM ledger.idempotency_key_day d WHERE d.day = v_today AND d.account_id = p_account;
      EXIT;
    ELSE
      state := CASE WHEN v_idempotency_key.request <> p_request THEN 'mismatch' WHEN v_kept.call_id IS NULL THEN 'in_flight' ELSE 'kept' END;
      IF state = 'kept' THEN
        kept_call := v_kept.call_id;
        kept_status := v_kept.status;
        kept_headers := v_kept.headers;
        kept_body := v_kept.body;
      END IF;
      RETURN NEXT;
      RETURN;
    END IF;
  END LOOP;
  state := 'taken';
  keeps := coalesce(v_day.bytes, 0) < p_bytes_max;
  RETURN NEXT;
END $$;

-- Releases the keys of calls that ended without a response to store.
CREATE OR REPLACE FUNCTION ledger.release_idempotency_keys(p_account text[], p_key bytea[], p_call uuid[]) RETURNS void LANGUAGE sql AS $$
  DELETE FROM ledger.idempotency_key t USING unnest(p_account, p_key, p_call) AS g (account_id, key, call_id)
    WHERE t.account_id IN (g.account_id, shop.resolve_account(g.account_id)) AND t.key = g.key AND t.call_id = g.call_id
      AND NOT EXISTS (SELECT 1 FROM ledger.stored_response a WHERE a.call_id = t.call_id)
$$;

-- Moves the keys of an account that is joined to another. A key that both have used keeps its meaning in the other account.
CREATE OR REPLACE FUNCTION ledger.move_idempotency_keys(p_from text, p_to text) RETURNS void LANGUAGE sql AS $$
  UPDATE ledger.idempotency_key t SET account_id = p_to
    WHERE t.account_id = p_from AND NOT EXISTS (SELECT 1 FROM ledger.idempotency_key o WHERE o.account_id = p_to AND o.key = t.key)
$$;

-- Deletes expired idempotency keys, at most `p_max` at a time, and drops the days of responses that no key refers to. It does not wait for
-- locks: what cannot be dropped now is dropped the next time.
CREATE OR REPLACE FUNCTION ledger.prune_idempotency_keys(p_life interval, p_max integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '100ms' AS $$
DECLARE
  v_count integer;
  v_before timestamp := date_trunc('day', (clock_timestamp() - p_life) AT TIME ZONE 'UTC');
  v_name text;
BEGIN
  DELETE FROM ledger.idempotency_key t USING (
    SELECT o.account_id, o.key FROM ledger.idempotency_key o WHERE o.taken_at < clock_timestamp() - p_life ORDER BY o.taken_at LIMIT p_max FOR UPDATE SKIP LOCKED
  ) o WHERE t.account_id = o.account_id AND t.key = o.key;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM ledger.idempotency_key_day WHERE day < v_before::date;
  DELETE FROM ledger.stored_response_other WHERE call_id < ledger.uuid_at(v_before AT TIME ZONE 'UTC');
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'ledger.stored_response'::regclass AND c.relname ~ '_\d{8}$' AND c.relname < 'stored_response_' || to_char(v_before, 'YYYYMMDD')
  LOOP
    BEGIN
      EXECUTE format('DROP TABLE ledger.%I', v_name);
    EXCEPTION WHEN lock_not_available OR undefined_table THEN NULL; -- in use, or another process was quicker
    END;
  END LOOP;
  RETURN v_count;
END $$;

-- Stores the response of a charged call that its caller reads in parts. From then on its charge is never credited back, because the account can
-- read the response. Returns true when it is stored in full; false when the account has no room for it today, or when the charge was credited back.
CREATE OR REPLACE FUNCTION ledger.store_response(p_account text, p_call uuid, p_headers text, p_body bytea, p_bytes_max bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
  -- `ledger.credit_undelivered` locks the same lots, and reads the stored responses after that.
  PERFORM 1 FROM ledger.lot k
    WHERE (k.account_id, k.id) IN (SELECT u.account_id, u.lot_id FROM ledger.usage u WHERE u.call_id = p_call AND u.account_id = p_account)
    ORDER BY k.id FOR KEY SHARE;
  IF EXISTS (SELECT FROM ledger.usage u JOIN ledger.posting p ON p.key = 'undelivered:' || u.call_id || ':' || u.draw WHERE u.call_id = p_call) THEN
    RETURN false;
  END IF;
  IF (SELECT d.bytes FROM ledger.idempotency_key_day d WHERE d.day = v_today AND d.account_id = p_account) >= p_bytes_max THEN RETURN false; END IF;
  INSERT INTO ledger.stored_response (call_id, account_id, key, status, headers, body)
    SELECT u.call_id, u.account_id, sha256(convert_to('call ' || u.call_id, 'UTF8')), u.status, p_headers, p_body
      FROM ledger.usage u WHERE u.call_id = p_call AND u.account_id = p_account LIMIT 1
    ON CONFLICT DO NOTHING;
  IF FOUND THEN
    INSERT INTO ledger.idempotency_key_day AS d (day, account_id, idempotency_keys, bytes) VALUES (v_today, p_account, 0, octet_length(p_body))
      ON CONFLICT (day, account_id) DO UPDATE SET bytes = d.bytes + excluded.bytes;
  END IF;
  RETURN EXISTS (SELECT FROM ledger.stored_response a WHERE a.call_id = p_call AND a.body IS NOT NULL);
END $$;
