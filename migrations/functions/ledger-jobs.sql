-- Settles a job once: credits back the charge of the call that started it, and books `p_units` of it, on the same lots and in the same order, as the
-- call `p_end`. Returns the job's state, or `waits` while it is not known whether the response of the call was sent: until then its whole
-- charge may still be credited back (`ledger.credit_undelivered`, which posts under the same keys). Safe to repeat. The last three parameters are
-- the measurements of a job that is counted by meters.
CREATE OR REPLACE FUNCTION ledger.end_job(p_call uuid, p_end uuid, p_units bigint, p_state text,
  p_quantities jsonb, p_price_key text, p_upstream_cost bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_job ledger.job;
  v_first ledger.usage;
  v_row record;
  v_left bigint;
  v_units bigint;
  v_money bigint;
  v_due bigint;
  v_draw smallint := 0;
  v_is_budget boolean;
BEGIN
  SELECT * INTO v_job FROM ledger.job WHERE call_id = p_call FOR UPDATE;
  IF NOT FOUND THEN RETURN 'void'; END IF;
  IF v_job.state <> 'open' THEN RETURN 'repeated'; END IF;
  SELECT * INTO v_first FROM ledger.usage WHERE call_id = p_call AND draw = 0;
  IF NOT FOUND THEN
    IF v_job.expires_at > clock_timestamp() THEN RETURN 'waits'; END IF;
    UPDATE ledger.job SET state = 'void', ended_at = clock_timestamp() WHERE call_id = p_call;
    RETURN 'void';
  END IF;
  IF EXISTS (SELECT FROM ledger.writer n WHERE n.id = v_first.writer_id AND n.open AND n.epoch = v_first.epoch AND n.delivered_seq < v_first.seq) THEN RETURN 'waits'; END IF;
  PERFORM 1 FROM ledger.lot k
    WHERE (k.account_id, k.id) IN (SELECT u.account_id, u.lot_id FROM ledger.usage u WHERE u.call_id = p_call AND u.amount > 0)
    ORDER BY k.id FOR UPDATE;
  IF EXISTS (SELECT FROM ledger.posting p WHERE p.key IN (SELECT 'undelivered:' || u.call_id || ':' || u.draw FROM ledger.usage u WHERE u.call_id = p_call)) THEN
    UPDATE ledger.job SET state = 'void', ended_at = clock_timestamp() WHERE call_id = p_call;
    RETURN 'void';
  END IF;
  FOR v_row IN
    SELECT u.*, k.asset FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id
      WHERE u.call_id = p_call AND u.amount > 0 ORDER BY u.draw
  LOOP
    -- The rows of a key's budget follow those of the account, and count the same units.
    IF v_is_budget IS DISTINCT FROM (v_row.plan_id = '#budget') THEN
      v_is_budget := v_row.plan_id = '#budget';
      v_left := greatest(0, p_units);
      v_money := NULL;
    END IF;
    v_units := least(v_left, v_row.units);
    IF v_row.asset = 'unit' THEN
      v_due := least(v_row.amount, v_left);
      v_units := v_due;
    ELSE
      v_money := coalesce(v_money, v_units * v_row.price);
      v_due := least(v_row.amount, v_money);
      v_money := v_money - v_due;
    END IF;
    v_left := v_left - v_units;
    INSERT INTO ledger.posting (key, account_id, lot_id, kind, contra, amount)
      VALUES ('undelivered:' || v_row.call_id || ':' || v_row.draw, v_row.account_id, v_row.lot_id, 'undelivered', 'revenue', v_row.amount);
    IF v_due > 0 THEN
      INSERT INTO ledger.usage (call_id, draw, status, account_id, lot_id, units, price, amount, plan_id, service, operation, key_id, quantities, price_key, upstream_cost, writer_id, epoch, seq)
        VALUES (p_end, v_draw, v_row.status, v_row.account_id, v_row.lot_id, v_units, v_row.price, v_due, v_row.plan_id, v_row.service, v_row.operation, v_row.key_id,
          CASE v_draw WHEN 0 THEN p_quantities END, p_price_key, CASE WHEN v_draw = 0 OR p_upstream_cost IS NULL THEN p_upstream_cost ELSE 0 END, v_row.writer_id, v_row.epoch, 0);
      v_draw := v_draw + 1;
    END IF;
    UPDATE ledger.lot k SET avail = k.avail + v_row.amount - v_due, closed = closed AND v_row.amount = v_due WHERE k.account_id = v_row.account_id AND k.id = v_row.lot_id;
    PERFORM ledger.announce('ledger', 'granted:' || v_row.account_id);
  END LOOP;
  UPDATE ledger.job SET state = p_state, ended_at = clock_timestamp(), end_call_id = p_end WHERE call_id = p_call;
  RETURN p_state;
END $$;
