import * as Schema from '../schema/schema.ts';
import * as NetworkUrl from './network-url.ts';

/** Which person is meant: by the name in the profile's address, by one of the network's two tokens, or by number. */
export type PersonRef =
  | { kind: 'slug'; slug: string }
  | { kind: 'profile'; token: string }
  | { kind: 'sales'; token: string }
  | { kind: 'member'; number: number };

// A lead of the sales pages is its token, how it was found and a check: only the first says who it is.
const token = '(?<token>[A-Za-z0-9_-]+)';
const lead = `${token}(?:,[A-Za-z0-9_-]*){0,2}`;
const forms = [
  String.raw`${NetworkUrl.site}/in/(?<name>[^/?#\s]+)${NetworkUrl.tail}`,
  `${NetworkUrl.site}/sales/(?:lead|people)/${lead}${NetworkUrl.tail}`,
  `urn:nw:fsd_profile:${token}`,
  String.raw`urn:nw:fs_salesProfile:\(${lead}\)`,
  String.raw`urn:nw:member:(?<member>\d{1,15})`,
];
const patterns = forms.map((form) => new RegExp(`^${form}$`, 'i'));
const tokenPattern = /^AC(?<kind>[ow])AA[A-Za-z0-9_-]{1,95}$/;

/** Reads any accepted form of a person's address; null for every other text. */
export function person(text: string): PersonRef | null {
  for (const pattern of patterns) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return refOf(groups);
  }
  return null;
}

function refOf({ name, token, member }: Readonly<Record<string, string | undefined>>): PersonRef | null {
  if (member !== undefined) return { kind: 'member', number: Number(member) };
  if (token !== undefined) return byToken(token);
  if (name === undefined) return null;
  const slug = NetworkUrl.slugOf(name);
  return byToken(name) ?? (slug === null ? null : { kind: 'slug', slug });
}

/** Tokens tell capital letters from small ones, and which of the two they are by their third letter. */
function byToken(token: string): PersonRef | null {
  const kind = tokenPattern.exec(token)?.groups?.kind;
  return kind === undefined ? null : { kind: kind === 'o' ? 'profile' : 'sales', token };
}

/** The one form in which answers name a person. */
export function personUrl(slug: string): string {
  return `${NetworkUrl.origin}/in/${encodeURIComponent(slug)}`;
}

const otherwise = `Expected a person network URL such as ${NetworkUrl.origin}/in/<slug>, /sales/lead/<token>, or urn:nw:member:<number>`;

/** The field that names a person. */
export const personField = Schema.about(
  `Which person: \`${NetworkUrl.origin}/in/<slug or token>\`, \`/sales/lead/<token>,...\`, \`/sales/people/<token>,...\`, \`urn:nw:fsd_profile:<token>\`, \`urn:nw:fs_salesProfile:(<token>,...)\` or \`urn:nw:member:<number>\`.`,
  Schema.text({
    min: 1,
    max: NetworkUrl.charactersMax,
    rule: { holds: (text) => person(text) !== null, otherwise },
  }),
);

/** The person that a text accepted by the field above means. */
export function parsed(text: string): PersonRef {
  const ref = person(text);
  if (ref === null) throw new TypeError('not a person network URL that was checked');
  return ref;
}
