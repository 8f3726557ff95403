import type { Orders } from '../../payment/order.ts';
import { pageGraceMs, slowPageTokensMs } from '../../payment/order.ts';
import type { Connection } from './connection.ts';
import { type OrderRow, order } from './order-row.ts';

type OrderPages = Pick<
  Orders,
  | 'takePage'
  | 'attachPage'
  | 'retirePage'
  | 'claimByPage'
  | 'declinePage'
  | 'openPages'
  | 'barOf'
  | 'withOpenPage'
  | 'closedPages'
>;

/** The page of a slow payment is read from the processor this often, in addition to the processor's webhook events. */
const slowPageEvery = '10 minutes';
const listedMax = 200;

/** The hosted pages of orders (migrations/functions/hosted-pages.sql). */
export function openOrderPages(sql: Connection): OrderPages {
  return {
    async takePage(id, browserDigest, seen) {
      const [row] = await sql<
        [{ page: number | null }]
      >`SELECT shop.assign_page(${id}, ${browserDigest}, ${seen?.pagesClosed ?? null}, ${seen?.checkoutSession ?? null}) AS page`;
      return row.page;
    },
    async attachPage(id, session, page) {
      const [row] = await sql<
        [{ attached: boolean }]
      >`SELECT shop.attach_page(${id}, ${session}, ${page}) AS attached`;
      return row.attached;
    },
    async retirePage({ id, pagesClosed }) {
      await sql`SELECT shop.retire_page(${id}, ${pagesClosed}, ${`${slowPageTokensMs} milliseconds`}::interval)`;
    },
    async claimByPage(id, session) {
      await sql`SELECT shop.claim_by_page(${id}, ${session})`;
    },
    async declinePage(id, session, failure) {
      await sql`SELECT shop.decline_page(${id}, ${session}, ${failure})`;
    },
    async openPages(account, plan, but) {
      const rows = await sql<{ session: string }[]>`SELECT checkout_session AS session FROM shop.purchase
        WHERE account_id = ${account} AND plan_id = ${plan} AND id <> ${but} AND state IN ('offered', 'declined')
          AND units IS NOT NULL AND terms -> 'replaces' IS NULL AND checkout_session IS NOT NULL LIMIT ${listedMax}`;
      return rows.map(({ session }) => session);
    },
    async barOf(id) {
      const [row] = await sql<
        { bar: 'frozen' | 'closed' | null }[]
      >`SELECT CASE WHEN NOT shop.is_frozen(account_id) THEN NULL
          WHEN EXISTS (SELECT FROM shop.audit a WHERE a.act = 'erased' AND a.subject = shop.joined_account(account_id)) THEN 'closed'
          ELSE 'frozen' END AS bar
        FROM shop.purchase WHERE id = ${id}`;
      return row?.bar ?? null;
    },
    async withOpenPage(account) {
      const rows = await sql<OrderRow[]>`SELECT * FROM shop.purchase
        WHERE account_id = shop.joined_account(${account}) AND state IN ('offered', 'declined') AND checkout_session IS NOT NULL LIMIT ${listedMax}`;
      return rows.map(order);
    },
    async closedPages(nowMs) {
      const rows = await sql<OrderRow[]>`SELECT * FROM shop.purchase
        WHERE checkout_session IS NOT NULL AND expires_at < ${new Date(nowMs - pageGraceMs)}
          AND NOT (state = 'granted' AND granted_challenge IS NULL AND granted_at > clock_timestamp() - ${`${slowPageTokensMs} milliseconds`}::interval)
          AND (page_read_at IS NULL OR page_read_at < clock_timestamp() - ${slowPageEvery}::interval)
        ORDER BY random() LIMIT ${listedMax}`;
      return rows.map(order);
    },
  };
}
