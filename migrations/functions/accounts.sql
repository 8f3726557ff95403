-- Returns the account that an account was joined to, or the account itself. The row is locked until the end of the transaction, so that no
-- join happens in between.
CREATE OR REPLACE FUNCTION shop.resolve_account(p_account text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
BEGIN
  SELECT coalesce(joined_to, id) INTO v_account FROM shop.account WHERE id = p_account FOR SHARE;
  RETURN coalesce(v_account, p_account);
END $$;

-- Returns the account that an account was joined to, or the account itself; null if there is none. It is for reading, and locks nothing.
CREATE OR REPLACE FUNCTION shop.joined_account(p_account text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(joined_to, id) FROM shop.account WHERE id = p_account
$$;

-- Returns true for an account that the seller has frozen, or whose owner is erased. No payment is taken for it, because it could not use what is paid.
CREATE OR REPLACE FUNCTION shop.is_frozen(p_account text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM shop.account a WHERE a.id = shop.joined_account(p_account) AND a.frozen_at IS NOT NULL)
$$;

-- Creates an anonymous account with its trial, if the rules of the trial (`shop.give_trial`) allow one without a proof. Returns the state of the trial.
CREATE OR REPLACE FUNCTION shop.register(p_account text, p_plan text, p_units bigint, p_asset text DEFAULT 'unit', p_once text[] DEFAULT '{}', p_kind text DEFAULT NULL,
  p_digest text DEFAULT NULL, p_address text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO shop.account (id, origin) VALUES (p_account, 'anonymous');
  RETURN shop.give_trial(p_account, p_plan, p_units, p_asset, p_once, p_kind, p_digest, p_address);
END $$;

-- A person gets each promotion, the trial and the units for a claim once, even if several of their accounts are joined. Of two equal grants to
-- `p_from` and `p_to` (each with the accounts joined to it), the rest of the one to `p_from` expires. Units that were used stay used.
CREATE OR REPLACE FUNCTION shop.end_duplicate_grants(p_from text, p_to text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_second text[];
BEGIN
  -- A posting names the grant by its source: 'seller:trial', 'seller:claimed' or 'promotion:<code>'.
  WITH given AS (
    SELECT p.key, p.contra, coalesce(a.joined_to, a.id) = p_from AS is_from
      FROM shop.account a JOIN ledger.posting p ON p.account_id = a.id
      WHERE (a.id IN (p_from, p_to) OR a.joined_to IN (p_from, p_to)) AND (p.kind = 'trial' OR p.kind = 'grant' AND p.contra LIKE 'promotion:%')
  )
  SELECT array_agg(f.key) INTO v_second FROM given f WHERE f.is_from AND EXISTS (SELECT FROM given t WHERE NOT t.is_from AND t.contra = f.contra);
  IF v_second IS NULL THEN RETURN; END IF;
  -- All lots are locked at once and by id, in the same order as everywhere else.
  PERFORM 1 FROM ledger.lot k WHERE k.account_id = p_to OR k.account_id IN (SELECT id FROM shop.account WHERE id = p_from OR joined_to = p_from)
    ORDER BY k.id FOR UPDATE;
  PERFORM ledger.end_lot(s.key) FROM unnest(v_second) AS s (key);
END $$;

-- Joins one account to another: its lots, orders, plans and wallets move, and calls on it draw from the other account. A chain of joins is never
-- longer than one step. All processes are notified. Returns false if one of the two is already joined, or both are the same. Orders are locked
-- before accounts, as in a grant.
CREATE OR REPLACE FUNCTION shop.join_accounts(p_from text, p_to text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
  v_from shop.account;
BEGIN
  PERFORM 1 FROM shop.purchase WHERE account_id = p_from ORDER BY id FOR UPDATE;
  SELECT count(*) INTO v_count FROM (SELECT 1 FROM shop.account WHERE id IN (p_from, p_to) AND joined_to IS NULL ORDER BY id FOR UPDATE) a;
  IF v_count <> 2 THEN RETURN false; END IF;
  SELECT * INTO v_from FROM shop.account WHERE id = p_from;
  PERFORM shop.end_duplicate_grants(p_from, p_to);
  UPDATE shop.account SET joined_to = p_to, joined_at = clock_timestamp() WHERE id = p_from OR joined_to = p_from;
  -- The person's email moves too. If both accounts have one, either email finds the remaining account.
  IF v_from.email IS NOT NULL AND EXISTS (SELECT FROM shop.account WHERE id = p_to AND email IS NULL) THEN
    UPDATE shop.account SET email = NULL WHERE id = p_from;
    UPDATE shop.account SET email = v_from.email, claimed_at = v_from.claimed_at WHERE id = p_to;
  END IF;
  UPDATE shop.purchase SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.subscription SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.resource SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.member m SET account_id = p_to WHERE m.account_id = p_from
    AND NOT EXISTS (SELECT FROM shop.member o WHERE o.account_id = p_to AND o.email = m.email);
  DELETE FROM shop.member WHERE account_id = p_from;
  DELETE FROM shop.invitation WHERE account_id = p_from;
  UPDATE shop.account_event SET account_id = p_to WHERE account_id = p_from;
  UPDATE shop.billing_details SET account_id = p_to WHERE account_id = p_from AND NOT EXISTS (SELECT FROM shop.billing_details WHERE account_id = p_to);
  PERFORM shop.move_wallets(p_from, p_to);
  PERFORM shop.move_top_ups(p_from, p_to);
  PERFORM ledger.move_idempotency_keys(p_from, p_to);
  PERFORM ledger.move_lots(p_from, p_to);
  DELETE FROM shop.credit_level WHERE account_id = p_from;
  PERFORM shop.add_event('account.joined', p_to, p_from, jsonb_build_object('joined', p_from));
  PERFORM ledger.announce('revocations', 'joined ' || p_from || ' ' || p_to);
  RETURN true;
END $$;

-- Freezes or unfreezes an account. A frozen account can only read, and keeps its money. All processes are notified. `state`: `done`, `same`
-- (nothing changed), `unknown_account`.
CREATE OR REPLACE FUNCTION shop.freeze(p_account text, p_frozen boolean, p_reason text, p_who text) RETURNS TABLE (state text, account text) LANGUAGE plpgsql AS $$
DECLARE
  v_before timestamptz;
BEGIN
  SELECT coalesce(a.joined_to, a.id) INTO account FROM shop.account a WHERE a.id = p_account;
  SELECT a.frozen_at INTO v_before FROM shop.account a WHERE a.id = account FOR UPDATE;
  IF NOT FOUND THEN state := 'unknown_account'; RETURN NEXT; RETURN; END IF;
  IF (v_before IS NOT NULL) = p_frozen THEN state := 'same'; RETURN NEXT; RETURN; END IF;
  UPDATE shop.account a SET frozen_at = CASE WHEN p_frozen THEN clock_timestamp() END WHERE a.id = account;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, CASE WHEN p_frozen THEN 'frozen' ELSE 'unfrozen' END, account,
    jsonb_build_object('frozen_at', v_before), jsonb_build_object('frozen', p_frozen, 'reason', p_reason));
  PERFORM ledger.announce('revocations', CASE WHEN p_frozen THEN 'frozen ' ELSE 'unfrozen ' END || account);
  state := 'done';
  RETURN NEXT;
END $$;

-- Creates a key with its budget, for the person `p_member` or for none. Returns its creation time, or null if the account has `p_max` keys already,
-- or the person was removed meanwhile.
CREATE OR REPLACE FUNCTION shop.make_key(p_id text, p_account text, p_digest text, p_hint text, p_name text, p_budget bigint, p_services text[], p_expires timestamptz, p_max integer,
  p_member text DEFAULT NULL)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  v_made timestamptz := clock_timestamp();
BEGIN
  -- FOR UPDATE makes concurrent calls follow each other, so that the limit holds.
  PERFORM 1 FROM shop.account WHERE id = p_account FOR UPDATE;
  IF (SELECT count(*) FROM shop.key WHERE account_id = p_account AND revoked_at IS NULL) >= p_max
    OR p_member IS NOT NULL AND NOT EXISTS (SELECT FROM shop.member m WHERE m.id = p_member AND m.account_id = p_account) THEN RETURN NULL; END IF;
  INSERT INTO shop.key (id, account_id, digest, hint, name, budget, services, expires_at, created_at, member_id)
    VALUES (p_id, p_account, p_digest, p_hint, p_name, p_budget, p_services, p_expires, v_made, p_member);
  PERFORM shop.add_account_event(p_account, coalesce(p_member, 'account'), 'key_created', p_id, jsonb_build_object('name', p_name));
  IF p_budget IS NOT NULL THEN
    PERFORM ledger.grant_lot('budget:' || p_id, p_id, 'budget', 'account', 'budget', 'usd', '#budget', p_budget, p_expires);
  END IF;
  RETURN v_made;
END $$;

-- Revokes a key of an account, or of an account joined to it; with `p_member`, only one that this person created. `p_actor` is for the audit list; without
-- it, the caller writes the list. Returns false if there is no such key. Safe to repeat.
CREATE OR REPLACE FUNCTION shop.end_key(p_account text, p_id text, p_member text DEFAULT NULL, p_actor text DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_before timestamptz;
  v_name text;
BEGIN
  SELECT k.revoked_at, k.name INTO v_before, v_name FROM shop.key k JOIN shop.account a ON a.id = k.account_id
    WHERE k.id = p_id AND coalesce(a.joined_to, a.id) = p_account AND (p_member IS NULL OR k.member_id = p_member) FOR UPDATE OF k;
  IF NOT FOUND THEN RETURN false; END IF;
  -- Also when it is revoked: the update makes a repetition wait for the standby.
  UPDATE shop.key k SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE k.id = p_id;
  IF v_before IS NULL AND p_actor IS NOT NULL THEN
    PERFORM shop.add_account_event(p_account, p_actor, 'key_revoked', p_id, jsonb_build_object('name', v_name));
  END IF;
  PERFORM ledger.end_lot('budget:' || p_id);
  RETURN true;
END $$;
