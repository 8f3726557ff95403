import * as CommandLine from '@sluice/kernel/command-line';
import * as Money from '@sluice/kernel/money';
import * as Accounts from '../../adapters/postgres/accounts.ts';
import * as Console from '../../adapters/postgres/console.ts';
import { openPersonData } from '../../adapters/postgres/person-data.ts';
import type { Account } from '../../identity/account.ts';
import * as AccountSearch from '../../identity/account-search.ts';
import * as Email from '../../identity/email.ts';
import type { Erasure } from '../../identity/person-data.ts';
import * as Erasing from '../../journeys/erasing.ts';
import * as Statement from '../../ledger/statement.ts';
import * as BackOffice from '../back-office.ts';
import * as Command from '../command.ts';

export const help = `Finds and manages the accounts of buyers.

  sluice accounts list [--max 50] [--after acc_...]                 lists the newest first; --after continues after an account
  sluice accounts find ada@example.com                              finds accounts by any of the terms below
  sluice accounts show pur_4f0c...                                  shows one account: balance, plans, purchases
  sluice accounts freeze acc_8b1f... --reason "stolen card"         makes it read-only; its balance does not change
  sluice accounts unfreeze acc_8b1f...                              allows it to spend again
  sluice accounts export ada@example.com                            prints all that is stored of its owner, as JSON
  sluice accounts erase acc_8b1f... --yes                           erases what identifies its owner, here and at the card processor

  search terms      the id of an account, purchase (pur_), payment (pi_), refund (re_), customer (cus_), subscription, key or call,
                    a wallet's address, the address of a plan's payer, or the start of an email address or of an
                    account id; export, erase, freeze and unfreeze take only a whole address or id
  --reason          for the audit log; do not name the person in it
  --forfeit         erases although paid credit is unspent; refund it first unless its owner gives it up
  --yes             erases without asking again
  --json            prints the result as JSON

A freeze takes effect in every process at once; running calls end normally. An erased account stays frozen; its orders, payments and usage stay in the books under its
id, and \`sluice ledger verify\` still holds. End its subscriptions and answer its refund requests first (docs/privacy.md).
Exit code: 0 done, 1 no account found, or several where one is required, 2 the arguments are wrong.`;

const listedMax = 500;
const purchasesMax = 100;

const options = {
  max: { type: 'string', default: '50' },
  after: { type: 'string' },
  reason: { type: 'string' },
  forfeit: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, options);
  const [given, wanted = '', ...rest] = positionals;
  const verb = CommandLine.choose(given, ['list', 'find', 'show', 'freeze', 'unfreeze', 'export', 'erase']);
  CommandLine.noMore(verb === 'list' && wanted !== '' ? [wanted, ...rest] : rest);
  if (verb !== 'list' && wanted === '')
    throw new CommandLine.Misuse(
      `The account is missing: give its id, or the id of a purchase, an email address ...`,
    );
  const max = /^\d{1,3}$/.test(values.max) ? Number(values.max) : 0;
  if (max < 1 || max > listedMax)
    throw new CommandLine.Misuse(`--max is a whole number from 1 to ${listedMax}`);

  const office = await BackOffice.openBackOffice(process.env);
  try {
    const accounts = Console.openSearch(office.sql);
    if (verb === 'list') return list(await accounts.newest({}, values.after ?? null, max), values.json);
    const query = queryOf(verb, wanted);
    const found = query === null ? [] : await accounts.find(query, max);
    if (verb === 'find' && (found.length > 0 || values.json))
      return Math.max(list(found, values.json), found.length > 0 ? 0 : 1);
    const [one, ...others] = found;
    if (one === undefined)
      return (
        (await actOnPerson(office, verb, wanted, values)) ??
        Command.tell(`No account matches "${wanted}".`, 1)
      );
    if (others.length > 0) {
      console.error(`Several accounts match "${wanted}":`);
      return Math.max(1, list(found, values.json));
    }
    return await act(office, verb, one, values);
  } finally {
    await office.close();
  }
}

/**
 * Reads the term that names an account. Commands that export or change an account take the whole address or id: the start of one would find the
 * account of another person as soon as the person who was meant has none.
 */
function queryOf(verb: string, wanted: string): AccountSearch.AccountQuery | null {
  const query = AccountSearch.read(wanted);
  if (verb === 'find' || verb === 'show') return query;
  if (query?.kind === 'account') return { kind: 'id', id: query.prefix };
  if (query?.kind !== 'email') return query;
  const email = Email.parse(wanted);
  return email === null ? null : { kind: 'owner', email };
}

type Values = { json: boolean; forfeit: boolean; yes: boolean; reason?: string | undefined };

/** Carries out a command on one account. */
async function act(
  office: BackOffice.BackOffice,
  verb: string,
  one: AccountSearch.FoundAccount,
  values: Values,
): Promise<number> {
  switch (verb) {
    case 'show':
      return show(office, one, values.json);
    case 'export':
      return Command.tell(JSON.stringify(await openPersonData(office.sql).read(one.id), null, 2), 0);
    case 'erase':
      return erase(office, one, values);
    default:
      return freeze(office, one, verb === 'freeze', values.reason ?? null, values.json);
  }
}

/** Carries out a command on a person who has no account of their own and is in the accounts of others. Null when there is no such person. */
async function actOnPerson(
  { sql }: BackOffice.BackOffice,
  verb: string,
  wanted: string,
  { yes, json }: Values,
): Promise<number | null> {
  const email = verb === 'export' || verb === 'erase' ? Email.parse(wanted) : null;
  const personData = openPersonData(sql);
  const found = email === null ? null : await personData.ofPerson(email);
  if (email === null || found === null) return null;
  if (verb === 'export') return Command.tell(JSON.stringify(found, null, 2), 0);
  if (!yes)
    return Command.tell('Nothing was erased. Add --yes to remove the person from the accounts of others.', 1);
  const accounts = await personData.forgetPerson(email, BackOffice.who);
  if (accounts === null) return Command.tell(`Nothing was erased. ${obstacles.last_owner}`, 1);
  if (json) return Command.tell(JSON.stringify({ erased: true, accounts }), 0);
  return Command.tell(`The person is erased from ${accounts.join(', ') || 'the activity of accounts'}.`, 0);
}

function list(found: readonly AccountSearch.FoundAccount[], asJson: boolean): number {
  if (asJson) console.log(JSON.stringify(found.map(shown), null, 2));
  else console.log(found.map(line).join('\n') || 'No accounts.');
  return 0;
}

async function freeze(
  { sql }: BackOffice.BackOffice,
  { id }: AccountSearch.FoundAccount,
  isFrozen: boolean,
  reason: string | null,
  asJson: boolean,
): Promise<number> {
  const accounts = Accounts.openAccounts(sql);
  const frozen = await accounts.freeze(await accounts.resolveAccount(id), isFrozen, reason, BackOffice.who);
  if (frozen.kind === 'unknown_account') throw new Error(`The account ${id} does not exist any more`);
  const already = frozen.kind === 'same' ? ' already' : '';
  const said = `${frozen.account} is${already} ${isFrozen ? 'frozen' : 'active'}.`;
  return Command.tell(asJson ? JSON.stringify({ account: frozen.account, frozen: isFrozen }) : said, 0);
}

async function erase(
  { sql, paymentContext }: BackOffice.BackOffice,
  { id }: AccountSearch.FoundAccount,
  { forfeit, yes, reason, json }: Values,
): Promise<number> {
  const personData = openPersonData(sql);
  if (!yes) {
    const obstacle = await personData.obstacle(id, forfeit);
    const next =
      obstacle === null || obstacle === 'done'
        ? 'Add --yes to erase its owner. This cannot be undone.'
        : obstacles[obstacle];
    return Command.tell(`Nothing was erased. ${next}`, 1);
  }
  const how = { forfeits: forfeit, reason: reason ?? null };
  const erased = await Erasing.erase({ ...paymentContext, personData }, id, how, BackOffice.who);
  if (erased.kind !== 'done') return Command.tell(`Nothing was erased. ${obstacles[erased.kind]}`, 1);
  const { account, customers } = erased;
  if (json) return Command.tell(JSON.stringify({ account, erased: true, customers }), 0);
  const there = customers.length === 0 ? '' : ` Deleted at the card processor: ${customers.join(', ')}.`;
  return Command.tell(`The owner of ${account} is erased.${there}`, 0);
}

const obstacles: Readonly<Record<Exclude<Erasure['kind'], 'done'>, string>> = {
  unknown_account: 'The account does not exist.',
  subscription: 'A subscription still renews or runs: end it first, in the console.',
  payment: 'A payment is in progress: try again when it has ended.',
  last_owner:
    'The person is the only owner of another account: make another person its owner, or erase that account first.',
  request: 'A refund request has no answer: answer it first, in the console.',
  balance: 'Paid credit is unspent: refund it first, or add --forfeit.',
};

async function show(
  office: BackOffice.BackOffice,
  found: AccountSearch.FoundAccount,
  asJson: boolean,
): Promise<number> {
  const { sql, paymentContext } = office;
  // The contents of a joined account are in the other account.
  const account = found.joinedTo ?? found.id;
  const nowMs = paymentContext.clock();
  const [made, lots, orders, periods] = await Promise.all([
    Accounts.openAccounts(sql).find(account),
    Accounts.openStatements(sql).of(account),
    paymentContext.orders.begun(account, null, purchasesMax),
    paymentContext.subscriptions.of(account),
  ]);
  const usd = (micro: number) => Money.format(Money.ofMicro(micro));
  // The newest charge of each purchase: its risk, and why it was declined.
  const charges = await Promise.all(
    orders.map(async ({ id }) => (await paymentContext.cardAttempts.ofOrder(id))[0] ?? null),
  );
  const dollars = Statement.includedUsd(lots, nowMs);
  const facts = {
    ...shown(found),
    origin: made?.origin ?? null,
    claimed_at: moment(made?.claimedMs ?? null),
    balance_usd: usd(Statement.remaining(lots, 'usd', nowMs)),
    units: Statement.remaining(lots, 'unit', nowMs),
    ...(dollars !== null && { included_usd: usd(dollars) }),
    lots: lots
      .filter(({ kind }) => kind !== 'budget')
      .map(({ plan, kind, asset, given, remaining, expiresMs, source }) => ({
        plan,
        kind,
        ...(asset === 'usd'
          ? { given_usd: usd(given), left_usd: usd(remaining) }
          : { given_units: given, left_units: remaining }),
        expires_at: moment(expiresMs),
        source,
      })),
    subscriptions: periods.map(({ id, plan, status, endMs }) => ({ id, plan, status, until: moment(endMs) })),
    purchases: orders.map(({ id, state, plan, amount, rail, payment, transaction, createdMs }, at) => ({
      id,
      state,
      plan,
      amount_usd: Money.format(amount),
      rail,
      payment: transaction ?? payment,
      risk: charges[at]?.riskLevel ?? null,
      risk_score: charges[at]?.riskScore ?? null,
      network: charges[at]?.networkStatus ?? null,
      reason: charges[at]?.reason ?? null,
      created_at: moment(createdMs),
    })),
  };
  if (asJson) return Command.tell(JSON.stringify(facts, null, 2), 0);
  const table = (name: string, rows: readonly object[]) =>
    rows.length === 0 ? [] : ['', name, ...rows.map((row) => `  ${words(row)}`)];
  return Command.tell(
    [
      line(found),
      `  ${origin(made)}; ${facts.balance_usd} USD and ${facts.units} units${dollars === null ? '' : ` and ${usd(dollars)} USD of included usage`} are left`,
      ...table('Lots, in the order in which they are used', facts.lots),
      ...table('Subscriptions', facts.subscriptions),
      ...table('Purchases, the newest first', facts.purchases),
    ].join('\n'),
    0,
  );
}

function words(row: object): string {
  const said = Object.entries(row).filter(([, value]) => value !== null);
  return said.map(([name, value]) => `${name} ${value}`).join('  ');
}

function origin(made: Account | null): string {
  const claimed = made?.claimedMs ? `, claimed ${moment(made.claimedMs)}` : '';
  return `${made?.origin === 'purchase' ? 'created by a purchase' : 'created by registration'}${claimed}`;
}

function line({ id, email, createdMs, frozenMs, joinedTo, paid }: AccountSearch.FoundAccount): string {
  return [
    id,
    email,
    `since ${moment(createdMs)}`,
    `paid ${Money.format(paid)} USD`,
    frozenMs === null ? null : `FROZEN ${moment(frozenMs)}`,
    joinedTo === null ? null : `joined to ${joinedTo}`,
  ]
    .filter((part) => part !== null)
    .join('  ');
}

function shown({ id, email, createdMs, frozenMs, joinedTo, paid }: AccountSearch.FoundAccount) {
  return {
    account: id,
    email,
    created_at: moment(createdMs),
    frozen_at: moment(frozenMs),
    joined_to: joinedTo,
    paid_usd: Money.format(paid),
  };
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
