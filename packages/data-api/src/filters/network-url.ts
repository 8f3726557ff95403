import { host } from '../network-host.ts';
import * as Schema from '../schema/schema.ts';
import * as OwnKey from './own-key.ts';

/** Start of the network's canonical addresses. */
export const origin = `https://www.${host}`;
export const charactersMax = 500;

/** Reference to a company, by the slug of its URL or by its number. */
export type CompanyRef = { kind: 'slug'; slug: string } | { kind: 'number'; number: number };

/** Pattern for the start of a URL: optional `https://`, then `www`, a country code or neither. */
export const site = String.raw`(?:https?://)?(?:(?:www|[a-z]{2})\.)?${host.replaceAll('.', String.raw`\.`)}`;
/** Pattern for the ignored end of a URL: a slash, a query or a fragment. */
export const tail = '/?(?:[?#].*)?';

const forms = [
  String.raw`${site}/company/(?<slug>[^/?#\s]+)${tail}`,
  String.raw`${site}/sales/company/(?<sales>\d+)${tail}`,
  String.raw`urn:nw:(?:organization|company):(?<urn>\d+)`,
  `${OwnKey.urnStart}company:(?<own>${OwnKey.digits})`,
];
const form = new RegExp(`^(?:${forms.join('|')})$`, 'i');
const numberPattern = /^\d{1,15}$/;
const slugPattern = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._&'-]{0,99}$/u;

/** Parses any accepted form of a company reference; null for other texts. */
export function company(text: string): CompanyRef | null {
  const groups = form.exec(text)?.groups;
  if (groups?.own !== undefined) return { kind: 'slug', slug: OwnKey.ofDigits(groups.own) };
  const name = groups?.slug ?? groups?.sales ?? groups?.urn;
  const slug = name === undefined ? null : slugOf(name);
  if (slug === null) return null;
  return numberPattern.test(slug) ? { kind: 'number', number: Number(slug) } : { kind: 'slug', slug };
}

/** Decodes the slug of a URL to lower case; null if it is not a valid slug. */
export function slugOf(name: string): string | null {
  try {
    const slug = decodeURIComponent(name).normalize('NFC').toLowerCase();
    return slugPattern.test(slug) ? slug : null;
  } catch {
    return null;
  }
}

/** Canonical URL of a company, used in responses; a URN for companies without an address at the network. */
export function companyUrl(ref: CompanyRef): string {
  if (ref.kind === 'slug' && OwnKey.isOwn(ref.slug)) return OwnKey.urn('company', ref.slug);
  return `${origin}/company/${encodeURIComponent(ref.kind === 'slug' ? ref.slug : String(ref.number))}`;
}

/** URL of a posting; a URN if its id is our own. */
export function jobUrl(id: number): string {
  if (id >= OwnKey.jobIdMin) return `${OwnKey.urnStart}job:${id}`;
  return `${origin}/jobs/view/${id}`;
}

/** Rewrites a stored URL to the configured host, which may have changed since the import. */
export function rehosted(url: string): string {
  return url.startsWith(`${origin}/`) || url.startsWith('urn:')
    ? url
    : url.replace(/^(?:https?:\/\/)?[^/]+/i, origin);
}

const otherwise = `Expected a company network URL such as ${origin}/company/<slug>, or urn:nw:organization:<number>`;
const sentence = `The company: \`${origin}/company/<slug or number>\`, \`/sales/company/<number>\`, \`urn:nw:organization:<number>\`, \`urn:nw:company:<number>\` or \`${OwnKey.urnStart}company:<key>\`.`;

/** Request field for a company. */
export const companyField = Schema.about(
  sentence,
  Schema.text({ min: 1, max: charactersMax, rule: { holds: (text) => company(text) !== null, otherwise } }),
);

/** Request field for a company as a URI: the scheme is required. */
export const companyUriField = Schema.about(
  sentence,
  Schema.text({
    min: 1,
    max: charactersMax,
    format: 'uri',
    rule: { holds: (text) => /^(https?|urn):/i.test(text) && company(text) !== null, otherwise },
  }),
);

/** Company of a text that one of the fields above has accepted. */
export function parsed(text: string): CompanyRef {
  const ref = company(text);
  if (ref === null) throw new TypeError('the company network URL has not been validated');
  return ref;
}
