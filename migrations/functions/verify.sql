-- Compares the value of each granted order of included units with the money paid. Orders that replaced one another (a renewing subscription, or
-- prepaid periods that were replaced) share a `root`. `worth`: the cost of its units by its terms, in micro-dollars. A replaced period counts without
-- its unused units, which were credited (`shop.replacement`). A period that a renewal ended early counts only what was used or reversed.
-- `unit_price` is the one of the time.
CREATE OR REPLACE FUNCTION ledger.order_values() RETURNS TABLE (
  order_id text, account_id text, root text, paid bigint, given bigint, unit_price numeric, worth numeric
) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE sold AS MATERIALIZED (
    SELECT o.id, o.account_id, o.subscription_id, o.period_start, o.period_end, o.amount, r.replaced_id AS replaces, (o.terms ->> 'price')::numeric
        / coalesce((o.terms ->> 'units')::numeric, max(o.units) OVER (PARTITION BY o.plan_id, o.terms ->> 'price')) AS unit_price
      FROM shop.purchase o LEFT JOIN shop.replacement r ON r.purchase_id = o.id WHERE o.state = 'granted' AND o.units IS NOT NULL AND o.subscription_id IS NOT NULL
  ), link AS MATERIALIZED (
    SELECT DISTINCT s.subscription_id AS subscription, b.subscription_id AS before FROM sold s LEFT JOIN sold b ON b.id = s.replaces AND b.subscription_id <> s.subscription_id
  ), root AS (
    SELECT l.subscription, l.subscription AS root FROM link l WHERE l.before IS NULL AND NOT EXISTS (SELECT FROM link m WHERE m.subscription = l.subscription AND m.before IS NOT NULL)
    UNION
    SELECT l.subscription, r.root FROM root r JOIN link l ON l.before = r.subscription
  ), grouped AS MATERIALIZED (
    SELECT DISTINCT ON (s.id) s.*, coalesce(r.root, s.subscription_id) AS root FROM sold s LEFT JOIN root r ON r.subscription = s.subscription_id ORDER BY s.id, r.root
  ), uncheckpointed AS MATERIALIZED (
    SELECT u.account_id, u.lot_id, sum(u.amount) AS amount FROM ledger.writer n, LATERAL ledger.uncheckpointed(n.id, n.epoch, n.checkpointed_seq) u WHERE n.open GROUP BY 1, 2
  ), leased AS MATERIALIZED (
    SELECT l.account_id, l.lot_id, sum(l.amount) AS amount FROM ledger.lease l GROUP BY 1, 2
  )
  SELECT g.id, g.account_id, g.root, g.amount, p.amount, g.unit_price, g.unit_price * (p.amount - CASE WHEN r.replaced_id IS NOT NULL THEN r.units_left WHEN EXISTS (
        SELECT FROM grouped n WHERE n.subscription_id = g.subscription_id AND n.id <> g.id AND n.period_start > g.period_start AND n.period_start < g.period_end
      ) THEN (
        SELECT coalesce(sum(k.avail + coalesce(l.amount, 0) - coalesce(f.amount, 0)
            - coalesce((SELECT sum(e.amount) FROM ledger.posting e WHERE e.account_id = c.account_id AND e.lot_id = c.id AND e.kind = 'expiry'), 0)), 0)
          FROM ledger.lot_chain(p.account_id, p.lot_id) c JOIN ledger.lot k ON k.account_id = c.account_id AND k.id = c.id
            LEFT JOIN leased l ON l.account_id = k.account_id AND l.lot_id = k.id LEFT JOIN uncheckpointed f ON f.account_id = k.account_id AND f.lot_id = k.id
      ) ELSE 0 END)
    FROM grouped g JOIN ledger.posting p ON p.key = 'purchase:' || g.id LEFT JOIN shop.replacement r ON r.replaced_id = g.id
$$;

-- Accounts that received more than they paid for, by the terms of the time. Units are whole and prices are whole cents, so one unit and one cent of
-- each order are tolerated. A coupon set by the seller at the processor is reported here too, because the ledger has no record of it.
CREATE OR REPLACE FUNCTION ledger.verify_value() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE AS $$
  SELECT 'an account receives no more than it paid for', min(v.account_id), format('%s orders (%s): %s micro-dollars paid, worth %s by their terms',
      count(*), string_agg(v.order_id, ' ' ORDER BY v.order_id), sum(v.paid), ceil(sum(v.worth)))
    FROM ledger.order_values() v GROUP BY v.root HAVING sum(v.worth) > sum(v.paid + v.unit_price + 10000)
$$;

-- Every fault in the ledger, over the whole database, in one snapshot. No row means that there is none. docs/guarantees.md describes the checks;
-- `sluice ledger verify` prints their results. Compiling this statement takes longer than running it (0.6 s for a small ledger).
CREATE OR REPLACE FUNCTION ledger.verify() RETURNS TABLE (rule text, subject text, detail text) LANGUAGE sql STABLE SET jit = off AS $$
  SELECT * FROM ledger.verify_sums() UNION ALL SELECT * FROM ledger.verify_lots() UNION ALL SELECT * FROM ledger.verify_terms()
    UNION ALL SELECT * FROM ledger.verify_calls() UNION ALL SELECT * FROM ledger.verify_value() UNION ALL SELECT * FROM ledger.verify_closings()
$$;
