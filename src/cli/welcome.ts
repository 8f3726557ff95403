import { join, relative } from 'node:path';
import type { Cluster } from '../adapters/embedded/cluster.ts';
import type { Catalog } from '../catalog/catalog.ts';
import * as Money from '../kernel/money.ts';
import * as Wiring from './wiring.ts';

/** What the person who started the shop is told of it. */
export type Shop = {
  wiring: Wiring.Wiring;
  env: NodeJS.ProcessEnv;
  /** What is sold. */
  catalog: Catalog;
  /** The embedded database; null where DATABASE_URL names another. */
  cluster: Cluster | null;
  /** The token of the admin routes, at the first start; null at later ones. */
  adminToken: string | null;
  /** How long the start took. */
  seconds: number;
};

/** The text at the start: what runs where, and the first three requests, to be pasted into a POSIX shell. */
export function text(shop: Shop): string {
  const { wiring } = shop;
  const play =
    'Cards are play money: 4242 4242 4242 4242 pays, 4000 0000 0000 0002 is declined; any later month, any CVC.';
  return [
    '',
    `The shop is open: ${wiring.publicUrl}  (${shop.seconds.toFixed(1)} s)`,
    '',
    ...table(parts(shop)),
    ...(shop.adminToken === null ? [] : ['', ...admin(shop.adminToken, wiring.publicUrl)]),
    ...(wiring.sandbox ? ['', play] : []),
    '',
    ...firstRequests(shop),
    '',
    'Ctrl-C ends everything; what was done is kept.',
    '',
  ].join('\n');
}

const usualPurchase = Money.ofCents(500);

type Part = [name: string, place: string, about: string];

function parts({ wiring, env, cluster }: Shop): Part[] {
  const { dataDir, direct, sandbox, mailbox } = wiring;
  const short = (path: string) => {
    const below = relative('', path);
    return below.startsWith('..') ? path : below || '.';
  };
  const all: Part[] = [['storefront', wiring.publicUrl, 'for people and agents']];
  if (direct)
    all.push(['data interface', Wiring.address(direct), 'what is resold: the bundled one, with sample data']);
  else all.push(['upstream', env.UPSTREAM_URL ?? '', 'what is resold']);
  if (sandbox) all.push(['card sandbox', Wiring.address(sandbox), 'stands in for the card processor']);
  if (mailbox) all.push(['mailbox', Wiring.address(mailbox.page), 'shows the mail that would be sent']);
  if (cluster) all.push(['database', new URL(cluster.url).host, databaseWords(cluster)]);
  all.push(['data', short(dataDir), 'remove this folder to begin anew']);
  all.push([
    'logs',
    short(join(dataDir, 'logs')),
    wiring.logsToOutput ? 'the storefront logs here below' : '',
  ]);
  return all;
}

function admin(token: string, url: string): string[] {
  return [
    `Your admin token, shown this once: ${token}`,
    `It opens the seller's console at ${url}/admin in a browser, and /admin/* to programs, as their bearer.`,
    'Only its digest is kept, in secrets/admin-token.sha256 of the data; remove that for another one.',
  ];
}

function table(rows: readonly Part[]): string[] {
  const name = Math.max(...rows.map((row) => row[0].length));
  const place = Math.max(...rows.map((row) => row[1].length));
  return rows.map((row) => `  ${row[0].padEnd(name)}  ${row[1].padEnd(place)}  ${row[2]}`.trimEnd());
}

function databaseWords({ adopted, account, binaries }: Cluster): string {
  const words = ['PostgreSQL'];
  if (adopted) words.push('taken over from a start that was killed');
  if (account) words.push(`run as user ${account.uid}, as it refuses root`);
  if (account && relative('', binaries).startsWith('..')) words.push(`from a copy in ${binaries}`);
  return words.join(', ');
}

function firstRequests({ wiring, catalog }: Shop): string[] {
  const url = wiring.publicUrl;
  const post = (path: string) =>
    `curl -s -w '\\n' -X POST '${url}${path}' -H 'content-type: application/json'`;
  const bearer = '-H "authorization: Bearer $TOKEN"';
  const member = (name: string) => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  const company = 'https://www.network.example/company/northwind-analytics';
  const call = wiring.direct
    ? `${post('/v2/jobs/company')} ${bearer} -d '{"company_network_url":"${company}","max_results":3}'`
    : firstRead(catalog, url, bearer);
  const credit = catalog.plans.find((plan) => plan.kind === 'credit');
  const amount =
    credit && Money.format(Money.ofMicro(Math.max(credit.min, Math.min(usualPurchase, credit.max))));
  return [
    'Paste into another terminal. Register: an account, its token, and what the trial gives.',
    '',
    `  TOKEN=$(${post('/agent/auth')} -d '{"type":"anonymous"}' | ${member('access_token')})`,
    '',
    ...(call === null ? [] : ['Call: the first of what is sold.', '', `  ${call}`, '']),
    ...(credit === undefined
      ? []
      : [
          `Buy: the page on which a card pays for ${amount} USD of credit.`,
          '',
          `  ${post(`/plans/${credit.id}/purchase`)} ${bearer} -d '{"amount_usd":"${amount}"}' | ${member('checkout_url')}`,
        ]),
  ];
}

/** A call that needs nothing but a token, if there is one; its head tells what it cost. */
function firstRead({ operations }: Catalog, url: string, bearer: string): string | null {
  const read = operations.find(({ method, path }) => method === 'GET' && !path.includes('{'));
  return read === undefined ? null : `curl -s -i '${url}${read.path}' ${bearer}`;
}
