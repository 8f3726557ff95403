-- Records the hosted page of an order. Returns false if the order may no longer be paid on it; the caller then closes the page again.
-- `p_number`: the number of pages that had closed when it was opened. Another browser may have started a new page since, or the account may be frozen.
CREATE OR REPLACE FUNCTION shop.attach_page(p_id text, p_session text, p_number integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- First of all the lock: an erasure waits for it, or is seen below.
  PERFORM 1 FROM shop.purchase WHERE id = p_id FOR UPDATE;
  UPDATE shop.purchase SET checkout_session = p_session, page_read_at = NULL
    WHERE id = p_id AND state IN ('offered', 'declined') AND pages_closed = p_number AND coalesce(checkout_session, p_session) = p_session
      AND NOT shop.is_frozen(account_id);
  RETURN FOUND;
END $$;

-- Assigns the hosted page of an order to a browser. A caller that saw a page closed passes `p_closed` and `p_session`: the number of closed pages
-- and the current page (null for none) at that time. A caller that wants the current page passes null as `p_closed`. Returns the number of closed
-- pages, which is the number of the page. Returns null if the page belongs to another browser, if another page was opened since, or if the order
-- can no longer be paid on a page.
CREATE OR REPLACE FUNCTION shop.assign_page(p_id text, p_browser text, p_closed integer, p_session text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_order shop.purchase;
BEGIN
  SELECT * INTO v_order FROM shop.purchase WHERE id = p_id FOR UPDATE;
  IF v_order.state IN ('claimed', 'granted') THEN RETURN NULL; END IF;
  IF p_closed IS NULL THEN
    IF v_order.page_browser IS NOT NULL AND v_order.page_browser <> p_browser THEN RETURN NULL; END IF;
    UPDATE shop.purchase SET page_browser = p_browser WHERE id = p_id;
    RETURN v_order.pages_closed;
  END IF;
  IF v_order.pages_closed <> p_closed OR v_order.checkout_session IS DISTINCT FROM p_session THEN RETURN NULL; END IF;
  UPDATE shop.purchase SET page_browser = p_browser, pages_closed = p_closed + 1, checkout_session = NULL, page_read_at = NULL WHERE id = p_id;
  RETURN p_closed + 1;
END $$;

-- Records that a hosted page has closed permanently. The next page gets another number. `p_number`: the number of pages that had closed before.
-- Safe to repeat. A page that was paid is kept for `p_paid_for`, because its payer returns to it for the tokens of the account.
CREATE OR REPLACE FUNCTION shop.retire_page(p_id text, p_number integer, p_paid_for interval) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.purchase SET checkout_session = NULL, page_read_at = NULL, pages_closed = p_number + 1 WHERE id = p_id AND pages_closed = p_number
    AND (state = 'granted' AND granted_challenge IS NULL AND granted_at > clock_timestamp() - p_paid_for) IS NOT TRUE
$$;

-- Claims an order for its hosted page while a slow payment takes days (`claimed_by` is null). No credential is charged for it until the outcome
-- is known. A process that had claimed the order has not charged: it closes the page first, and finds it paid.
CREATE OR REPLACE FUNCTION shop.claim_by_page(p_id text, p_session text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.purchase SET page_read_at = clock_timestamp(), state = CASE state WHEN 'granted' THEN state ELSE 'claimed' END,
      claimed_by = CASE state WHEN 'granted' THEN claimed_by END, failure = NULL
    WHERE id = p_id AND checkout_session = p_session
$$;

-- Records that the slow payment of a page failed. The order can be paid again, on another page.
CREATE OR REPLACE FUNCTION shop.decline_page(p_id text, p_session text, p_failure text) RETURNS void LANGUAGE sql AS $$
  UPDATE shop.purchase SET checkout_session = NULL, page_read_at = NULL, pages_closed = pages_closed + 1,
      state = CASE WHEN state = 'claimed' AND claimed_by IS NULL THEN 'declined' ELSE state END,
      failure = CASE WHEN state = 'claimed' AND claimed_by IS NULL THEN p_failure ELSE failure END
    WHERE id = p_id AND checkout_session = p_session
$$;
