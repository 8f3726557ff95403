import * as Schema from '../schema/schema.ts';

/** The professional network whose addresses we speak: a reserved name of our own (RFC 2606). */
const host = 'network.example';
const origin = `https://www.${host}`;
const charactersMax = 500;

/** Which company is meant: by the name in its address or by its number. */
export type CompanyRef = { kind: 'slug'; slug: string } | { kind: 'number'; number: number };

const forms = [
  // A sub-domain is `www` or a country.
  String.raw`(?:https?://)?(?:(?:www|[a-z]{2})\.)?network\.example/company/(?<slug>[^/?#\s]+)/?(?:[?#].*)?`,
  String.raw`(?:https?://)?(?:(?:www|[a-z]{2})\.)?network\.example/sales/company/(?<sales>\d+)/?(?:[?#].*)?`,
  String.raw`urn:nw:(?:organization|company):(?<urn>\d+)`,
];
const form = new RegExp(`^(?:${forms.join('|')})$`, 'i');
const numberPattern = /^\d{1,15}$/;
const slugPattern = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._&'-]{0,99}$/u;

/** Reads any accepted form of a company's address; null for every other text. */
export function company(text: string): CompanyRef | null {
  const groups = form.exec(text)?.groups;
  const name = groups?.slug ?? groups?.sales ?? groups?.urn;
  const slug = name === undefined ? null : decoded(name);
  if (slug === null) return null;
  if (numberPattern.test(slug)) return { kind: 'number', number: Number(slug) };
  return slugPattern.test(slug) ? { kind: 'slug', slug } : null;
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

function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name).normalize('NFC').toLowerCase();
  } catch {
    return null;
  }
}
