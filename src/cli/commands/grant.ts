import * as CommandLine from '@sluice/kernel/command-line';
import * as Operator from '../../adapters/postgres/operator.ts';
import * as CatalogFile from '../../catalog/file.ts';
import { catalogPath } from '../../config.ts';
import * as CreditGrant from '../../payment/credit-grant.ts';
import * as BackOffice from '../back-office.ts';

export const help = `Grants an account credit or free units.

  sluice grant acc_8b1f... --usd 5.00 --key ticket-71 --reason "slow on Monday"
  sluice grant <account> --usd 5.00 | --units 100 --key <key> [--expires 2027-01-31] [--plan credit] [--reason "..."] [--json]

  <account>   acc_...
  --key       an idempotency key of your choice: the grant happens once, even if the command is repeated
  --expires   the last day (UTC) on which it can be used, or an exact time
  --plan      the plan that it belongs to; default: the first plan of kind credit
  --reason    for the audit log

Exit code: 0 granted (now or before), 1 not granted, 2 the arguments are wrong.`;

export async function run(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values, positionals } = CommandLine.read(args, {
    ...{ usd: text, units: text, plan: text, expires: text, reason: text, key: text },
    json: { type: 'boolean' },
  });
  const { json, ...said } = values;
  const { plans } = await CatalogFile.load(catalogPath(process.env));
  const read = CreditGrant.parse({ ...said, account: positionals.join(' ') }, plans, Date.now());
  if (read.kind === 'fault')
    throw new CommandLine.Misuse(read.faults.map(({ field, message }) => `${field}: ${message}`).join('\n'));
  const office = await BackOffice.openBackOffice(process.env);
  try {
    const given = await Operator.openGifts(office.sql).give(read.creditGrant, BackOffice.who);
    if (json) console.log(JSON.stringify(given));
    else (given.kind === 'given' ? console.log : console.error)(inWords(given, read.creditGrant));
    return given.kind === 'given' ? 0 : 1;
  } finally {
    await office.close();
  }
}

function inWords(given: CreditGrant.GrantResult, creditGrant: CreditGrant.CreditGrant): string {
  const value = CreditGrant.asCreditGrant(creditGrant);
  switch (given.kind) {
    case 'given':
      return `${given.account} has received ${'usd' in value ? `${value.usd} USD` : `${value.units} units`} in the plan ${creditGrant.plan}.`;
    case 'mismatch':
      return 'This key was used for a different grant. Nothing was granted.';
    case 'unknown_account':
      return 'There is no such account.';
    case 'too_much':
      return `${CreditGrant.tooMuch} Nothing was granted.`;
  }
}
