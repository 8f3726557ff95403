import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as CommandLine from '@sluice/kernel/command-line';
import type { Money } from '@sluice/kernel/money';
import * as PostgresUrl from '@sluice/kernel/postgres-url';
import * as CatalogFile from '../../catalog/file.ts';
import type { Plan } from '../../catalog/plan.ts';
import { catalogPath } from '../../config.ts';
import * as X402Settings from '../../process/x402-settings.ts';
import { checkAddress } from '../check/address.ts';
import { checkCards } from '../check/cards.ts';
import { checkCatalogue } from '../check/catalogue.ts';
import { checkDatabase } from '../check/database.ts';
import { checkEvents } from '../check/events.ts';
import * as Finding from '../check/finding.ts';
import { checkMail } from '../check/mail.ts';
import { checkNamedUpstreams } from '../check/named-upstreams.ts';
import { checkRedis } from '../check/redis.ts';
import { checkSettings } from '../check/settings.ts';
import { checkTexts } from '../check/texts.ts';
import { checkUncountable } from '../check/uncountable.ts';
import { checkUpstream } from '../check/upstream.ts';
import { checkWebhookEvents } from '../check/webhook-events.ts';
import { checkX402 } from '../check/x402.ts';
import * as Compose from '../compose.ts';
import * as LocalSecret from '../local-secret.ts';
import * as ShopDatabase from '../shop-database.ts';

export const help = `Checks settings and services, before a shop opens or beside one that runs. Nothing is charged, sent or changed.

  sluice check                              with the settings of sluice start
  sluice check --settings shop.env
  sluice check --probe "GET /me"            a request that is free for you, to try the key

settings    all faults at once, as a start would find them
catalogue   all faults, the description that it names, guesses that are still marked
database    reachable, version, migrations, permissions, safe in a crash; standbys, time-outs, clock, free disk
upstream    reachable; accepts the key, tried by a GET that is free in the catalogue, or for a resource that does not exist
cards       the key, its mode and permissions, the account, the webhook endpoint and its events, the profile for agents
counting    recent successes of the upstream that could not be counted, by operation and reason
events      the secrets of endpoints are encrypted, by a key that ENCRYPTION_KEYS has
coin        if configured: the facilitator, its key and networks; the chain, the token, who has to be trusted
mail, redis if configured: connection and sign-in
address     reachable and ready at PUBLIC_URL, and complete for a crawler

Each line is ok, a PROBLEM, or not proved: the check cannot decide it from here, or not yet. Each request has a timeout of 5 seconds.

  --strict   findings that are not proved count as problems
  --json     the findings, for programs

Exit code: 0 no problem, 1 at least one problem, 2 invalid arguments.`;

const marks = { ok: 'ok        ', problem: 'PROBLEM   ', 'not proved': 'not proved' };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    probe: { type: 'string' },
    strict: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  CommandLine.noMore(positionals);
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

/** Yields all findings, in order, as they are made. */
async function* findings(env: NodeJS.ProcessEnv, probe: string | null): AsyncGenerator<Finding.Finding> {
  const wiring = Compose.read(env);
  const database = await reach(wiring, env);
  const environment = await storefront(wiring, env, database.url ?? 'postgres://localhost/');
  try {
    yield* checkSettings(wiring, environment);
    const { findings, catalog } = await checkCatalogue(catalogPath(env));
    yield* findings;
    if (catalog)
      yield* await checkTexts(
        environment.TEXTS || null,
        catalog.services.map(({ unit }) => unit),
      );
    if (database.url === null) yield database.finding;
    else if (database.url !== '') yield* await checkDatabase(database.url, Date.now);
    const { UPSTREAM_URL: url = '', UPSTREAM_API_KEY: key = '' } = environment;
    const api = url.replace(/\/+$/, '');
    if (catalog && catalog.upstreams.size > 0) yield* await checkNamedUpstreams(catalog, environment);
    else if (catalog && URL.canParse(api))
      yield* await checkUpstream({ url: api, key, catalog, isBundled: wiring.direct !== null, probe });
    yield* await cards(wiring, environment);
    if (database.url !== null && PostgresUrl.parse(database.url).ok) {
      yield await checkWebhookEvents(database.url);
      yield await checkUncountable(database.url, Date.now());
      yield* await checkEvents(database.url, environment);
    }
    // Faults of these settings are reported with all other settings.
    const coinFaults: string[] = [];
    const coin = X402Settings.read(environment, environment.NODE_ENV === 'production', coinFaults);
    if (coin && coinFaults.length === 0) yield* await checkX402(coin);
    yield await checkMail(
      URL.canParse(environment.SMTP_URL ?? '') ? (environment.SMTP_URL ?? '') : '',
      wiring.publicUrl,
      wiring.mailbox !== null,
    );
    if (environment.REDIS_URL && URL.canParse(environment.REDIS_URL))
      yield await checkRedis(environment.REDIS_URL);
    if (URL.canParse(wiring.publicUrl)) yield* await checkAddress(wiring.publicUrl);
  } finally {
    await database.leave();
  }
}

type Reached = { leave(): Promise<void> } & ({ url: string } | { url: null; finding: Finding.Finding });

/** Connects to the database; an embedded one that is not running is started for the check. */
async function reach(wiring: Compose.Composition, env: NodeJS.ProcessEnv): Promise<Reached> {
  const { problem, unproved } = Finding.findingsOf('database');
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

/** Returns the environment of the storefront, with the secrets that a start has kept. */
async function storefront(
  wiring: Compose.Composition,
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
): Promise<NodeJS.ProcessEnv> {
  const folder = join(wiring.dataDir, 'secrets');
  const [encryptionKey, direct, webhook, adminDigest] = await Promise.all([
    LocalSecret.findEncryptionKey(folder),
    ...['direct', 'webhook', 'admin-token.sha256'].map((name) => LocalSecret.find(folder, name)),
  ]);
  const secrets = {
    direct: direct ?? '',
    webhook: webhook || 'whsec_made_at_the_first_start',
    encryptionKey,
    adminDigest: adminDigest ?? '',
    // Only the storefront's environment is checked.
    directAdminDigest: '',
  };
  const [first] = Compose.programs(wiring, env, databaseUrl, secrets);
  return first?.env ?? env;
}

async function cards(
  wiring: Compose.Composition,
  environment: NodeJS.ProcessEnv,
): Promise<Finding.Finding[]> {
  const apiBase = environment.STRIPE_API_BASE || 'https://api.stripe.com';
  if (!environment.STRIPE_SECRET_KEY || !URL.canParse(apiBase)) return [];
  // A catalogue that cannot be read has a finding of its own.
  const catalog = await CatalogFile.load(catalogPath(environment)).catch(() => null);
  return checkCards({
    isTaxed: catalog?.storefront.tax === 'stripe',
    amountMin: catalog && smallestPrice(catalog.plans),
    secretKey: environment.STRIPE_SECRET_KEY,
    apiBase,
    networkId: environment.STRIPE_NETWORK_ID ?? '',
    ...(environment.STRIPE_SPT_VERSION && { sharedTokenVersion: environment.STRIPE_SPT_VERSION }),
    publicUrl: wiring.publicUrl,
    sandbox: wiring.sandbox && { shopUrl: Compose.address(wiring.port) },
  });
}

/** Returns the smallest amount that a plan can be bought for; null when nothing is for sale. */
function smallestPrice(plans: readonly Plan[]): Money | null {
  const prices = plans.flatMap((plan) =>
    plan.kind === 'credit' ? [plan.min] : plan.kind === 'subscription' ? [plan.price] : [],
  );
  return prices.reduce<Money | null>(
    (least, price) => (least === null || price < least ? price : least),
    null,
  );
}

function line({ part, state, says, next }: Finding.Finding): string {
  const first = `${marks[state]}  ${part.padEnd(9)}  ${says}`;
  return next === null ? first : `${first}\n${' '.repeat(23)}-> ${next}`;
}
