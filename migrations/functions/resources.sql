-- Binds a resource of the upstream to an account, or to the account that it was joined to. `p_days` of null binds it for always. Returns `bound`,
-- `taken` (it belongs to another account) or `full` (the account has `p_max` resources already). Safe to repeat.
CREATE OR REPLACE FUNCTION shop.bind_resource(p_account text, p_kind text, p_id text, p_days integer, p_max integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_account text := shop.joined_account(p_account);
  v_joined_to text;
  v_expires timestamptz := clock_timestamp() + make_interval(days => p_days);
BEGIN
  -- The lock makes concurrent calls of an account follow each other, so that the limit holds, and keeps a join out.
  SELECT a.joined_to INTO v_joined_to FROM shop.account a WHERE a.id = v_account FOR NO KEY UPDATE;
  IF v_joined_to IS NOT NULL THEN
    v_account := v_joined_to;
    PERFORM 1 FROM shop.account a WHERE a.id = v_account FOR NO KEY UPDATE;
  END IF;
  IF EXISTS (SELECT FROM shop.resource r WHERE r.kind = p_kind AND r.id = p_id AND r.account_id <> v_account
      AND (r.expires_at IS NULL OR r.expires_at > clock_timestamp())) THEN RETURN 'taken'; END IF;
  IF NOT EXISTS (SELECT FROM shop.resource r WHERE r.kind = p_kind AND r.id = p_id AND r.account_id = v_account)
    AND (SELECT count(*) FROM (SELECT FROM shop.resource r WHERE r.account_id = v_account LIMIT p_max) c) >= p_max THEN RETURN 'full'; END IF;
  INSERT INTO shop.resource AS r (kind, id, account_id, expires_at) VALUES (p_kind, p_id, v_account, v_expires)
    ON CONFLICT (kind, id) DO UPDATE SET account_id = excluded.account_id, created_at = clock_timestamp(), expires_at = excluded.expires_at
      WHERE r.account_id = excluded.account_id OR r.expires_at <= clock_timestamp();
  RETURN CASE WHEN FOUND THEN 'bound' ELSE 'taken' END;
END $$;
