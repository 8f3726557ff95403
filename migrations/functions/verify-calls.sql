-- Faults within single calls. Most calls are one row; only those with several rows or a key are grouped.
CREATE OR REPLACE FUNCTION ledger.verify_calls() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE AS $$
  WITH odd AS MATERIALIZED (
    SELECT u.call_id, u.draw, u.lot_id, u.units, u.amount, u.plan_id, k.plan_id AS lot_plan, u.writer_id, u.epoch, n.epoch AS last_epoch
      FROM ledger.usage u LEFT JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id LEFT JOIN ledger.writer n ON n.id = u.writer_id
      WHERE u.lot_id IS NULL AND (u.units <> 0 OR u.amount <> 0 OR u.plan_id IS NOT NULL OR u.draw > 0)
        OR u.lot_id IS NOT NULL AND (u.amount = 0 OR u.plan_id IS DISTINCT FROM k.plan_id)
        OR n.id IS NULL OR u.epoch > n.epoch
  ), several AS MATERIALIZED (
    SELECT u.call_id, count(*) AS rows, max(u.draw) AS last, count(DISTINCT coalesce(u.key_id, '')) AS keys, bool_or(u.lot_id IS NULL) AS is_free,
        count(DISTINCT (u.service, u.operation, u.status, u.price, u.price_key, u.upstream_cost IS NULL, u.writer_id, u.epoch, u.seq)) AS stories
      FROM ledger.usage u WHERE u.call_id IN (SELECT m.call_id FROM ledger.usage m WHERE m.draw > 0) GROUP BY u.call_id
  ), keyed AS MATERIALIZED (
    SELECT u.call_id, max(u.key_id) AS key_id, sum(u.units * u.price) FILTER (WHERE u.plan_id <> '#budget') AS worth, sum(u.amount) FILTER (WHERE u.plan_id = '#budget') AS capped
      FROM ledger.usage u WHERE u.key_id IS NOT NULL GROUP BY u.call_id
  ), metered AS MATERIALIZED (
    SELECT u.call_id, u.draw, u.lot_id, u.plan_id, u.price, u.quantities, u.upstream_cost, k.asset
      FROM ledger.usage u LEFT JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id WHERE u.quantities IS NOT NULL OR u.upstream_cost IS NOT NULL
  )
  SELECT 'a call that nothing was drawn for has no units', o.call_id::text, format('%s units, %s drawn', o.units, o.amount) FROM odd o
    WHERE o.lot_id IS NULL AND (o.units <> 0 OR o.amount <> 0 OR o.plan_id IS NOT NULL OR o.draw > 0)
  UNION ALL
  SELECT 'a call that nothing was drawn for has no units', c.call_id::text, format('%s rows', c.rows) FROM several c WHERE c.is_free
  UNION ALL
  SELECT 'a call is drawn from lots of its plans', o.call_id::text, format('%s drawn under %s from a lot of %s', o.amount, coalesce(o.plan_id, 'none'), coalesce(o.lot_plan, 'none')) FROM odd o
    WHERE o.lot_id IS NOT NULL AND (o.amount = 0 OR o.plan_id IS DISTINCT FROM o.lot_plan)
  UNION ALL
  SELECT 'the rows of a call are one story', c.call_id::text, format('%s rows up to %s, %s keys', c.rows, c.last, c.keys) FROM several c
    WHERE c.stories > 1 OR c.keys > 1 OR c.last <> c.rows - 1
  UNION ALL
  SELECT 'a call was written by a process that there was', o.call_id::text, format('%s in epoch %s of %s', o.writer_id, o.epoch, coalesce(o.last_epoch::text, 'none')) FROM odd o
    WHERE o.last_epoch IS NULL OR o.epoch > o.last_epoch
  UNION ALL
  SELECT 'a key with a budget bears all of its calls', c.call_id::text, format('worth %s, of the budget %s', c.worth, coalesce(c.capped, 0))
    FROM keyed c JOIN shop.key k ON k.id = c.key_id WHERE CASE WHEN k.budget IS NULL THEN c.capped IS NOT NULL ELSE coalesce(c.capped, 0) <> coalesce(c.worth, 0) END
  UNION ALL
  -- A call that is free by its price has the price 0.
  SELECT 'quantities have their charge', m.call_id::text, format('%s in row %s, drawn under %s at %s', m.quantities, m.draw, coalesce(m.plan_id, 'none'), m.price) FROM metered m
    WHERE m.quantities IS NOT NULL AND (m.draw > 0 OR m.plan_id = '#budget' OR m.lot_id IS NULL AND m.price > 0 AND jsonb_path_exists(m.quantities, '$.* ? (@ > 0)'))
  UNION ALL
  SELECT 'a metered call is charged in micro-dollars', m.call_id::text, format('at %s from a lot of %s', m.price, coalesce(m.asset, 'none')) FROM metered m
    WHERE m.quantities IS NOT NULL AND (m.price > 1 OR EXISTS (
      SELECT FROM ledger.usage u JOIN ledger.lot k ON k.account_id = u.account_id AND k.id = u.lot_id WHERE u.call_id = m.call_id AND k.asset = 'unit'))
  UNION ALL
  SELECT 'quantities and upstream costs are numbers of zero or more', m.call_id::text, format('%s, %s micro-dollars in row %s', coalesce(m.quantities::text, 'no quantities'), coalesce(m.upstream_cost::text, 'unknown'), m.draw)
    FROM metered m WHERE jsonb_typeof(m.quantities) <> 'object' OR jsonb_path_exists(m.quantities, '$.* ? (@.type() <> "number" || @ < 0)')
      OR m.upstream_cost < 0 OR m.draw > 0 AND m.upstream_cost <> 0
$$;
