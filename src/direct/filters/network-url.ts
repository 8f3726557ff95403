import * as Schema from '../schema/schema.ts';

/** The professional network whose addresses we speak: a reserved name of our own (RFC 2606). */
const host = 'network.example';
export const origin = `https://www.${host}`;
export const charactersMax = 500;

/** Which company is meant: by the name in its address or by its number. */
export type CompanyRef = { kind: 'slug'; slug: string } | { kind: 'number'; number: number };

/** How an address may begin, as the source of a pattern: with or without `https://`, then `www`, a country or neither. */
export const site = String.raw`(?:https?://)?(?:(?:www|[a-z]{2})\.)?network\.example`;
/** How it may end: a slash, a query, a fragment, none of which say anything. */
export const tail = '/?(?:[?#].*)?';

const forms = [
  String.raw`${site}/company/(?<slug>[^/?#\s]+)${tail}`,
  String.raw`${site}/sales/company/(?<sales>\d+)${tail}`,
  String.raw`urn:nw:(?:organization|company):(?<urn>\d+)`,
];
const form = new RegExp(`^(?:${forms.join('|')})$`, 'i');
const numberPattern = /^\d{1,15}$/;
const slugPattern = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._&'-]{0,99}$/u;

/** Reads any accepted form of a company's address; null for every other text. */
export function company(text: string): CompanyRef | null {
  const groups = form.exec(text)?.groups;
  const name = groups?.slug ?? groups?.sales ?? groups?.urn;
  const slug = name === undefined ? null : slugOf(name);
  if (slug === null) return null;
  return numberPattern.test(slug) ? { kind: 'number', number: Number(slug) } : { kind: 'slug', slug };
}

/** A name as it stands in an address, decoded and in lower case; null where no record could have it. */
export function slugOf(name: string): string | null {
  try {
    const slug = decodeURIComponent(name).normalize('NFC').toLowerCase();
    return slugPattern.test(slug) ? slug : null;
  } catch {
    return null;
  }
}

/** The one form in which answers name a company. */
export function companyUrl(ref: CompanyRef): string {
  return `${origin}/company/${encodeURIComponent(ref.kind === 'slug' ? ref.slug : String(ref.number))}`;
}

export function jobUrl(id: number): string {
  return `${origin}/jobs/view/${id}`;
}

const otherwise = `Expected a company network URL such as ${origin}/company/<slug>, or urn:nw:organization:<number>`;
const sentence = `Which company: \`${origin}/company/<slug or number>\`, \`/sales/company/<number>\`, \`urn:nw:organization:<number>\` or \`urn:nw:company:<number>\`.`;

/** The field that names a company. */
export const companyField = Schema.about(
  sentence,
  Schema.text({ min: 1, max: charactersMax, rule: { holds: (text) => company(text) !== null, otherwise } }),
);

/** The same where the interface asks for a URI: the scheme may not be left out. */
export const companyUriField = Schema.about(
  sentence,
  Schema.text({
    min: 1,
    max: charactersMax,
    format: 'uri',
    rule: { holds: (text) => /^(https?|urn):/i.test(text) && company(text) !== null, otherwise },
  }),
);

/** The company that a text accepted by one of the fields above means. */
export function parsed(text: string): CompanyRef {
  const ref = company(text);
  if (ref === null) throw new TypeError('not a company network URL that was checked');
  return ref;
}
