import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import * as Schema from '../advisor/schema.ts';
import { path as identity } from '../identity/endpoint.ts';
import * as SignedManifest from '../identity/signed-manifest.ts';
import type { Seen } from './audit-openapi.ts';
import { path } from './directory.ts';
import { type Finding, finding, json, type, type Visit, type Visited, why } from './visit.ts';

/** Links that are followed from one text, and how much of it is read for them. */
const linksMax = 60;
const textCharsMax = 256 * 1024;
const urlCharsMax = 2_000;
const findingsMax = 20;

/** The texts and well-known addresses: there, in their form, up to date, and agreeing with the description. */
export async function check(visit: Visit, origin: string, operations: readonly Seen[]): Promise<Finding[]> {
  const alive = new Map<string, Promise<boolean>>();
  /** Whether there is something at an address, if only a refusal; each is asked once. */
  const isAlive = (url: string) => {
    const known =
      alive.get(url) ??
      visit({ url }).then(({ status }) => status >= 200 && status < 500 && status !== 404 && status !== 410);
    alive.set(url, known);
    return known;
  };
  const dead = async (where: string, urls: Iterable<string>): Promise<Finding[]> => {
    const own = [...new Set(urls)].filter((url) => URL.parse(url)?.origin === origin && !/[{}]/.test(url));
    const findings: Finding[] = [];
    for (const url of own.slice(0, linksMax))
      if (!(await isAlive(url)))
        findings.push(
          finding('error', 'link_dead', where, `${url} does not answer`, 'Mend or drop the link.'),
        );
    return findings;
  };
  const look = async (
    at: string,
    severity: Finding['severity'],
    mend: string,
    read: (answer: Visited, where: string) => Finding[] | Promise<Finding[]>,
  ): Promise<Finding[]> => {
    const url = origin + at;
    const answer = await visit({ url });
    return answer.status === 200
      ? read(answer, url)
      : [finding(severity, 'document_missing', url, why(answer), mend)];
  };

  const parts = [
    await look('/', 'error', 'A crawler starts here.', ofStart),
    ofRobots(await visit({ url: `${origin}/robots.txt` }), `${origin}/robots.txt`),
    await look(
      path.llms,
      'error',
      'Say in words what is sold and where to read on.',
      async (answer, where) => [...ofText(answer, where), ...(await dead(where, linksIn(answer.text)))],
    ),
    await look(path.llmsFull, 'warning', 'Put every operation into one text.', ofText),
    await look(path.skill, 'warning', 'Say how an agent uses the shop.', ofSkill),
    await look(
      path.apiCatalog,
      'warning',
      'RFC 9727 leads crawlers to the description.',
      async (answer, where) => [...ofLinkset(answer, where), ...(await dead(where, hrefsIn(json(answer))))],
    ),
    await look(path.security, 'warning', 'RFC 9116 says where faults are reported.', ofSecurity),
    await look(identity.protectedResource, 'error', 'RFC 9728 leads to a token.', (answer, where) =>
      ofResource(visit, answer, where, origin),
    ),
    await look(
      path.manifest,
      'note',
      'State services, plans and prices in one document.',
      async (answer, where) => [
        ...ofManifest(answer, where, operations),
        ...(await dead(where, Object.values(Schema.node(Schema.node(json(answer)).links)).map(String))),
        ...(await ofSigned(visit, answer, origin)),
      ],
    ),
  ];
  return parts.flat();
}

function ofStart({ headers }: Visited, where: string): Finding[] {
  const link = headers.get('link') ?? '';
  return /rel="?(?:api-catalog|service-desc)/.test(link)
    ? []
    : [finding('note', 'start_unlinked', where, 'no Link to the description', 'Link rel="service-desc".')];
}

/** Without one all may look. */
function ofRobots({ status, text }: Visited, where: string): Finding[] {
  const everybody = /^user-agent:\s*\*\s*$(?:\n(?!user-agent).*)*?\ndisallow:\s*\/\s*$/im;
  return status === 200 && everybody.test(text.slice(0, textCharsMax).replaceAll('\r', ''))
    ? [
        finding(
          'error',
          'crawlers_barred',
          where,
          'it bars everybody from everything',
          'Allow the description.',
        ),
      ]
    : [];
}

function ofText({ text }: Visited, where: string): Finding[] {
  return text.startsWith('# ')
    ? []
    : [finding('warning', 'text_malformed', where, 'it has no title', 'Start with "# " and the name.')];
}

function ofSkill({ text }: Visited, where: string): Finding[] {
  return /^---\r?\nname: \S.*\ndescription: \S/.test(text)
    ? []
    : [finding('warning', 'text_malformed', where, 'no front matter', 'Start with name and description.')];
}

function ofLinkset(answer: Visited, where: string): Finding[] {
  const isLinkset = type(answer) === 'application/linkset+json';
  const hasLinks = Schema.list(Schema.node(json(answer)).linkset).length > 0;
  return isLinkset && hasLinks
    ? []
    : [
        finding(
          'warning',
          'linkset_malformed',
          where,
          `it is ${type(answer) || 'of no type'}`,
          'Send a linkset (RFC 9264).',
        ),
      ];
}

function ofSecurity({ text, headers }: Visited, where: string): Finding[] {
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(text)?.[1];
  const ends = Date.parse(field('Expires') ?? '');
  const nowMs = Date.parse(headers.get('date') ?? '');
  const amiss: [boolean, string, string][] = [
    [field('Contact') === undefined, 'no Contact', 'Say where to write.'],
    [Number.isNaN(ends), 'no Expires', 'Say until when it holds.'],
    [ends <= nowMs, 'it has expired', 'Set Expires anew.'],
  ];
  return amiss
    .filter(([isAmiss]) => isAmiss)
    .map(([, says, mend]) => finding('warning', 'security_malformed', where, says, mend));
}

/** From the resource over its server to the keys: the way that OAuth clients go. */
async function ofResource(visit: Visit, answer: Visited, where: string, origin: string): Promise<Finding[]> {
  const { resource, authorization_servers } = Schema.node(json(answer));
  const issuer = Schema.text(Schema.list(authorization_servers)[0]);
  if (resource !== origin)
    return [finding('error', 'resource_elsewhere', where, `resource is ${resource}`, `Name ${origin}.`)];
  // What runs elsewhere is not looked at: an audit visits one shop.
  if (URL.parse(issuer)?.origin !== origin) return [];
  const at = origin + identity.authorizationServer;
  const server = Schema.node(json(await visit({ url: at })));
  if (server.issuer !== issuer)
    return [finding('error', 'issuer_differs', at, `issuer is ${server.issuer}`, `Name ${issuer}.`)];
  const uri = Schema.text(server.jwks_uri);
  if (URL.parse(uri) !== null && URL.parse(uri)?.origin !== origin) return [];
  const keys = await visit({ url: uri });
  return Schema.list(Schema.node(json(keys)).keys).length > 0
    ? []
    : [finding('error', 'keys_missing', at, 'jwks_uri leads to no key', 'Serve the public keys.')];
}

/** A price that the manifest and the description tell differently misleads whoever reads one of them. */
function ofManifest(answer: Visited, where: string, operations: readonly Seen[]): Finding[] {
  const entries = Schema.list(Schema.node(json(answer)).prices).map(Schema.node);
  const prices = new Map(entries.map(({ service, priceUsd }) => [service, priceUsd]));
  const findings = operations.flatMap(({ at, payment }) => {
    const { service } = Schema.node(Schema.list(payment?.perCallUsage)[0]);
    const rates = Schema.list(payment?.rates).map(Schema.node);
    const rate = rates.find(({ kind }) => kind === 'credit');
    if (service === undefined || rate === undefined || prices.get(service) === rate.priceUsd) return [];
    const says = `${rate.priceUsd} USD, and ${prices.get(service) ?? 'no price'} in ${where}`;
    return [finding('error', 'price_differs', at, says, 'State one price.')];
  });
  return findings.slice(0, findingsMax);
}

/** The signed manifest is the one that is served, and the shop's own keys verify it. */
async function ofSigned(visit: Visit, manifest: Visited, origin: string): Promise<Finding[]> {
  const url = origin + path.signedManifest;
  const [signed, keys] = [await visit({ url }), await visit({ url: origin + identity.keys })];
  const amiss = (says: string, mend: string) => [finding('error', 'signature_wrong', url, says, mend)];
  if (signed.status === 404) return [];
  const set = json(keys) as JSONWebKeySet | undefined;
  if (!Array.isArray(set?.keys)) return amiss('there are no keys to verify it with', 'Serve the JWKS.');
  const read = await SignedManifest.verify(createLocalJWKSet(set), signed.text.trim());
  if (read === null) return amiss("the shop's keys do not verify it", 'Sign it with a published key.');
  return JSON.stringify(read.manifest) === manifest.text
    ? []
    : amiss('it is another manifest than the one that is served', 'Sign what is served.');
}

/** The addresses in a Markdown text. */
function linksIn(text: string): string[] {
  const link = new RegExp(`\\]\\((https?://[^\\s)]{1,${urlCharsMax}})\\)`, 'g');
  return [...text.slice(0, textCharsMax).matchAll(link)].map(([, url]) => url ?? '');
}

function hrefsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(hrefsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === 'href' && typeof item === 'string' ? [item] : hrefsIn(item),
  );
}
