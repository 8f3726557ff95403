import * as Seller from '../../adapters/postgres/seller.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Promotion from '../../payment/promotion.ts';
import * as BackOffice from '../back-office.ts';
import * as Command from '../command.ts';

export const help = `Codes that give credit or units to whoever sends them, once for each account (POST /account/promotions).

  sluice promotions make <code> --usd 5.00 | --units 100 [--max 1000] [--expires 2027-01-31] [--days 90] [--claimed-only] [--plan credit]
  sluice promotions list [--json]
  sluice promotions end <code>

  --max            how often it is given in all
  --expires        the last day (UTC) on which the code is taken, or a moment
  --days           how long what it gave can be used
  --claimed-only   only to accounts that a person has taken over

Exit code: 0 done, 1 not done, 2 what was asked for cannot be read.`;

export async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = Command.read(args, {
    ...{ usd: text, units: text, plan: text, expires: text, days: text, max: text },
    'claimed-only': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const { json, 'claimed-only': claimed_only, ...said } = values;
  const [given, code = '', ...rest] = positionals;
  const deed = Command.choose(given, ['make', 'list', 'end']);
  Command.noMore(deed === 'list' && code !== '' ? [code, ...rest] : rest);
  const { plans } = await CatalogFile.load(catalogPath(process.env));
  const read = Promotion.parse({ ...said, code, ...(claimed_only && { claimed_only }) }, plans, Date.now());
  if (deed === 'make' && read.kind === 'fault')
    throw new Command.Misuse(read.faults.map(({ field, message }) => `${field}: ${message}`).join('\n'));
  const office = await BackOffice.open(process.env);
  try {
    const promotions = Seller.openPromotions(office.sql);
    if (deed === 'list') return list(await promotions.list(), json === true);
    if (deed === 'end') {
      const isEnded = await promotions.end(Promotion.normal(code) ?? '', BackOffice.who);
      return told(json, isEnded, 'It has ended; what it gave stays.', 'No promotion of this code runs.');
    }
    const isMade = read.kind === 'draft' && (await promotions.make(read.draft, BackOffice.who));
    return told(json, isMade, 'It is good from now on.', 'There is a promotion of this code, or was one.');
  } finally {
    await office.close();
  }
}

function list(promotions: readonly Promotion.Promotion[], asJson: boolean): number {
  const rows = promotions.map((one) => Promotion.shown(one, Date.now()));
  if (asJson) console.log(JSON.stringify(rows, null, 2));
  else
    for (const { code, usd, units, state, redemptions, max } of rows)
      console.log(
        `${code}  ${usd === undefined ? `${units} units` : `${usd} USD`}  ${state}  given ${redemptions} of ${max ?? 'any number'}`,
      );
  return 0;
}

function told(asJson: boolean | undefined, isDone: boolean, yes: string, no: string): number {
  if (asJson) console.log(JSON.stringify({ done: isDone }));
  else (isDone ? console.log : console.error)(isDone ? yes : no);
  return isDone ? 0 : 1;
}
