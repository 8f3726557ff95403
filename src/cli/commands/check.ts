import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogPath } from '../../config.ts';
import * as Network from '../../payment/x402/network.ts';
import * as Address from '../checkup/address.ts';
import * as Cards from '../checkup/cards.ts';
import * as Catalogue from '../checkup/catalogue.ts';
import * as Coin from '../checkup/coin.ts';
import * as Database from '../checkup/database.ts';
import * as Finding from '../checkup/finding.ts';
import * as Mail from '../checkup/mail.ts';
import * as Notices from '../checkup/notices.ts';
import * as Redis from '../checkup/redis.ts';
import * as Settings from '../checkup/settings.ts';
import * as Upstream from '../checkup/upstream.ts';
import * as Command from '../command.ts';
import * as KeptSecret from '../kept-secret.ts';
import * as ShopDatabase from '../shop-database.ts';
import * as Wiring from '../wiring.ts';

export const help = `Looks whether everything is as it must be, before a shop opens or beside one that runs. Nothing is charged, sent or changed.

  sluice check                              as sluice start would open it
  sluice check --settings shop.env
  sluice check --probe "GET /me"            a request that costs you nothing, to try your key on

settings    all faults at once, as a start would find them
catalogue   all faults, the description that it names, guesses that are still marked
database    reachable, version, migrations, rights, safe in a crash
upstream    reachable; takes the key, tried by a GET that the catalogue gives away, or for something that is not there
cards       the key and its mode, the account, the endpoint and events of notices, the profile for agents
coin, mail, redis    where they are set: the facilitator's network, the server's greeting and sign-in, its answer
address     open and ready at PUBLIC_URL, and what a crawler would miss

Each line is ok, a PROBLEM, or not proved: it may be well, and cannot be told from here, or not yet. Every answer is waited for
5 seconds at most.

  --strict   what is not proved counts as well
  --json     the findings, for programs

Exit code: 0 no problem, 1 there is one, 2 not understood.`;

const marks = { ok: 'ok        ', problem: 'PROBLEM   ', 'not proved': 'not proved' };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, {
    probe: { type: 'string' },
    strict: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  Command.noMore(positionals);
  const all: Finding.Finding[] = [];
  for await (const finding of findings(process.env, values.probe ?? null)) {
    all.push(finding);
    if (!values.json) console.log(line(finding));
  }
  const count = (state: Finding.Finding['state']) => all.filter((one) => one.state === state).length;
  const [problems, unproved] = [count('problem'), count('not proved')];
  if (values.json) console.log(JSON.stringify({ problems, not_proved: unproved, findings: all }, null, 2));
  else console.log(`\n${problems === 0 ? 'No problem' : `${problems} problems`}; ${unproved} not proved.`);
  return problems > 0 || (values.strict && unproved > 0) ? 1 : 0;
}

/** All findings, one after the other, as they come. */
async function* findings(env: NodeJS.ProcessEnv, probe: string | null): AsyncGenerator<Finding.Finding> {
  const wiring = Wiring.read(env);
  const database = await reach(wiring, env);
  const told = await storefront(wiring, env, database.url ?? 'postgres://localhost/');
  try {
    yield* Settings.look(wiring, told);
    const { findings, catalog } = await Catalogue.look(catalogPath(env));
    yield* findings;
    if (database.url === null) yield database.finding;
    else if (URL.canParse(database.url)) yield* await Database.look(database.url, Date.now);
    const { UPSTREAM_URL: url = '', UPSTREAM_API_KEY: key = '' } = told;
    const api = url.replace(/\/+$/, '');
    if (catalog && URL.canParse(api))
      yield* await Upstream.look({ url: api, key, catalog, isBundled: wiring.direct !== null, probe });
    yield* await cards(wiring, told);
    if (database.url !== null && URL.canParse(database.url)) yield await Notices.look(database.url);
    if (told.X402_FACILITATOR_URL)
      yield await Coin.look(
        told.X402_FACILITATOR_URL,
        told.X402_NETWORK || (told.NODE_ENV === 'production' ? Network.base : Network.baseSepolia).id,
      );
    yield await Mail.look(
      URL.canParse(told.SMTP_URL ?? '') ? (told.SMTP_URL ?? '') : '',
      wiring.mailbox !== null,
    );
    if (told.REDIS_URL && URL.canParse(told.REDIS_URL)) yield await Redis.look(told.REDIS_URL);
    if (URL.canParse(wiring.publicUrl)) yield* await Address.look(wiring.publicUrl);
  } finally {
    await database.leave();
  }
}

type Reached = { leave(): Promise<void> } & ({ url: string } | { url: null; finding: Finding.Finding });

/** The database, opened for this where it is the embedded one and does not run. */
async function reach(wiring: Wiring.Wiring, env: NodeJS.ProcessEnv): Promise<Reached> {
  const { problem, unproved } = Finding.of('database');
  const leave = async () => {};
  const folder = join(wiring.dataDir, 'postgres', 'data');
  if (!wiring.embedded) return { url: env.DATABASE_URL ?? '', leave };
  if (!(await stat(folder).catch(() => null)))
    return { url: null, leave, finding: unproved('the embedded one is made at the first sluice start') };
  return ShopDatabase.reach(env).catch((fault: unknown) => ({
    url: null,
    leave,
    finding: problem(`the embedded one cannot be opened: ${Finding.reason(fault)}`),
  }));
}

/** What the storefront would be told, with the secrets that a start has kept. */
async function storefront(
  wiring: Wiring.Wiring,
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
): Promise<NodeJS.ProcessEnv> {
  const folder = join(wiring.dataDir, 'secrets');
  const [direct, webhook, adminDigest] = await Promise.all(
    ['direct', 'webhook', 'admin-token.sha256'].map((name) => KeptSecret.find(folder, name)),
  );
  const secrets = {
    direct: direct ?? '',
    webhook: webhook || 'whsec_made_at_the_first_start',
    adminDigest: adminDigest ?? '',
  };
  const [first] = Wiring.programs(wiring, env, databaseUrl, secrets);
  return first?.env ?? env;
}

async function cards(wiring: Wiring.Wiring, told: NodeJS.ProcessEnv): Promise<Finding.Finding[]> {
  const apiBase = told.STRIPE_API_BASE || 'https://api.stripe.com';
  if (!told.STRIPE_SECRET_KEY || !URL.canParse(apiBase)) return [];
  return Cards.look({
    secretKey: told.STRIPE_SECRET_KEY,
    apiBase,
    networkId: told.STRIPE_NETWORK_ID ?? '',
    publicUrl: wiring.publicUrl,
    sandbox: wiring.sandbox && { shopUrl: Wiring.address(wiring.port) },
  });
}

function line({ part, state, says, next }: Finding.Finding): string {
  const first = `${marks[state]}  ${part.padEnd(9)}  ${says}`;
  return next === null ? first : `${first}\n${' '.repeat(23)}-> ${next}`;
}
