import * as Accounts from '../../adapters/postgres/accounts.ts';
import * as Announcements from '../../adapters/postgres/announcements.ts';
import * as Connection from '../../adapters/postgres/connection.ts';
import * as Seller from '../../adapters/postgres/seller.ts';
import * as KeyRing from '../../identity/key-ring.ts';
import * as SigningKey from '../../identity/signing-key.ts';
import { systemClock as clock } from '../../kernel/clock.ts';
import { secret } from '../../kernel/id.ts';
import { challengeName, challengeRestMs } from '../../process/shared-secrets.ts';
import { who } from '../back-office.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `What the shop signs with: keys of tokens and receipts, and the secret of payment challenges. Every process hears of it at once.

  sluice secrets list
  sluice secrets rotate signing-key         a new key: published now, and signing ten minutes later
  sluice secrets rotate payment-challenge   a new secret; the one before it is believed until the next rotation
  sluice secrets drop <kid>                 ends a key at once: all that it signed is refused from then on

A key that has signed nothing for longer than anything lives (90 days) is dropped by itself.

  --json      for programs

Exit code: 0 done, 1 not done, 2 what was asked for cannot be read.`;

type Outcome = { done: boolean; says: string };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, { json: { type: 'boolean', default: false } });
  const [verb, subject = '', ...rest] = positionals;
  const work = { list, rotate, drop }[Command.choose(verb, ['list', 'rotate', 'drop'])];
  Command.noMore(work === list ? positionals.slice(1) : rest);
  const database = await ShopDatabase.reach(process.env);
  const sql = Connection.open(database.url, 1);
  try {
    const { done, says } = await work(sql, subject);
    if (values.json) console.log(JSON.stringify({ done, says }));
    else return Command.tell(says, done ? 0 : 1);
    return done ? 0 : 1;
  } finally {
    await sql.end({ timeout: 2 });
    await database.leave();
  }
}

async function list(sql: Connection.Connection): Promise<Outcome> {
  const ring = await ringOf(sql);
  const signs = KeyRing.signer(ring, clock()).kid;
  const lines = ring.keys.map(({ kid, createdMs }) => {
    const use =
      kid === signs ? 'signs' : createdMs + KeyRing.publishLeadMs > clock() ? 'is published' : 'verifies';
    return `${kid}  made ${new Date(createdMs).toISOString()}, ${use}`;
  });
  return { done: true, says: lines.join('\n') };
}

function rotate(sql: Connection.Connection, subject: string): Promise<Outcome> {
  return Command.choose(subject, ['signing-key', challengeName]) === challengeName
    ? rotateChallenges(sql)
    : rotateKey(sql);
}

async function rotateKey(sql: Connection.Connection): Promise<Outcome> {
  const ring = await ringOf(sql);
  const [newest] = ring.keys;
  const signsFrom = ({ createdMs }: { createdMs: number }) =>
    new Date(createdMs + KeyRing.publishLeadMs).toISOString();
  if (KeyRing.signer(ring, clock()) !== newest)
    return { done: false, says: `${newest.kid} is new, and signs from ${signsFrom(newest)} on` };
  const fresh = await SigningKey.generate(clock());
  const audit = Seller.openAudit(sql);
  const entry = await audit.open(who, 'signing_key_rotated', fresh.kid, { kid: newest.kid });
  await Accounts.openSigningKeys(sql).add(fresh);
  await audit.close(entry, { kid: fresh.kid });
  await Announcements.tellSecrets(sql);
  return {
    done: true,
    says: `${fresh.kid} is published, and signs from ${signsFrom(fresh)} on; ${newest.kid} verifies what it has signed`,
  };
}

async function rotateChallenges(sql: Connection.Connection): Promise<Outcome> {
  const done = await Accounts.rotateSecret(sql, challengeName, secret('chs'), challengeRestMs, who);
  return {
    done,
    says: done
      ? 'Payment challenges are signed by a new secret; those of the one before it can still be paid'
      : `The last one is younger than ${challengeRestMs / 60_000} minutes: challenges of the one before it may still be paid`,
  };
}

async function drop(sql: Connection.Connection, kid: string): Promise<Outcome> {
  const { keys } = await ringOf(sql);
  if (!keys.some((key) => key.kid === kid)) return { done: false, says: `There is no key ${kid}` };
  if (keys.length === 1) return { done: false, says: 'It is the only one: rotate first' };
  const audit = Seller.openAudit(sql);
  const entry = await audit.open(who, 'signing_key_dropped', kid, {});
  await Accounts.openSigningKeys(sql).remove(kid);
  await audit.close(entry, { left: keys.length - 1 });
  await Announcements.tellSecrets(sql);
  return { done: true, says: `What ${kid} has signed is refused from now on` };
}

async function ringOf(sql: Connection.Connection): Promise<KeyRing.KeyRing> {
  const stored = await Accounts.openSigningKeys(sql).all();
  if (stored.length === 0)
    throw new Error('there is no key yet: a storefront makes the first one when it starts');
  return KeyRing.of('', await Promise.all(stored.map(SigningKey.load)));
}
