import { troubleCountMax } from '../../../payment/takings.ts';
import type { Console } from '../../console.ts';
import { front } from '../../pages/console/frame.ts';
import * as Page from '../../pages/console/overview.ts';
import { inTime } from './in-time.ts';

const dayMs = 86_400_000;
const daysShown = 30;

/** The front page of the console. */
export function add(console: Console): void {
  const { shop } = console;
  console.room('Overview', front, async () => {
    const { takings, turnover, accounts } = shop.console;
    const sinceMs = (Math.floor(shop.clock() / dayMs) - daysShown + 1) * dayMs;
    const [requests, days, rails, trouble, lanes, made, callers, used, unspent] = await Promise.all([
      shop.refundRequests.list('open', null, troubleCountMax),
      takings.byDay(sinceMs),
      takings.byRail(sinceMs),
      takings.trouble(sinceMs),
      turnover.lanes(),
      accounts.madeSince(sinceMs),
      inTime(turnover.callers(sinceMs)),
      inTime(turnover.byService(sinceMs)),
      inTime(turnover.unspent()),
    ]);
    const named = (slug: string) => shop.catalog.services.find((one) => one.slug === slug)?.name ?? slug;
    const services = used?.map((one) => ({ ...one, name: named(one.service) })) ?? null;
    const facts = {
      requests: requests.length,
      days,
      rails,
      trouble,
      lanes,
      made,
      callers,
      services,
      unspent,
    };
    return { title: 'Overview', main: Page.overview(facts) };
  });
}
