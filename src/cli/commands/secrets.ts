import { systemClock as clock } from '@sluice/kernel/clock';
import * as CommandLine from '@sluice/kernel/command-line';
import { secret } from '@sluice/kernel/id';
import * as Accounts from '../../adapters/postgres/accounts.ts';
import * as Connection from '../../adapters/postgres/connection.ts';
import * as Notify from '../../adapters/postgres/notify.ts';
import * as Operator from '../../adapters/postgres/operator.ts';
import * as KeyRing from '../../identity/key-ring.ts';
import * as SigningKey from '../../identity/signing-key.ts';
import { challengeName, challengeRestMs } from '../../process/shared-secrets.ts';
import { who } from '../back-office.ts';
import * as Command from '../command.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `Manages the keys that sign tokens and receipts, and the secret of payment challenges. Every process uses a change at once.

  sluice secrets list
  sluice secrets rotate signing-key         creates a key: published now, and used for signatures after ten minutes
  sluice secrets rotate payment-challenge   creates a secret; the previous one is accepted until the next rotation
  sluice secrets drop <kid>                 removes a key at once: everything that it signed is rejected from then on

A key is removed automatically once everything that it signed has expired (90 days after its last signature).

  --json      prints the result as JSON

Exit code: 0 done, 1 not done, 2 the arguments are wrong.`;

type Outcome = { done: boolean; says: string };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, { json: { type: 'boolean', default: false } });
  const [verb, subject = '', ...rest] = positionals;
  const work = { list, rotate, drop }[CommandLine.choose(verb, ['list', 'rotate', 'drop'])];
  CommandLine.noMore(work === list ? positionals.slice(1) : rest);
  const database = await ShopDatabase.reach(process.env);
  const sql = Connection.openConnection(database.url, 1);
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
    return `${kid}  created ${new Date(createdMs).toISOString()}, ${use}`;
  });
  return { done: true, says: lines.join('\n') };
}

function rotate(sql: Connection.Connection, subject: string): Promise<Outcome> {
  return CommandLine.choose(subject, ['signing-key', challengeName]) === challengeName
    ? rotateChallenges(sql)
    : rotateKey(sql);
}

async function rotateKey(sql: Connection.Connection): Promise<Outcome> {
  const ring = await ringOf(sql);
  const [newest] = ring.keys;
  const signsFrom = ({ createdMs }: { createdMs: number }) =>
    new Date(createdMs + KeyRing.publishLeadMs).toISOString();
  if (KeyRing.signer(ring, clock()) !== newest)
    return { done: false, says: `${newest.kid} is new and signs from ${signsFrom(newest)} on` };
  const fresh = await SigningKey.generate(clock());
  const audit = Operator.openAudit(sql);
  const entry = await audit.open(who, 'signing_key_rotated', fresh.kid, { kid: newest.kid });
  await Accounts.openSigningKeys(sql).add(fresh);
  await audit.close(entry, { kid: fresh.kid });
  await Notify.tellSecrets(sql);
  return {
    done: true,
    says: `${fresh.kid} is published and signs from ${signsFrom(fresh)} on; signatures of ${newest.kid} stay valid`,
  };
}

async function rotateChallenges(sql: Connection.Connection): Promise<Outcome> {
  const done = await Accounts.rotateSecret(sql, challengeName, secret('chs'), challengeRestMs, who);
  return {
    done,
    says: done
      ? 'A new secret signs payment challenges; challenges of the previous secret can still be paid'
      : `The last secret is younger than ${challengeRestMs / 60_000} minutes: challenges of the secret before it can still be paid`,
  };
}

async function drop(sql: Connection.Connection, kid: string): Promise<Outcome> {
  const { keys } = await ringOf(sql);
  if (!keys.some((key) => key.kid === kid)) return { done: false, says: `There is no key ${kid}` };
  if (keys.length === 1) return { done: false, says: 'It is the only key: rotate first' };
  const audit = Operator.openAudit(sql);
  const entry = await audit.open(who, 'signing_key_dropped', kid, {});
  await Accounts.openSigningKeys(sql).remove(kid);
  await audit.close(entry, { left: keys.length - 1 });
  await Notify.tellSecrets(sql);
  return { done: true, says: `Everything that ${kid} signed is rejected from now on` };
}

async function ringOf(sql: Connection.Connection): Promise<KeyRing.KeyRing> {
  const stored = await Accounts.openSigningKeys(sql).all();
  if (stored.length === 0)
    throw new Error('there is no key yet: the storefront creates the first one when it starts');
  return KeyRing.keyRing('', await Promise.all(stored.map(SigningKey.load)));
}
