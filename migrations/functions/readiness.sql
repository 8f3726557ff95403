-- Proves that a charge can be booked: opens a writer, grants a lot, leases, books a call and checkpoints, as a process does, and undoes all of it. It
-- waits for no other transaction and leaves nothing but gaps in sequences. Fails with the error of the step that is not possible.
CREATE OR REPLACE FUNCTION ledger.prove_charge() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_name text := '#readiness ' || gen_random_uuid();
  v_call uuid := (substr(ledger.uuid_at(clock_timestamp())::text, 1, 15) || substr(gen_random_uuid()::text, 16))::uuid;
  v_epoch bigint;
  v_lot bigint;
  v_left bigint;
BEGIN
  v_epoch := ledger.open_writer(v_name);
  v_lot := ledger.grant_lot(v_name, v_name, 'grant', 'seller:readiness', 'grant', 'usd', v_name, 2, NULL);
  PERFORM ledger.batch(v_name, v_epoch, 1, 0, false, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}',
    w_account => ARRAY[v_name], w_plans => ARRAY[v_name], w_price => ARRAY[1], w_units => ARRAY[2], w_headroom => ARRAY[0], w_recall => ARRAY[false],
    w_money_only => ARRAY[false]);
  PERFORM ledger.batch(v_name, v_epoch, 2, 0, true, ARRAY[v_call], ARRAY[0::smallint], ARRAY[v_name], ARRAY[v_lot], ARRAY[v_name], ARRAY['readiness'],
    ARRAY['readiness'], ARRAY[200::smallint], ARRAY[1], ARRAY[1], ARRAY[1], ARRAY[NULL]::text[], ARRAY[NULL]::jsonb[]);
  SELECT sum(remaining) INTO v_left FROM ledger.statement(v_name);
  IF v_left IS DISTINCT FROM 1 THEN RAISE EXCEPTION 'a charge of 1 left % of 2', v_left; END IF;
  RAISE EXCEPTION 'proved' USING ERRCODE = 'SL001';
EXCEPTION WHEN SQLSTATE 'SL001' THEN
  RETURN true;
END $$;
