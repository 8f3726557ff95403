import { path as identity } from '@sluice/kernel/endpoints';
import * as Schema from '@sluice/kernel/json-schema';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import * as SignedManifest from '../identity/signed-manifest.ts';
import type { AuditedOperation } from './audit-openapi.ts';
import {
  type AuditResponse,
  type Finding,
  finding,
  type HttpClient,
  json,
  type,
  why,
} from './http-client.ts';
import { path } from './paths.ts';

/** Limits per text: links that are followed, and characters that are searched for links. */
const linksMax = 60;
const textCharsMax = 256 * 1024;
const urlCharsMax = 2_000;
const findingsMax = 20;

/** Checks that texts and well-known documents exist, are well-formed and current, and agree with the description. */
export async function checkDocuments(
  client: HttpClient,
  origin: string,
  operations: readonly AuditedOperation[],
): Promise<Finding[]> {
  const alive = new Map<string, Promise<boolean>>();
  /** Returns true when an address responds, even with a refusal. Each is requested once. */
  const isAlive = (url: string) => {
    const known =
      alive.get(url) ??
      client({ url }).then(({ status }) => status >= 200 && status < 500 && status !== 404 && status !== 410);
    alive.set(url, known);
    return known;
  };
  const dead = async (where: string, urls: Iterable<string>): Promise<Finding[]> => {
    const own = [...new Set(urls)].filter((url) => URL.parse(url)?.origin === origin && !/[{}]/.test(url));
    const findings: Finding[] = [];
    for (const url of own.slice(0, linksMax))
      if (!(await isAlive(url)))
        findings.push(
          finding('error', 'link_dead', where, `${url} does not respond`, 'Fix or remove the link.'),
        );
    return findings;
  };
  const look = async (
    at: string,
    severity: Finding['severity'],
    fix: string,
    read: (answer: AuditResponse, where: string) => Finding[] | Promise<Finding[]>,
  ): Promise<Finding[]> => {
    const url = origin + at;
    const answer = await client({ url });
    return answer.status === 200
      ? read(answer, url)
      : [finding(severity, 'document_missing', url, why(answer), fix)];
  };

  const parts = [
    await look('/', 'error', 'A crawler starts here.', ofStart),
    ofRobots(await client({ url: `${origin}/robots.txt` }), `${origin}/robots.txt`),
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
      ofResource(client, answer, where, origin),
    ),
    await look(
      path.manifest,
      'note',
      'State services, plans and prices in one document.',
      async (answer, where) => [
        ...ofManifest(answer, where, operations),
        ...(await dead(where, Object.values(Schema.node(Schema.node(json(answer)).links)).map(String))),
        ...(await ofSigned(client, answer, origin)),
      ],
    ),
  ];
  return parts.flat();
}

function ofStart({ headers }: AuditResponse, where: string): Finding[] {
  const link = headers.get('link') ?? '';
  return /rel="?(?:api-catalog|service-desc)/.test(link)
    ? []
    : [finding('note', 'start_unlinked', where, 'no Link to the description', 'Link rel="service-desc".')];
}

/** A missing robots.txt allows all crawlers. */
function ofRobots({ status, text }: AuditResponse, where: string): Finding[] {
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

function ofText({ text }: AuditResponse, where: string): Finding[] {
  return text.startsWith('# ')
    ? []
    : [finding('warning', 'text_malformed', where, 'it has no title', 'Start with "# " and the name.')];
}

function ofSkill({ text }: AuditResponse, where: string): Finding[] {
  return /^---\r?\nname: \S.*\ndescription: \S/.test(text)
    ? []
    : [finding('warning', 'text_malformed', where, 'no front matter', 'Start with name and description.')];
}

function ofLinkset(answer: AuditResponse, where: string): Finding[] {
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

function ofSecurity({ text, headers }: AuditResponse, where: string): Finding[] {
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(text)?.[1];
  const ends = Date.parse(field('Expires') ?? '');
  const nowMs = Date.parse(headers.get('date') ?? '');
  const amiss: [boolean, string, string][] = [
    [field('Contact') === undefined, 'no Contact', 'Say where to write.'],
    [Number.isNaN(ends), 'no Expires', 'Say until when it holds.'],
    [ends <= nowMs, 'it has expired', 'Set a new Expires date.'],
  ];
  return amiss
    .filter(([isAmiss]) => isAmiss)
    .map(([, says, fix]) => finding('warning', 'security_malformed', where, says, fix));
}

/** Follows the path of OAuth clients: from the resource to its authorization server and the keys. */
async function ofResource(
  client: HttpClient,
  answer: AuditResponse,
  where: string,
  origin: string,
): Promise<Finding[]> {
  const { resource, authorization_servers } = Schema.node(json(answer));
  const issuer = Schema.text(Schema.list(authorization_servers)[0]);
  if (resource !== origin)
    return [finding('error', 'resource_elsewhere', where, `resource is ${resource}`, `Name ${origin}.`)];
  // An audit is limited to one shop, so other origins are not checked.
  if (URL.parse(issuer)?.origin !== origin) return [];
  const at = origin + identity.authorizationServer;
  const server = Schema.node(json(await client({ url: at })));
  if (server.issuer !== issuer)
    return [finding('error', 'issuer_differs', at, `issuer is ${server.issuer}`, `Name ${issuer}.`)];
  const uri = Schema.text(server.jwks_uri);
  if (URL.parse(uri) !== null && URL.parse(uri)?.origin !== origin) return [];
  const keys = await client({ url: uri });
  return Schema.list(Schema.node(json(keys)).keys).length > 0
    ? []
    : [finding('error', 'keys_missing', at, 'jwks_uri leads to no key', 'Serve the public keys.')];
}

/** Compares the prices of the manifest and the description. */
function ofManifest(
  answer: AuditResponse,
  where: string,
  operations: readonly AuditedOperation[],
): Finding[] {
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

/** Checks that the signed manifest equals the served one and that the shop's keys verify it. */
async function ofSigned(client: HttpClient, manifest: AuditResponse, origin: string): Promise<Finding[]> {
  const url = origin + path.signedManifest;
  const [signed, keys] = [await client({ url }), await client({ url: origin + identity.keys })];
  const amiss = (says: string, fix: string) => [finding('error', 'signature_wrong', url, says, fix)];
  if (signed.status === 404) return [];
  const set = json(keys) as JSONWebKeySet | undefined;
  if (!Array.isArray(set?.keys)) return amiss('there are no keys to verify it with', 'Serve the JWKS.');
  const read = await SignedManifest.verify(createLocalJWKSet(set), signed.text.trim());
  if (read === null) return amiss("the shop's keys do not verify it", 'Sign it with a published key.');
  return JSON.stringify(read.manifest) === manifest.text
    ? []
    : amiss('it is another manifest than the one that is served', 'Sign what is served.');
}

/** Returns the URLs in a Markdown text. */
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
