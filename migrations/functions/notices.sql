-- Notifies all processes once this transaction has committed: `ledger.send_notices` sends it. A transaction must never call pg_notify itself. Its
-- commit would hold the notification lock of the whole cluster while it waits for a standby, and every other notification would wait behind it.
-- Notices that are not sent by the process that wrote them are sent with the next heartbeat of any process.
CREATE OR REPLACE FUNCTION ledger.announce(p_channel text, p_payload text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ledger.notice (channel, payload) VALUES (p_channel, p_payload)
$$;

-- Sends the notices of committed transactions. It is a statement of its own, and its commit waits neither for the disk nor for a standby: lost
-- notices only cost time, and the table is unlogged. It must not be called in a transaction that writes, whose commit would not wait either.
CREATE OR REPLACE FUNCTION ledger.send_notices() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_notice record;
  v_count integer := 0;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN RAISE EXCEPTION 'notices are sent in a statement of their own'; END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR v_notice IN
    DELETE FROM ledger.notice WHERE id IN (SELECT id FROM ledger.notice ORDER BY id LIMIT 1000 FOR UPDATE SKIP LOCKED) RETURNING id, channel, payload
  LOOP
    PERFORM pg_notify(v_notice.channel, v_notice.payload);
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END $$;
