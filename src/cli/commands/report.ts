import * as CommandLine from '@sluice/kernel/command-line';
import * as Money from '@sluice/kernel/money';
import * as Connection from '../../adapters/postgres/connection.ts';
import { openUsageReport } from '../../adapters/postgres/usage-report.ts';
import * as UsageReport from '../../ledger/usage-report.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';
import * as Wait from '../wait.ts';

export const help = `Shows what was used: calls, quantities, charges and margins of each service and model. It changes nothing.

  sluice report [--days 30]

  --days   the last days, from 1 to 366; the current one is included (UTC)
  --json   prints the result as JSON; amounts are micro-dollars

The margin is revenue less upstream cost, of calls whose upstream cost is known. Other calls are counted as unknown and are not part of it, and
neither are calls that were paid with what a subscription includes. Granted credit is no revenue.

Exit code: 0 done, 2 the arguments are wrong, or the database could not be read.`;

const daysMax = 366;
const dayMs = 86_400_000;
const statementMsMax = 600_000;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    days: { type: 'string', default: '30' },
    json: { type: 'boolean', default: false },
  });
  CommandLine.noMore(positionals);
  const days = /^\d{1,3}$/.test(values.days) ? Number(values.days) : 0;
  if (days < 1 || days > daysMax)
    throw new CommandLine.Misuse(`--days is a whole number from 1 to ${daysMax}`);
  const sinceMs = (Math.floor(Date.now() / dayMs) - days + 1) * dayMs;
  const models = await read(sinceMs);
  const services = UsageReport.byService(models);
  const since = new Date(sinceMs).toISOString();
  if (values.json) return Command.tell(JSON.stringify({ since, services, models }, null, 2), 0);
  return Command.tell(text(since, services, models), 0);
}

async function read(sinceMs: number): Promise<UsageReport.ModelUsage[]> {
  const database = await ShopDatabase.reachForReading(process.env);
  const sql = Connection.openConnection(database.url, 1, statementMsMax);
  try {
    return await Wait.during('Reading the usage', () => openUsageReport(sql).byModel(sinceMs));
  } finally {
    await sql.end({ timeout: 1 });
    await database.leave();
  }
}

/** Formats the report: each service, and below it its models. */
function text(
  since: string,
  services: readonly UsageReport.ServiceUsage[],
  models: readonly UsageReport.ModelUsage[],
): string {
  if (services.length === 0) return `No calls since ${since}.`;
  const lines = services.flatMap((service) => [
    `${service.service}: ${figures(service)}`,
    ...models
      .filter((one) => one.service === service.service && one.model !== null)
      .map((one) => `  ${one.model}: ${figures(one)}`),
  ]);
  return [`Usage since ${since}, in USD.`, ...lines].join('\n');
}

function figures(usage: Omit<UsageReport.ServiceUsage, 'service'>): string {
  const quantities = Object.entries(usage.quantities).map(([meter, quantity]) => `${quantity} ${meter}`);
  const parts = [
    `${usage.calls} calls`,
    ...(usage.units > 0 ? [`${usage.units} units`] : []),
    ...(usage.included > 0 ? [`${usage.included} of them included`] : []),
    ...quantities,
    `charged ${Money.format(usage.charged)}`,
  ];
  return `${parts.join(', ')}; ${margin(usage.margin)}`;
}

function margin(known: UsageReport.Margin): string {
  const value = UsageReport.marginOf(known);
  if (value === null) return 'margin unknown';
  const percent = UsageReport.marginPercent(known);
  const share = known.unknownCalls === 0 ? '' : `, unknown for ${known.unknownCalls} calls`;
  return `revenue ${Money.format(known.revenue)} - upstream ${Money.format(known.upstreamCost)} = margin ${Money.format(value)}${percent === null ? '' : ` (${percent}%)`}${share}`;
}
