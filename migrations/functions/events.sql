-- Writes an event into the outbox, in the transaction of the change that it reports, once per `p_type` and `p_subject`.
CREATE OR REPLACE FUNCTION shop.add_event(p_type text, p_account text, p_subject text, p_data jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO shop.event (key, type, account_id, data) VALUES (p_type || ':' || p_subject, p_type, p_account, p_data) ON CONFLICT (key) DO NOTHING;
  SELECT ledger.announce('events', '');
$$;

CREATE OR REPLACE FUNCTION shop.note_registered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM shop.add_event('account.registered', NEW.id, NEW.id, jsonb_build_object('origin', NEW.origin));
  RETURN NULL;
END $$;

-- Reports a granted order with the period that it paid. It runs at the commit and reads the finished row.
CREATE OR REPLACE FUNCTION shop.note_granted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM shop.add_event('order.granted', o.account_id, o.id, jsonb_build_object('order', o.id, 'plan', o.plan_id, 'amount', o.amount, 'tax', o.tax, 'currency', 'usd', 'rail', o.rail,
      'payment', o.payment, 'units', CASE WHEN shop.included_asset(o) = 'unit' THEN o.units END, 'subscription', o.subscription_id,
      'period_start', shop.iso_time(o.period_start), 'period_end', shop.iso_time(o.period_end)))
    FROM shop.purchase o WHERE o.id = NEW.id AND o.account_id IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION shop.iso_time(p_at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE OR REPLACE FUNCTION shop.note_started() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM shop.add_event('subscription.started', s.account_id, s.id, jsonb_build_object('subscription', s.id, 'plan', s.plan_id, 'renews', s.processor_id IS NOT NULL AND NOT s.cancel_at_period_end,
      'period_start', shop.iso_time(s.period_start), 'period_end', shop.iso_time(s.period_end)))
    FROM shop.subscription s WHERE s.id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION shop.note_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.end_noted := true;
  PERFORM shop.add_event('subscription.ended', NEW.account_id, NEW.id, jsonb_build_object('subscription', NEW.id, 'plan', NEW.plan_id, 'status', CASE WHEN NEW.ended_at IS NULL THEN 'expired' ELSE NEW.status END,
    'ended_at', shop.iso_time(coalesce(NEW.ended_at, NEW.period_end))));
  RETURN NEW;
END $$;

-- Reports prepaid periods that have ended, at most `p_max`. Their rows do not change by themselves.
CREATE OR REPLACE FUNCTION shop.end_prepaid(p_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  UPDATE shop.subscription s SET end_noted = true FROM (
    SELECT id FROM shop.subscription WHERE NOT end_noted AND processor_id IS NULL AND period_end <= clock_timestamp()
      ORDER BY period_end, id LIMIT p_max FOR UPDATE SKIP LOCKED
  ) due WHERE s.id = due.id;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Reports refunds and disputes, and their ends.
CREATE OR REPLACE FUNCTION shop.note_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
  v_data jsonb;
  v_was_effective boolean := TG_OP = 'UPDATE' AND OLD.is_effective;
BEGIN
  SELECT account_id INTO v_account FROM shop.purchase WHERE id = NEW.purchase_id;
  v_data := jsonb_build_object(NEW.kind, NEW.id, 'order', NEW.purchase_id, 'amount', NEW.amount, 'tax', NEW.tax, 'currency', 'usd', 'status', NEW.status);
  IF NEW.kind = 'refund' THEN
    IF NEW.is_effective AND NOT v_was_effective THEN PERFORM shop.add_event('order.refunded', v_account, NEW.id, v_data); END IF;
    IF v_was_effective AND NOT NEW.is_effective THEN PERFORM shop.add_event('order.refund_failed', v_account, NEW.id, v_data); END IF;
    RETURN NULL;
  END IF;
  v_data := v_data || jsonb_build_object('reason', NEW.reason);
  IF TG_OP = 'INSERT' THEN PERFORM shop.add_event('dispute.opened', v_account, NEW.id, v_data); END IF;
  IF NEW.status IN ('won', 'lost', 'warning_closed') AND (TG_OP = 'INSERT' OR OLD.status IS DISTINCT FROM NEW.status) THEN
    PERFORM shop.add_event('dispute.closed', v_account, NEW.id || ':' || NEW.status, v_data);
  END IF;
  RETURN NULL;
END $$;

-- Publishes committed events in one order, and queues them for the endpoints that want them: at most `p_max`. Returns their number. One transaction at
-- a time publishes, and its positions follow those of the one before. A position that was read is therefore never followed by a lower one,
-- which the sequence of the events cannot promise: transactions commit in another order than they take numbers. Events of one account whose
-- transactions followed each other keep their order, because the second took its number after the first was visible.
CREATE OR REPLACE FUNCTION shop.publish_events(p_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_last bigint;
  v_count integer;
BEGIN
  IF NOT EXISTS (SELECT FROM shop.event WHERE position IS NULL) THEN RETURN 0; END IF;
  SELECT position INTO v_last FROM shop.event_head FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  -- This is a separate statement because it must see what the publication before committed.
  UPDATE shop.event e SET position = v_last + n.place FROM (
    SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM (SELECT seq FROM shop.event WHERE position IS NULL ORDER BY seq LIMIT p_max) u
  ) n WHERE e.seq = n.seq;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  UPDATE shop.event_head SET position = v_last + v_count;
  PERFORM shop.queue_events(p.id, v_last + 1, v_last + v_count, NULL, NULL, NULL) FROM shop.event_endpoint p;
  RETURN v_count;
END $$;

-- Returns the positions of the published events of a range that an endpoint wants: those of `p_types`, from `p_since` to before `p_until` (null for no limit). A
-- test event is for one endpoint.
CREATE OR REPLACE FUNCTION shop.wanted_events(p_endpoint text, p_from bigint, p_to bigint, p_types text[], p_since timestamptz, p_until timestamptz)
RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
  SELECT e.position FROM shop.event_endpoint p JOIN shop.event e ON e.position BETWEEN p_from AND p_to
    WHERE p.id = p_endpoint AND CASE e.type WHEN 'event.test' THEN e.data ->> 'endpoint' = p.id ELSE p.types IS NULL OR e.type = ANY (p.types) END
      AND (p_types IS NULL OR e.type = ANY (p_types)) AND (p_since IS NULL OR e.at >= p_since) AND (p_until IS NULL OR e.at < p_until)
$$;

-- Queues published events of a range that an endpoint wants. Returns the number of those that did not wait already.
CREATE OR REPLACE FUNCTION shop.queue_events(p_endpoint text, p_from bigint, p_to bigint, p_types text[], p_since timestamptz, p_until timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_wanted bigint[];
  v_count bigint;
BEGIN
  PERFORM 1 FROM shop.event_endpoint WHERE id = p_endpoint FOR KEY SHARE;
  SELECT array_agg(w) INTO v_wanted FROM shop.wanted_events(p_endpoint, p_from, p_to, p_types, p_since, p_until) w;
  -- The update waits for the removal of a lane, whose transaction cannot see the new deliveries.
  INSERT INTO shop.event_lane (endpoint_id, account_id) SELECT DISTINCT p_endpoint, e.account_id FROM shop.event e WHERE e.position = ANY (v_wanted) ORDER BY 2
    ON CONFLICT (endpoint_id, account_id) DO UPDATE SET account_id = excluded.account_id;
  INSERT INTO shop.event_delivery AS d (endpoint_id, position, account_id)
    SELECT p_endpoint, e.position, e.account_id FROM shop.event e WHERE e.position = ANY (v_wanted) ORDER BY e.position
    ON CONFLICT (endpoint_id, position) DO UPDATE SET state = 'waiting', tries = 0, updated_at = clock_timestamp() WHERE d.state <> 'waiting';
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

-- Leases the next due lane of an endpoint that delivers, and returns its first event; no row if nothing is due. Endpoints of `p_busy` are left out.
-- A lane whose process ends is due again after `p_lease`. The address is read under the lock of the endpoint: an edit waits for the lease and ends it, or
-- has committed. All functions lock an endpoint before its lanes, and lanes before deliveries: edits FOR UPDATE, deliveries FOR KEY SHARE, which they share.
CREATE OR REPLACE FUNCTION shop.take_event(p_lease text, p_for interval, p_busy text[])
RETURNS TABLE (endpoint_id text, url text, secrets text[], event_id text, type text, account_id text, email text, at timestamptz, data jsonb, "position" bigint, tries integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_id text;
  v_endpoint shop.event_endpoint;
  v_account text;
BEGIN
  FOR v_id IN SELECT p.id FROM shop.event_endpoint p WHERE p.state = 'on' AND p.id <> ALL (p_busy)
      AND EXISTS (SELECT FROM shop.event_lane l WHERE l.endpoint_id = p.id AND l.due_at <= clock_timestamp()) ORDER BY random() LOOP
    SELECT * INTO v_endpoint FROM shop.event_endpoint p WHERE p.id = v_id AND p.state = 'on' FOR KEY SHARE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    SELECT l.account_id INTO v_account FROM shop.event_lane l WHERE l.endpoint_id = v_id AND l.due_at <= clock_timestamp()
      ORDER BY l.due_at LIMIT 1 FOR UPDATE SKIP LOCKED;
    CONTINUE WHEN NOT FOUND;
    UPDATE shop.event_lane l SET due_at = clock_timestamp() + p_for, lease = p_lease WHERE l.endpoint_id = v_endpoint.id AND l.account_id = v_account;
    RETURN QUERY SELECT v_endpoint.id, v_endpoint.url, array_remove(ARRAY[v_endpoint.secret, CASE WHEN v_endpoint.previous_until > clock_timestamp() THEN v_endpoint.previous_secret END], NULL),
        e.id, e.type, e.account_id, shop.contact_of(shop.joined_account(e.account_id)), e.at, e.data, e.position, d.tries
      FROM shop.event_delivery d JOIN shop.event e ON e.position = d.position
      WHERE d.endpoint_id = v_endpoint.id AND d.account_id = v_account AND d.state = 'waiting' ORDER BY d.position LIMIT 1;
    IF FOUND THEN RETURN; END IF;
    DELETE FROM shop.event_lane l WHERE l.endpoint_id = v_endpoint.id AND l.account_id = v_account;
  END LOOP;
END $$;

-- Records an attempt and releases the lane. `p_outcome`: `delivered`, `failed` (given up; the next event of the account follows) or `waiting` (tried again
-- after `p_wait`). An endpoint that has failed for `p_failing_max`, or that is `p_gone`, is disabled. Returns false if the lease was lost:
-- another process delivers the event, and nothing is recorded. `disabled`: this attempt disabled the endpoint.
CREATE OR REPLACE FUNCTION shop.finish_event(p_endpoint text, p_account text, p_position bigint, p_lease text, p_outcome text, p_attempt jsonb, p_wait interval, p_failing_max interval,
  p_gone boolean, OUT recorded boolean, OUT disabled boolean) LANGUAGE plpgsql AS $$
BEGIN
  disabled := false;
  PERFORM 1 FROM shop.event_endpoint WHERE id = p_endpoint FOR KEY SHARE;
  PERFORM 1 FROM shop.event_lane WHERE endpoint_id = p_endpoint AND account_id = p_account AND lease = p_lease FOR UPDATE;
  recorded := FOUND;
  IF NOT recorded THEN RETURN; END IF;
  UPDATE shop.event_delivery SET state = p_outcome, tries = tries + 1, updated_at = clock_timestamp(),
      attempts = CASE WHEN jsonb_array_length(attempts) >= 20 THEN attempts - 0 ELSE attempts END || jsonb_build_array(p_attempt)
    WHERE endpoint_id = p_endpoint AND position = p_position AND state = 'waiting';
  IF EXISTS (SELECT FROM shop.event_delivery WHERE endpoint_id = p_endpoint AND account_id = p_account AND state = 'waiting') THEN
    UPDATE shop.event_lane SET due_at = clock_timestamp() + p_wait, lease = NULL WHERE endpoint_id = p_endpoint AND account_id = p_account;
  ELSE
    DELETE FROM shop.event_lane WHERE endpoint_id = p_endpoint AND account_id = p_account;
  END IF;
  IF p_outcome = 'delivered' THEN
    UPDATE shop.event_endpoint SET failing_since = NULL WHERE id = p_endpoint AND failing_since IS NOT NULL;
    RETURN;
  END IF;
  UPDATE shop.event_endpoint SET failing_since = clock_timestamp() WHERE id = p_endpoint AND failing_since IS NULL;
  UPDATE shop.event_endpoint SET state = 'disabled', reason = CASE WHEN p_gone THEN 'gone' ELSE 'failing' END
    WHERE id = p_endpoint AND state = 'on' AND (p_gone OR failing_since < clock_timestamp() - p_failing_max);
  IF NOT FOUND THEN RETURN; END IF;
  disabled := true;
  INSERT INTO shop.audit (who, act, subject, after) VALUES ('event delivery', 'event_endpoint_disabled', p_endpoint, jsonb_build_object('reason', CASE WHEN p_gone THEN 'gone' ELSE 'failing' END));
END $$;

-- Adds an endpoint. Returns false if there are `p_max` already. The same endpoint again changes nothing.
CREATE OR REPLACE FUNCTION shop.add_event_endpoint(p_id text, p_url text, p_types text[], p_secret text, p_max integer, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE shop.event_endpoint IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM shop.event_endpoint WHERE id = p_id) THEN
    PERFORM ledger.await_standby();
    RETURN true;
  END IF;
  IF (SELECT count(*) FROM shop.event_endpoint) >= p_max THEN RETURN false; END IF;
  INSERT INTO shop.event_endpoint (id, url, types, secret) VALUES (p_id, p_url, p_types, p_secret);
  INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'event_endpoint_added', p_id, jsonb_build_object('url', p_url, 'types', p_types));
  RETURN true;
END $$;

-- Replaces an endpoint's secret, which the caller has encrypted. The former one signs as well until `p_overlap` has passed. Returns false if there is no such endpoint.
CREATE OR REPLACE FUNCTION shop.rotate_event_secret(p_id text, p_secret text, p_overlap interval, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shop.event_endpoint SET previous_secret = CASE WHEN p_overlap > '0' THEN secret END, previous_until = CASE WHEN p_overlap > '0' THEN clock_timestamp() + p_overlap END, secret = p_secret WHERE id = p_id AND secret <> p_secret;
  IF FOUND THEN
    INSERT INTO shop.audit (who, act, subject) VALUES (p_who, 'event_secret_rotated', p_id);
    RETURN true;
  END IF;
  PERFORM ledger.await_standby();
  RETURN EXISTS (SELECT FROM shop.event_endpoint WHERE id = p_id);
END $$;

-- Switches an endpoint on or off. Its events wait meanwhile. Returns false if there is no such endpoint.
CREATE OR REPLACE FUNCTION shop.switch_event_endpoint(p_id text, p_on boolean, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- The lock also makes a repeated request wait for the standby.
  PERFORM 1 FROM shop.event_endpoint WHERE id = p_id FOR UPDATE;
  UPDATE shop.event_endpoint SET state = CASE WHEN p_on THEN 'on' ELSE 'disabled' END, reason = CASE WHEN NOT p_on THEN 'seller' END, failing_since = NULL
    WHERE id = p_id AND (state = 'on') <> p_on;
  IF FOUND THEN
    INSERT INTO shop.audit (who, act, subject) VALUES (p_who, CASE WHEN p_on THEN 'event_endpoint_enabled' ELSE 'event_endpoint_disabled' END, p_id);
    IF p_on THEN
      UPDATE shop.event_lane SET due_at = clock_timestamp() WHERE endpoint_id = p_id AND lease IS NULL;
      PERFORM ledger.announce('events', '');
    END IF;
    RETURN true;
  END IF;
  RETURN EXISTS (SELECT FROM shop.event_endpoint WHERE id = p_id);
END $$;

-- Changes the address and the types (null for all) of an endpoint; its secret stays. Events that wait go to a new address at once: the endpoint's failures and the
-- attempts under way are those of the former one. The same values again change nothing. Returns false if there is no such endpoint.
CREATE OR REPLACE FUNCTION shop.change_event_endpoint(p_id text, p_url text, p_types text[], p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_was shop.event_endpoint;
BEGIN
  -- The lock also makes a repeated request wait for the standby.
  SELECT * INTO v_was FROM shop.event_endpoint WHERE id = p_id FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF v_was.url = p_url AND v_was.types IS NOT DISTINCT FROM p_types THEN RETURN true; END IF;
  UPDATE shop.event_endpoint SET url = p_url, types = p_types, failing_since = CASE WHEN url = p_url THEN failing_since END WHERE id = p_id;
  INSERT INTO shop.audit (who, act, subject, before, after) VALUES (p_who, 'event_endpoint_changed', p_id,
    jsonb_build_object('url', v_was.url, 'types', v_was.types), jsonb_build_object('url', p_url, 'types', p_types));
  IF v_was.url <> p_url THEN
    UPDATE shop.event_lane SET due_at = clock_timestamp(), lease = NULL WHERE endpoint_id = p_id;
    PERFORM ledger.announce('events', '');
  END IF;
  RETURN true;
END $$;

-- Removes an endpoint with its deliveries. Returns false if there is none.
CREATE OR REPLACE FUNCTION shop.remove_event_endpoint(p_id text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_url text;
BEGIN
  DELETE FROM shop.event_endpoint WHERE id = p_id RETURNING url INTO v_url;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO shop.audit (who, act, subject, before) VALUES (p_who, 'event_endpoint_removed', p_id, jsonb_build_object('url', v_url));
  RETURN true;
END $$;

-- Returns the positions between which all events from `p_since` to `p_until` are, and few others; null is no limit. No transaction that writes an
-- event lasts an hour.
CREATE OR REPLACE FUNCTION shop.event_positions(p_since timestamptz, p_until timestamptz, OUT first bigint, OUT last bigint) LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT e.position FROM shop.event e WHERE e.at < p_since - interval '1 hour' AND e.position IS NOT NULL ORDER BY e.at DESC LIMIT 1), 0) + 1,
    coalesce((SELECT e.position FROM shop.event e WHERE e.at > p_until + interval '1 hour' AND e.position IS NOT NULL ORDER BY e.at LIMIT 1), (SELECT h.position FROM shop.event_head h))
$$;

-- Queues published events of a range again for an endpoint, together with the audit entry: those of `p_types` that it wants, from `p_since` to before `p_until` (null
-- for no limit). Events from before the endpoint was added are queued too. Returns their number, or null if there is no such endpoint.
CREATE OR REPLACE FUNCTION shop.replay_events(p_endpoint text, p_from bigint, p_to bigint, p_types text[], p_since timestamptz, p_until timestamptz, p_who text)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_count bigint;
BEGIN
  PERFORM 1 FROM shop.event_endpoint WHERE id = p_endpoint FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  v_count := shop.queue_events(p_endpoint, p_from, p_to, p_types, p_since, p_until);
  INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'events_replayed', p_endpoint,
    jsonb_strip_nulls(jsonb_build_object('from', p_from, 'to', p_to, 'types', p_types, 'since', p_since, 'until', p_until, 'events', v_count)));
  PERFORM ledger.announce('events', '');
  RETURN v_count;
END $$;

-- Makes the next attempt of an event due now, and restarts the list of its waits. Returns false unless it is the next one of its account that waits for the
-- endpoint, and the endpoint is on.
CREATE OR REPLACE FUNCTION shop.hurry_event(p_endpoint text, p_event text, p_who text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_account text;
  v_position bigint;
BEGIN
  SELECT account_id, position INTO v_account, v_position FROM shop.event WHERE id = p_event;
  PERFORM 1 FROM shop.event_endpoint WHERE id = p_endpoint AND state = 'on' FOR KEY SHARE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM 1 FROM shop.event_lane WHERE endpoint_id = p_endpoint AND account_id = v_account FOR UPDATE;
  IF NOT FOUND OR v_position IS DISTINCT FROM
    (SELECT min(position) FROM shop.event_delivery WHERE endpoint_id = p_endpoint AND account_id = v_account AND state = 'waiting') THEN RETURN false; END IF;
  -- An attempt that is under way is the wanted one. The process of an expired lease has ended.
  UPDATE shop.event_lane SET due_at = clock_timestamp(), lease = NULL
    WHERE endpoint_id = p_endpoint AND account_id = v_account AND (lease IS NULL OR due_at <= clock_timestamp());
  UPDATE shop.event_delivery SET tries = 0 WHERE endpoint_id = p_endpoint AND position = v_position;
  INSERT INTO shop.audit (who, act, subject, after) VALUES (p_who, 'event_hurried', p_endpoint, jsonb_build_object('event', p_event));
  PERFORM ledger.announce('events', '');
  RETURN true;
END $$;

-- Queues a test event for one endpoint. Returns its id, or null if there is no such endpoint.
CREATE OR REPLACE FUNCTION shop.test_event_endpoint(p_endpoint text, p_key text, p_who text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_event shop.event;
BEGIN
  PERFORM 1 FROM shop.event_endpoint WHERE id = p_endpoint FOR SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM shop.add_event('event.test', '', p_key, jsonb_build_object('endpoint', p_endpoint));
  INSERT INTO shop.audit (who, act, subject) VALUES (p_who, 'event_test_sent', p_endpoint);
  SELECT * INTO v_event FROM shop.event WHERE key = 'event.test:' || p_key;
  RETURN v_event.id;
END $$;
