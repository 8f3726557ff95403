import { join, relative } from 'node:path';
import * as Money from '@sluice/kernel/money';
import type { Catalog } from '../catalog/catalog.ts';
import { isTrialImmediate } from '../catalog/plan.ts';
import * as Compose from './compose.ts';
import type { Cluster } from './embedded/cluster.ts';

/** The facts that the banner shows. */
export type StartedShop = {
  wiring: Compose.Composition;
  env: NodeJS.ProcessEnv;
  /** The catalogue of the shop. */
  catalog: Catalog;
  /** The embedded database; null when DATABASE_URL is set. */
  cluster: Cluster | null;
  /** The token of the admin routes, at the first start; null at later ones. */
  adminToken: string | null;
  /** The same of the bundled data API. */
  directAdminToken: string | null;
  /** Duration of the start. */
  seconds: number;
};

/** Returns the text after the start: the addresses of all programs, and three example requests for a POSIX shell. */
export function banner(shop: StartedShop): string {
  const { wiring } = shop;
  const play =
    'Card payments are simulated: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined; any later month, any CVC.';
  return [
    '',
    `The shop is open: ${wiring.publicUrl}  (${shop.seconds.toFixed(1)} s)`,
    '',
    ...table(parts(shop)),
    ...(shop.adminToken === null ? [] : ['', ...admin(shop.adminToken, wiring.publicUrl)]),
    ...(wiring.direct === null || shop.directAdminToken === null
      ? []
      : ['', ...directAdmin(shop.directAdminToken, Compose.address(wiring.direct))]),
    ...(wiring.sandbox ? ['', play] : []),
    '',
    ...firstRequests(shop),
    '',
    'Ctrl-C stops all programs; the data is kept.',
    '',
  ].join('\n');
}

const usualPurchase = Money.ofCents(500);

type Part = [name: string, place: string, about: string];

function parts({ wiring, env, cluster }: StartedShop): Part[] {
  const { dataDir, direct, sandbox, mailbox } = wiring;
  const short = (path: string) => {
    const below = relative('', path);
    return below.startsWith('..') ? path : below || '.';
  };
  const all: Part[] = [['storefront', wiring.publicUrl, 'for people and agents']];
  if (direct) {
    all.push([
      'data interface',
      Compose.address(direct),
      'the API that is sold: the bundled one, with sample data',
    ]);
    if (!env.DIRECT_EMAIL_HELO)
      all.push([
        'work emails',
        'not verified',
        'set DIRECT_EMAIL_HELO and DIRECT_EMAIL_FROM to verify those you import (docs/emails.md)',
      ]);
  }
  if (!direct) all.push(['upstream', env.UPSTREAM_URL ?? '', 'what is resold']);
  if (sandbox) all.push(['card sandbox', Compose.address(sandbox), 'replaces the card processor']);
  if (mailbox) all.push(['mailbox', Compose.address(mailbox.page), 'shows the mail that would be sent']);
  if (cluster) all.push(['database', new URL(cluster.url).host, databaseWords(cluster)]);
  all.push(['data', short(dataDir), 'delete this folder to start over']);
  all.push(['logs', short(join(dataDir, 'logs')), wiring.logsToOutput ? 'the storefront logs below' : '']);
  return all;
}

function admin(token: string, url: string): string[] {
  return [
    `Your admin token (shown only now): ${token}`,
    `Sign in with it to the seller's console at ${url}/admin; programs send it as a bearer token to /admin/*.`,
    'Only its digest is stored, in secrets/admin-token.sha256 of the data folder; delete that file to get a new token.',
  ];
}

function directAdmin(token: string, url: string): string[] {
  return [
    `The data API's admin token (shown only now): ${token}`,
    `It opens the dashboard of its keys at ${url}/dashboard in a browser, and ${url}/admin/keys to programs.`,
    'Only its digest is stored, in secrets/direct-admin-token.sha256 of the data folder; delete that file to get a new token.',
  ];
}

function table(rows: readonly Part[]): string[] {
  const name = Math.max(...rows.map((row) => row[0].length));
  const place = Math.max(...rows.map((row) => row[1].length));
  return rows.map((row) => `  ${row[0].padEnd(name)}  ${row[1].padEnd(place)}  ${row[2]}`.trimEnd());
}

function databaseWords({ adopted, account, binaries }: Cluster): string {
  const words = ['PostgreSQL'];
  if (adopted) words.push('left running by a start that was killed');
  if (account) words.push(`run as user ${account.uid}, because PostgreSQL does not run as root`);
  if (account && relative('', binaries).startsWith('..')) words.push(`from a copy in ${binaries}`);
  return words.join(', ');
}

function firstRequests({ wiring, env, catalog }: StartedShop): string[] {
  const url = wiring.publicUrl;
  const post = (path: string) =>
    `curl -s -w '\\n' -X POST '${url}${path}' -H 'content-type: application/json'`;
  const bearer = '-H "authorization: Bearer $TOKEN"';
  const member = (name: string) => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  const host = (env.DIRECT_NETWORK_HOST || 'network.example').replace(/^www\./, '');
  const company = `https://www.${host}/company/northwind-analytics`;
  const call = wiring.direct
    ? `${post('/v2/jobs/company')} ${bearer} -d '{"company_network_url":"${company}","max_results":3}'`
    : firstRead(catalog, url, bearer);
  const credit = catalog.plans.find((plan) => plan.kind === 'credit');
  const amount =
    credit && Money.format(Money.ofMicro(Math.max(credit.min, Math.min(usualPurchase, credit.max))));
  const hasTrial = isTrialImmediate(catalog.plans);
  return [
    `Paste into another terminal. Register: creates an account with a token${hasTrial ? ' and the trial' : ''}.`,
    '',
    `  TOKEN=$(${post('/agent/auth')} -d '{"type":"anonymous"}' | ${member('access_token')})`,
    '',
    ...(call === null ? [] : ['Call: an operation that needs only the token.', '', `  ${call}`, '']),
    ...(credit === undefined
      ? []
      : [
          `Buy: prints the URL of the card page for ${amount} USD of credit.`,
          '',
          `  ${post(`/plans/${credit.id}/purchase`)} ${bearer} -d '{"amount_usd":"${amount}"}' | ${member('checkout_url')}`,
        ]),
  ];
}

/** Returns an example call that needs only a token, or null. Its response headers show the cost. */
function firstRead({ operations }: Catalog, url: string, bearer: string): string | null {
  const read = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'));
  return read === undefined ? null : `curl -s -i '${url}${read.path}' ${bearer}`;
}
