import { id } from '@sluice/kernel/id';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openAccounts } from '../../src/adapters/postgres/accounts.ts';
import { openCardAttempts } from '../../src/adapters/postgres/card-attempts.ts';
import { openClaims } from '../../src/adapters/postgres/claims.ts';
import * as Connection from '../../src/adapters/postgres/connection.ts';
import { openWallets } from '../../src/adapters/postgres/wallets.ts';
import type * as TrialProof from '../../src/identity/trial-proof.ts';
import * as Database from '../support/database.ts';

let database: Database.Database;
/** Two processes on one database. */
let processes: [Connection.Connection, Connection.Connection];

beforeAll(async () => {
  database = await Database.createMigrated();
  processes = [Connection.openConnection(database.url, 8), Connection.openConnection(database.url, 8)];
});
afterAll(async () => {
  await Promise.all(processes.map((sql) => sql.end()));
  await database.drop();
});
beforeEach(() => processes[0]`TRUNCATE shop.trial_proof`);

const trial = (
  oncePer: readonly TrialProof.TrialProof[],
  address: string | null = null,
): TrialProof.TrialOffer => ({ plan: 'trial', units: 25, asset: 'unit', oncePer, address });

/** Registers an account. Returns its id and the state of its trial. */
async function register(offer: TrialProof.TrialOffer, at: 0 | 1 = 0) {
  const account = id('acc');
  return { account, state: await openAccounts(processes[at]).register(account, offer) };
}

/** Claims an account as the owner of a mailbox. */
async function claim(account: string, mailbox: string, offer: TrialProof.TrialOffer, at: 0 | 1 = 0) {
  const claims = openClaims(processes[at]);
  const codeDigest = id('code');
  const email = `${mailbox}@example.com`;
  const begun = {
    id: id('clm'),
    account,
    email,
    mailbox,
    rules: [],
    codeDigest,
    expiresMs: Date.now() + 60_000,
  };
  expect(await claims.start(begun)).toMatchObject({ kind: 'begun' });
  const done = await claims.complete(account, codeDigest, offer, 0);
  if (done.kind !== 'claimed') throw new Error(done.kind);
  return done;
}

/** Signs a wallet in. */
async function signIn(wallet: string, offer: TrialProof.TrialOffer, at: 0 | 1 = 0) {
  const proof = {
    wallet: `0x${wallet.padEnd(40, '0')}`,
    claimKey: id('proof'),
    expiresMs: Date.now() + 60_000,
  };
  const newcomer = { account: id('acc'), trial: offer, walletDigest: `digest of ${wallet}` };
  const done = await openWallets(processes[at]).signIn(proof, null, newcomer);
  if (done.kind !== 'signed_in') throw new Error(done.kind);
  return done;
}

/** Pays with a card, and decides the trials of cards that have paid. */
async function payBy(card: string, account: string, offer: TrialProof.TrialOffer) {
  const [sql] = processes;
  const [order, payment, charge] = [id('pur'), id('pi'), id('ch')];
  await sql`INSERT INTO shop.purchase (id, account_id, plan_id, amount, expires_at) VALUES (${order}, ${account}, 'credit', 100, now())`;
  await sql`SELECT shop.grant_purchase(${order}, ${payment}, ${account})`;
  const assessed = { riskLevel: null, riskScore: null, networkStatus: null, outcome: null, reason: null };
  const read = { ...assessed, id: charge, payment, succeeded: true, createdMs: Date.now(), card };
  await openCardAttempts(sql).record({ ...read, order, challenge: null }, order);
  await Promise.all(processes.map((one) => openAccounts(one).giveCardTrials(offer)));
}

/** Number of trial units that the accounts of a person can use. */
async function units(account: string): Promise<number> {
  const [row] = await processes[0]<
    [{ units: number }]
  >`SELECT coalesce(sum(k.avail), 0)::int AS units FROM ledger.lot k
    WHERE k.kind = 'trial' AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp()) AND k.account_id IN (SELECT shop.accounts_of(${account}))`;
  return row.units;
}

test('without a rule each new account has the trial', async () => {
  expect((await register(trial([]))).state).toBe('given');
  expect((await register(trial([]))).state).toBe('given');
});

test('a trial by email is given with the claim, once for each mailbox', async () => {
  const offer = trial(['email']);
  const first = await register(offer);
  expect(first.state).toBe('needs_proof');
  expect(await units(first.account)).toBe(0);
  expect(await claim(first.account, 'ann', offer)).toMatchObject({ trial: 'given' });
  expect(await units(first.account)).toBe(25);
});

test('accounts that are joined by one mailbox have one trial, however many proofs they bring', async () => {
  const offer = trial(['email', 'wallet']);
  const first = await register(offer);
  expect(await claim(first.account, 'joiner', offer)).toMatchObject({ trial: 'given' });
  const wallet = await signIn('aa11', offer);
  expect(wallet.trial).toBe('given');
  expect(await claim(wallet.account, 'joiner', offer)).toMatchObject({ joined: true, trial: 'used' });
  expect(await units(first.account)).toBe(25);
  // The account was joined, so its wallet signs in to the remaining one, without another trial.
  expect(await signIn('aa11', offer)).toMatchObject({ account: first.account, trial: 'none', isNew: false });
});

test('two claims of one mailbox at once, in two processes, give one trial', async () => {
  const offer = trial(['email']);
  const accounts = await Promise.all([0, 1, 0, 1].map((at) => register(offer, at as 0 | 1)));
  const done = await Promise.all(
    accounts.map(({ account }, at) => claim(account, 'racer', offer, (at % 2) as 0 | 1)),
  );
  expect(done.filter((one) => one.trial === 'given')).toHaveLength(1);
  expect(await units(accounts[0]?.account ?? '')).toBe(25);
});

test('one wallet has one trial, also when many sign-ins arrive at once', async () => {
  const offer = trial(['wallet']);
  const all = await Promise.all(Array.from({ length: 8 }, (_, n) => signIn('bb22', offer, (n % 2) as 0 | 1)));
  expect(all.filter((one) => one.trial === 'given')).toHaveLength(1);
  expect(new Set(all.map(({ account }) => account)).size).toBe(1);
});

test('an erased person who comes back with the same mailbox or wallet gets no second trial', async () => {
  const offer = trial(['email', 'wallet']);
  const first = await register(offer);
  await claim(first.account, 'returner', offer);
  const wallet = await signIn('cc33', offer);
  for (const account of [first.account, wallet.account])
    await processes[0]`SELECT shop.erase_account(${account}, true, 'asked', 'test')`;
  const again = await register(offer);
  expect(await claim(again.account, 'returner', offer)).toMatchObject({ joined: false, trial: 'used' });
  expect(await units(again.account)).toBe(0);
  expect(await signIn('cc33', offer)).toMatchObject({ isNew: true, trial: 'used' });
});

test('a card gives the trial with its first payment, once, to whichever account pays first', async () => {
  const offer = trial(['card']);
  const [one, other] = [await register(offer), await register(offer)];
  await payBy('card-1', one.account, offer);
  await payBy('card-1', other.account, offer);
  await payBy('card-1', one.account, offer);
  expect([await units(one.account), await units(other.account)]).toEqual([25, 0]);
  await payBy('card-2', one.account, offer);
  expect(await units(one.account)).toBe(25);
  // A card that was not needed is not used up.
  await payBy('card-2', other.account, offer);
  expect(await units(other.account)).toBe(25);
});

test('a network address gets one trial in 30 days; the account opens all the same', async () => {
  const offer = trial(['address'], 'digest of an office');
  const all = await Promise.all(Array.from({ length: 6 }, (_, n) => register(offer, (n % 2) as 0 | 1)));
  expect(all.filter(({ state }) => state === 'given')).toHaveLength(1);
  expect(all.filter(({ state }) => state === 'used')).toHaveLength(5);
  await processes[0]`UPDATE shop.trial_proof SET at = at - interval '31 days'`;
  expect((await register(offer)).state).toBe('given');
});

test('an address that had a trial does not use up the mailbox of the next person there', async () => {
  const [office, home] = [trial(['email', 'address'], 'office'), trial(['email', 'address'], 'home')];
  const [first, second, third] = [await register(office), await register(office), await register(home)];
  expect(await claim(first.account, 'colleague', office)).toMatchObject({ trial: 'given' });
  expect(await claim(second.account, 'eve', office)).toMatchObject({ trial: 'used' });
  expect(await claim(third.account, 'zoe', home)).toMatchObject({ trial: 'given' });
  const [row] = await processes[0]`SELECT count(*)::int AS count FROM shop.trial_proof WHERE kind = 'email'`;
  expect(row?.count).toBe(2);
});

test('the ledger verifies after all of it', async () => {
  expect(await processes[0]`SELECT * FROM ledger.verify()`).toEqual([]);
});
