-- Contradictions between postings, orders and accounts.
CREATE OR REPLACE FUNCTION ledger.verify_terms() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
  WITH RECURSIVE chain AS (
    SELECT p.account_id, p.lot_id FROM ledger.posting p WHERE p.kind = 'purchase'
    UNION
    SELECT k.moved_account, k.moved_to FROM chain c JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.lot_id WHERE k.moved_to IS NOT NULL
  ), used AS MATERIALIZED (
    SELECT account_id, key_id, plan_id = '#budget' AS is_budget, count(*) AS rows FROM ledger.usage GROUP BY 1, 2, 3
  )
  SELECT 'an account has one trial, and one more for its person', p.key, p.account_id
    FROM ledger.posting p LEFT JOIN shop.account a ON a.id = p.account_id
    WHERE p.kind = 'trial' AND NOT CASE p.contra
      WHEN 'seller:trial' THEN p.key = 'trial:' || p.account_id
      WHEN 'seller:claimed' THEN p.key LIKE 'claimed:%' AND a.claimed_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM ledger.posting o WHERE o.account_id = p.account_id AND o.contra = p.contra AND o.key < p.key)
      ELSE false END
  UNION ALL
  SELECT 'nothing expires before its time', p.key, format('expired at %s, ends at %s', p.at, coalesce(k.expires_at::text, 'no time'))
    FROM ledger.posting p JOIN ledger.lot k ON k.account_id = p.account_id AND k.id = p.lot_id
    WHERE p.kind = 'expiry' AND (k.expires_at IS NULL OR p.at < k.expires_at OR p.amount > 0)
  UNION ALL
  SELECT 'only what was paid goes back', p.key, format('%s %s', p.amount, p.kind)
    FROM ledger.posting p WHERE p.kind IN ('reversed', 'reinstated')
      AND (p.contra <> 'processor' OR (p.kind = 'reversed') <> (p.amount < 0)
        OR NOT EXISTS (SELECT FROM chain c WHERE c.account_id = p.account_id AND c.lot_id = p.lot_id))
  UNION ALL
  SELECT 'only what was paid is owed', k.account_id || '/' || k.id, format('%s owed', k.clawback_due)
    FROM ledger.lot k WHERE k.clawback_due > 0 AND NOT EXISTS (SELECT FROM chain c WHERE c.account_id = k.account_id AND c.lot_id = k.id)
  UNION ALL
  SELECT 'lots move between joined accounts only', k.account_id || '/' || k.id, format('to %s', k.moved_account)
    FROM ledger.lot k WHERE k.moved_account IS NOT NULL AND NOT coalesce(
      k.moved_account <> k.account_id AND (SELECT a.joined_to FROM shop.account a WHERE a.id = k.account_id) = shop.joined_account(k.moved_account), false)
  UNION ALL
  SELECT 'a posting of a move has its lots', p.key, p.contra
    FROM ledger.posting p WHERE p.kind = 'moved' AND NOT EXISTS (
      SELECT FROM ledger.lot k WHERE p.amount < 0 AND k.account_id = p.account_id AND k.id = p.lot_id AND p.contra = 'account:' || k.moved_account
        OR p.amount > 0 AND k.moved_account = p.account_id AND k.moved_to = p.lot_id AND p.contra = 'account:' || k.account_id)
  UNION ALL
  SELECT 'what was delivered is not given back', p.key, format('given back at %s, delivered by %s', p.at, min(d.at))
    FROM ledger.posting p JOIN ledger.usage u ON u.call_id = split_part(p.key, ':', 2)::uuid AND u.draw = split_part(p.key, ':', 3)::smallint
      JOIN ledger.batch d ON d.writer_id = u.writer_id AND d.epoch = u.epoch AND d.delivered_seq >= u.seq AND d.at < p.at
    WHERE p.kind = 'undelivered' AND NOT EXISTS (SELECT FROM ledger.job j WHERE j.call_id = u.call_id AND j.state IN ('ended', 'released'))
    GROUP BY p.key, p.at
  UNION ALL
  SELECT 'a job costs at most what its call was charged', j.call_id::text, format('%s charged, %s booked', coalesce(c.amount, 0), e.amount)
    FROM ledger.job j JOIN LATERAL (SELECT sum(u.amount) AS amount FROM ledger.usage u WHERE u.call_id = j.end_call_id) e ON true
      JOIN LATERAL (SELECT sum(u.amount) AS amount FROM ledger.usage u WHERE u.call_id = j.call_id) c ON true
    WHERE e.amount > coalesce(c.amount, 0)
      AND NOT EXISTS (SELECT 1 FROM ledger.closed_day d WHERE d.day = (ledger.time_of(j.call_id) AT TIME ZONE 'UTC')::date)
  UNION ALL
  SELECT 'a settled job has its call credited back', j.call_id::text, j.state
    FROM ledger.job j JOIN ledger.usage u ON u.call_id = j.call_id AND u.amount > 0
    WHERE j.state IN ('ended', 'released') AND NOT EXISTS (SELECT FROM ledger.posting p WHERE p.key = 'undelivered:' || u.call_id || ':' || u.draw)
  UNION ALL
  SELECT 'an order has its payment', o.id, format('%s by %s, recorded %s by %s', o.amount, coalesce(o.payment, 'nothing'), coalesce(r.amount::text, 'none'), coalesce(r.payment, 'nothing'))
    FROM shop.purchase o LEFT JOIN shop.payment_record r ON r.order_id = o.id
    WHERE o.state = 'granted' AND (r.payment, r.amount, r.tax, r.transaction) IS DISTINCT FROM (o.payment, o.amount, o.tax, o.transaction)
  UNION ALL
  SELECT 'no more tax goes back than was paid', o.id, format('%s back of %s', sum(v.tax), o.tax)
    FROM shop.reversal v JOIN shop.purchase o ON o.id = v.purchase_id WHERE v.is_effective
    GROUP BY o.id HAVING sum(v.amount) <= o.amount AND sum(v.tax) > o.tax
  UNION ALL
  SELECT 'a payment has its order', r.order_id, format('%s by %s', r.amount, r.payment)
    FROM shop.payment_record r WHERE NOT EXISTS (SELECT FROM shop.purchase o WHERE o.id = r.order_id AND o.state = 'granted')
  UNION ALL
  -- The processor sets the amount of an invoice, which includes the seller's credits and coupons.
  SELECT 'an order has no more units than its money bought', o.id, format('%s units for %s micro-dollars, %s of them credited', o.units, o.amount, coalesce(r.units_credited, 0))
    FROM shop.purchase o LEFT JOIN shop.replacement r ON r.purchase_id = o.id
    WHERE o.state = 'granted' AND o.units IS NOT NULL AND (o.rail <> 'invoice' OR r.purchase_id IS NOT NULL)
      AND NOT coalesce(o.units <= greatest(1, least((o.terms ->> 'units')::bigint, shop.units_for(o.terms, o.amount) + coalesce(r.units_credited, 0))), false)
  UNION ALL
  -- One unit may be lost to rounding.
  SELECT 'what was credited was left of the replaced period', r.purchase_id, format('%s units credited for %s of %s', r.units_credited, r.units_left, r.replaced_id)
    FROM shop.replacement r LEFT JOIN shop.purchase o ON o.id = r.purchase_id AND o.state = 'granted' LEFT JOIN shop.purchase b ON b.id = r.replaced_id AND b.state = 'granted'
    WHERE NOT coalesce(o.terms -> 'replaces' ->> 'order' = b.id AND o.account_id = b.account_id
      AND r.units_credited <= 1 + shop.units_for(o.terms, least((o.terms -> 'replaces' ->> 'credit')::numeric, r.units_left * (b.terms ->> 'price')::numeric / (b.terms ->> 'units')::numeric))
      AND r.units_left <= (SELECT coalesce(-sum(e.amount), 0) FROM ledger.posting p CROSS JOIN LATERAL ledger.lot_chain(p.account_id, p.lot_id) c
        JOIN ledger.posting e ON e.account_id = c.account_id AND e.lot_id = c.id AND e.kind = 'expiry' WHERE p.key = 'purchase:' || b.id), false)
  UNION ALL
  SELECT 'a subscription is in the last period that was paid', s.id, format('%s to %s, paid until %s', s.period_start, s.period_end, coalesce(o.period_end::text, 'never'))
    FROM shop.subscription s LEFT JOIN LATERAL (
      SELECT p.period_start, p.period_end FROM shop.purchase p WHERE p.subscription_id = s.id AND p.state = 'granted' ORDER BY p.period_end DESC LIMIT 1) o ON true
    WHERE (s.period_start, s.period_end) IS DISTINCT FROM (o.period_start, o.period_end)
  UNION ALL
  -- Months and years differ by a few days.
  SELECT 'a period is no longer than its plan says', o.id, format('%s to %s', o.period_start, o.period_end)
    FROM shop.purchase o WHERE o.state = 'granted' AND o.units IS NOT NULL
      AND NOT coalesce(o.period_end > o.period_start AND o.period_end <= o.period_start + ('1 ' || (o.terms ->> 'every'))::interval + interval '4 days', false)
  UNION ALL
  SELECT 'what belongs to an account has it', x.what || ' ' || x.id, x.account_id
    FROM (
      SELECT DISTINCT 'lot of' AS what, k.account_id AS id, k.account_id FROM ledger.lot k WHERE k.kind <> 'budget'
      UNION ALL SELECT 'order', o.id, o.account_id FROM shop.purchase o WHERE o.state = 'granted'
      UNION ALL SELECT 'subscription', s.id, s.account_id FROM shop.subscription s
      UNION ALL SELECT DISTINCT 'calls of', u.account_id, u.account_id FROM used u WHERE u.is_budget IS NOT TRUE
    ) x WHERE NOT EXISTS (SELECT FROM shop.account a WHERE a.id = x.account_id)
  UNION ALL
  SELECT 'an account joins one that has joined none', a.id, a.joined_to
    FROM shop.account a LEFT JOIN shop.account b ON b.id = a.joined_to WHERE a.joined_to IS NOT NULL AND (b.id IS NULL OR b.joined_to IS NOT NULL)
  UNION ALL
  SELECT 'a key calls for its own account', u.account_id, format('%s rows with %s', u.rows, u.key_id)
    FROM used u LEFT JOIN shop.key k ON k.id = u.key_id
    WHERE u.key_id IS NOT NULL AND CASE WHEN u.is_budget THEN u.account_id IS DISTINCT FROM u.key_id
      ELSE shop.joined_account(k.account_id) IS DISTINCT FROM shop.joined_account(u.account_id) END
    OR u.is_budget AND u.key_id IS NULL
$$;
