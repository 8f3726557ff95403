import { setTimeout } from 'node:timers/promises';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import type { IdentityContext, MailContext } from '../../../identity/identity-context.ts';
import { can } from '../../../identity/operators/role.ts';
import { recentMs } from '../../../journeys/attention.ts';
import * as BooksCheck from '../../../journeys/books-check.ts';
import { inTime } from '../../../journeys/in-time.ts';
import * as Readiness from '../../../journeys/readiness.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { LedgerContext } from '../../../ledger/ledger-context.ts';
import type { PaymentContext } from '../../../payment/payment-context.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Console } from '../console.ts';
import * as Page from '../pages/health.ts';
import type { ConsoleResponse } from '../response.ts';
import type { Person } from '../sessions.ts';
import { redirect } from '../sign-in.ts';

const path = '/admin/console/health';
const mailsMax = 50;
/** Above the time for which a failed proof of a charge is reused. */
const secondReadMs = 400;
const answersOfMs = 15 * 60_000;
const uncountableOfMs = 7 * 86_400_000;

/** The dependencies of the health page. */
export type HealthContext = Readiness.ReadinessContext &
  Pick<CatalogContext, 'catalog'> &
  Pick<IdentityContext, 'clock'> &
  Pick<MailContext, 'mail'> &
  Pick<LedgerContext, 'writer'> &
  Pick<PaymentContext, 'processor'> &
  Pick<SellerContext, 'audit' | 'console' | 'uncountableRecord'>;

/** The health page. */
export function addHealthSection(
  console: Console,
  shop: HealthContext,
  isDraining: () => boolean,
  metrics: Metrics,
): void {
  const page = async (
    { role }: Person,
    /** Why the check of the books that was just asked for was not finished. */
    checkProblem: string | null,
  ): Promise<ConsoleResponse> => {
    const { usageReport, attention } = shop.console;
    const [{ checks, chargeProblem }, writers, answers, uncountable, mails, cards, lastWebhookEventMs] =
      await Promise.all([
        readTwice(shop, isDraining),
        usageReport.writers(),
        inTime(usageReport.answers(shop.clock() - answersOfMs)),
        shop.uncountableRecord.since(shop.clock() - uncountableOfMs),
        attention.failedMails(shop.clock() - recentMs, mailsMax),
        shop.processor.probe(),
        inTime(attention.lastWebhookEvent()),
      ]);
    const failures = [...metrics.upstream].map(([code, failure]) => ({
      ...{ code, times: failure.times, lastMs: failure.lastMs },
      recent: failure.since(shop.clock() - answersOfMs),
    }));
    const { operations } = shop.catalog;
    const ruleOf = (id: string) => operations.find((one) => one.id === id)?.uncountable ?? null;
    const { version } = process;
    const own = { version, upMs: process.uptime() * 1_000, memoryBytes: process.memoryUsage.rss() };
    const facts = {
      checks,
      chargeProblem,
      writers,
      own: shop.writer.writer.writer,
      answers,
      answersOfMs,
      failures,
      uncountable: uncountable.map((one) => ({ ...one, rule: ruleOf(one.operation) })),
      uncountableOfMs,
      ...{ mails, cards, lastWebhookEventMs },
      checked: await BooksCheck.last(shop),
      checkProblem,
      sendsMail: shop.mail !== null,
      isAddressUnknown: metrics.times('client_address_unknown') > 0,
      canVerify: can(role, 'verify'),
      nowMs: shop.clock(),
      process: own,
    };
    return { title: 'Health', main: Page.health(facts) };
  };
  console.addSection('Health', path, (_, person, flash) => page(person, flash?.isBad ? flash.text : null));

  // One at a time, because each reads the whole ledger.
  let running: Promise<string | null> | null = null;
  console.addAction(path, async (_, _form, person) => {
    running ??= BooksCheck.run(shop, person.who).finally(() => {
      running = null;
    });
    const problem = await running;
    return problem === null
      ? redirect(`${path}#verify`)
      : { to: `${path}#verify`, flash: { text: problem, isBad: true } };
  });
}

/** Reads the checks, and once more a moment later if one failed: a single slow statement under load is no failure of the shop. */
async function readTwice(shop: HealthContext, isDraining: () => boolean) {
  const first = await Readiness.read(shop, isDraining);
  if (Readiness.isReady(first) || isDraining()) return first;
  await setTimeout(secondReadMs);
  return Readiness.read(shop, isDraining);
}
