import { parseArgs } from 'node:util';
import * as Seller from '../../adapters/postgres/seller.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Promotion from '../../payment/promotion.ts';
import * as BackOffice from '../back-office.ts';
import type { Command } from '../command.ts';

const help = `Codes that give credit or units to whoever sends them, once for each account (POST /account/promotions).

  npm run sluice -- promotions make <code> --usd 5.00 | --units 100 [--max 1000] [--expires 2027-01-31] [--days 90] [--claimed-only] [--plan credit]
  npm run sluice -- promotions list [--json]
  npm run sluice -- promotions end <code>

  --max            how often it is given in all
  --expires        the last day (UTC) on which the code is taken, or a moment
  --days           how long what it gave can be used
  --claimed-only   only to accounts that a person has taken over

Exit code: 0 done, 1 not done, 2 what was asked for cannot be read.`;

export const command: Command = {
  name: 'promotions',
  about: 'make, list and end codes that give credit',
  help,
  run,
};

async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...{ usd: text, units: text, plan: text, expires: text, days: text, max: text },
      'claimed-only': { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const { json, 'claimed-only': claimed_only, ...said } = values;
  const [deed, code = '', ...rest] = positionals;
  if (rest.length > 0 || !['make', 'list', 'end'].includes(deed ?? '')) return unread(help);
  const { plans } = await CatalogFile.load(catalogPath(process.env));
  const read = Promotion.parse({ ...said, code, ...(claimed_only && { claimed_only }) }, plans, Date.now());
  if (deed === 'make' && read.kind === 'fault')
    return unread([...read.faults.map(({ field, message }) => `${field}: ${message}`), '', help].join('\n'));
  const office = await BackOffice.open(process.env);
  try {
    const promotions = Seller.openPromotions(office.sql);
    if (deed === 'list') return list(await promotions.list(), json === true);
    if (deed === 'end') {
      const isEnded = await promotions.end(Promotion.normal(code) ?? '', BackOffice.who);
      return told(isEnded, 'It has ended; what it gave stays.', 'No promotion of this code runs.');
    }
    const isMade = read.kind === 'draft' && (await promotions.make(read.draft, BackOffice.who));
    return told(isMade, 'It is good from now on.', 'There is a promotion of this code, or was one.');
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

function told(isDone: boolean, yes: string, no: string): number {
  (isDone ? console.log : console.error)(isDone ? yes : no);
  return isDone ? 0 : 1;
}

function unread(what: string): number {
  console.error(what);
  return 2;
}
