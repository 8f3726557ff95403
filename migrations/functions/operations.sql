-- Grants a role the rights to run the storefront and no more: it can write what the program writes, but can neither change nor delete rows of
-- append-only tables. The owner of the tables calls it after each migration; with DATABASE_OWNER_URL every start does (docs/operations.md).
CREATE OR REPLACE FUNCTION shop.grant_app(p_role text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_table regclass;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA shop, ledger, drizzle TO %I', p_role);
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA drizzle TO %I', p_role);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shop, ledger TO %I', p_role);
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA shop, ledger TO %I', p_role);
  FOR v_table IN
    SELECT unnest(ARRAY['ledger.usage', 'ledger.posting', 'ledger.batch', 'ledger.closed_day', 'ledger.closing', 'ledger.closed_usage', 'shop.audit', 'shop.payment_record', 'shop.replacement', 'shop.catalog_publication']::regclass[])
    UNION SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'ledger.usage'::regclass
  LOOP
    EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %s FROM %I', v_table, p_role);
  END LOOP;
  EXECUTE format('GRANT UPDATE (after) ON shop.audit TO %I', p_role);
  EXECUTE format('REVOKE INSERT ON ledger.closed_day, ledger.closing, ledger.closed_usage FROM %I', p_role);
  REVOKE EXECUTE ON FUNCTION ledger.close_day(date, bigint, bytea, bytea, text, bytea, bigint, bytea, text, jsonb), shop.grant_app(text) FROM PUBLIC;
END $$;

-- Adds a secret of `p_name` and keeps the one in use; older ones are deleted. Returns false if the newest is younger than `p_rest`, because what
-- the previous one signed may still be presented.
CREATE OR REPLACE FUNCTION shop.rotate_secret(p_name text, p_value text, p_rest interval, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_last shop.secret;
BEGIN
  SELECT * INTO v_last FROM shop.secret WHERE split_part(name, ' ', 1) = p_name ORDER BY created_at DESC LIMIT 1 FOR UPDATE;
  IF v_last.created_at > clock_timestamp() - p_rest THEN RETURN false; END IF;
  DELETE FROM shop.secret WHERE split_part(name, ' ', 1) = p_name AND name <> v_last.name;
  INSERT INTO shop.secret (name, value, created_at)
    VALUES (p_name || ' ' || coalesce(nullif(split_part(v_last.name, ' ', 2), '')::int, 1) + 1, p_value, clock_timestamp());
  INSERT INTO shop.audit (who, act, subject) VALUES (p_who, 'secret_rotated', p_name);
  PERFORM ledger.announce('seller', 'secrets');
  RETURN true;
END $$;

-- Stores the fees of a payment as read from the processor. Safe to repeat.
CREATE OR REPLACE FUNCTION shop.record_fees(p_payment text, p_fees jsonb, p_complete boolean) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.fee (id, payment, kind, currency, amount, fee, tax, net, at)
    SELECT f.id, p_payment, f.kind, f.currency, f.amount, f.fee, f.tax, f.net, f.at
      FROM jsonb_to_recordset(p_fees) AS f (id text, kind text, currency text, amount bigint, fee bigint, tax bigint, net bigint, at timestamptz)
    ON CONFLICT (id) DO NOTHING;
  INSERT INTO shop.fee_reading (payment, read_at, is_complete) VALUES (p_payment, clock_timestamp(), p_complete)
    ON CONFLICT (payment) DO UPDATE SET read_at = excluded.read_at, is_complete = excluded.is_complete;
$$;
