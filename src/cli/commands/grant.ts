import * as Seller from '../../adapters/postgres/seller.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as Gift from '../../payment/gift.ts';
import * as BackOffice from '../back-office.ts';
import * as Command from '../command.ts';

export const help = `Gives an account credit or units of results.

  sluice grant acc_8b1f... --usd 5.00 --key ticket-71 --reason "slow on Monday"
  sluice grant <account> --usd 5.00 | --units 100 --key <key> [--expires 2027-01-31] [--plan credit] [--reason "..."] [--json]

  <account>   acc_...
  --key       any text: said twice under one key, it is given once
  --expires   the last day (UTC) on which it can be used, or a moment
  --plan      under which it is used; where it is left out, the first plan that holds credit
  --reason    for the audit log

Exit code: 0 it is given (now or before), 1 it is not, 2 what was asked for cannot be read.`;

export async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = Command.read(args, {
    ...{ usd: text, units: text, plan: text, expires: text, reason: text, key: text },
    json: { type: 'boolean' },
  });
  const { json, ...said } = values;
  const { plans } = await CatalogFile.load(catalogPath(process.env));
  const read = Gift.parse({ ...said, account: positionals.join(' ') }, plans, Date.now());
  if (read.kind === 'fault')
    throw new Command.Misuse(read.faults.map(({ field, message }) => `${field}: ${message}`).join('\n'));
  const office = await BackOffice.open(process.env);
  try {
    const given = await Seller.openGifts(office.sql).give(read.gift, BackOffice.who);
    if (json) console.log(JSON.stringify(given));
    else (given.kind === 'given' ? console.log : console.error)(inWords(given, read.gift));
    return given.kind === 'given' ? 0 : 1;
  } finally {
    await office.close();
  }
}

function inWords(given: Gift.Given, gift: Gift.Gift): string {
  const value = Gift.shown(gift);
  switch (given.kind) {
    case 'given':
      return `${given.account} has been given ${'usd' in value ? `${value.usd} USD` : `${value.units} units`} under the plan ${gift.plan}.`;
    case 'mismatch':
      return 'This key has given something else. Nothing was given now.';
    case 'unknown_account':
      return 'There is no such account.';
  }
}
