import * as CommandLine from '@sluice/kernel/command-line';
import * as Operator from '../../adapters/postgres/operator.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Promotion from '../../payment/promotion.ts';
import * as BackOffice from '../back-office.ts';

export const help = `Manages promotion codes. A code grants credit or units once to each account that sends it (POST /account/promotions).

  sluice promotions create <code> --usd 5.00 | --units 100 [--max 1000] [--expires 2027-01-31] [--days 90] [--claimed-only] [--plan credit]
  sluice promotions list [--json]
  sluice promotions end <code>

  --max            the number of accounts that can use the code; default: no limit
  --expires        the last day (UTC) on which the code is accepted, or an exact time
  --days           the number of days in which the grant can be used
  --claimed-only   accepts the code only from accounts that a person has claimed by email

Exit code: 0 done, 1 not done, 2 the arguments are wrong.`;

export async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = CommandLine.read(args, {
    ...{ usd: text, units: text, plan: text, expires: text, days: text, max: text },
    'claimed-only': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const { json, 'claimed-only': claimed_only, ...said } = values;
  const [given, code = '', ...rest] = positionals;
  const verb = CommandLine.choose(given, ['create', 'list', 'end']);
  CommandLine.noMore(verb === 'list' && code !== '' ? [code, ...rest] : rest);
  const { plans } = await CatalogFile.load(catalogPath(process.env));
  const read = Promotion.parse({ ...said, code, ...(claimed_only && { claimed_only }) }, plans, Date.now());
  if (verb === 'create' && read.kind === 'fault')
    throw new CommandLine.Misuse(read.faults.map(({ field, message }) => `${field}: ${message}`).join('\n'));
  const office = await BackOffice.openBackOffice(process.env);
  try {
    const promotions = Operator.openPromotions(office.sql);
    if (verb === 'list') return list(await promotions.list(), json === true);
    if (verb === 'end') {
      const isEnded = await promotions.end(Promotion.normal(code) ?? '', BackOffice.who);
      return told(
        json,
        isEnded,
        'The promotion has ended. What it granted remains.',
        'There is no running promotion with this code.',
      );
    }
    const isMade = read.kind === 'draft' && (await promotions.make(read.draft, BackOffice.who));
    return told(
      json,
      isMade,
      'The code is accepted from now on.',
      'A promotion with this code exists or has existed.',
    );
  } finally {
    await office.close();
  }
}

function list(promotions: readonly Promotion.Promotion[], asJson: boolean): number {
  const rows = promotions.map((one) => Promotion.asPromotion(one, Date.now()));
  if (asJson) console.log(JSON.stringify(rows, null, 2));
  else
    for (const { code, usd, units, state, redemptions, max } of rows)
      console.log(
        `${code}  ${usd === undefined ? `${units} units` : `${usd} USD`}  ${state}  used ${redemptions} times of ${max ?? 'any number'}`,
      );
  return 0;
}

function told(asJson: boolean | undefined, isDone: boolean, yes: string, no: string): number {
  if (asJson) console.log(JSON.stringify({ done: isDone }));
  else (isDone ? console.log : console.error)(isDone ? yes : no);
  return isDone ? 0 : 1;
}
