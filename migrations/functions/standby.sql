-- Makes the commit of this transaction wait for the synchronous standby, even if the transaction only reads. A function that is repeated calls it
-- before it reports that the work was done before: the first transaction may have lost its connection while it waited. It is visible then,
-- but would be lost if the standby took over. Its commit is older than the record that this function writes, so the standby confirms both. A lock of
-- a row would do the same; this needs no row and waits for no other transaction.
CREATE OR REPLACE FUNCTION ledger.await_standby() RETURNS void LANGUAGE sql AS $$
  SELECT pg_logical_emit_message(true, 'sluice', '')
$$;
