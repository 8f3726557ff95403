import * as Schema from '../schema/schema.ts';
import * as NetworkUrl from './network-url.ts';
import * as OwnKey from './own-key.ts';

/** Reference to a person, by the slug of the profile URL, by one of the network's two tokens, or by number. */
export type PersonRef =
  | { kind: 'slug'; slug: string }
  | { kind: 'profile'; token: string }
  | { kind: 'sales'; token: string }
  | { kind: 'member'; number: number };

// A sales lead consists of a token, a search type and a checksum. Only the token identifies the person.
const token = '(?<token>[A-Za-z0-9_-]+)';
const lead = `${token}(?:,[A-Za-z0-9_-]*){0,2}`;
const forms = [
  String.raw`${NetworkUrl.site}/in/(?<name>[^/?#\s]+)${NetworkUrl.tail}`,
  `${NetworkUrl.site}/sales/(?:lead|people)/${lead}${NetworkUrl.tail}`,
  `urn:nw:fsd_profile:${token}`,
  String.raw`urn:nw:fs_salesProfile:\(${lead}\)`,
  String.raw`urn:nw:member:(?<member>\d{1,15})`,
  `${OwnKey.urnStart}person:(?<own>${OwnKey.digits})`,
];
const patterns = forms.map((form) => new RegExp(`^${form}$`, 'i'));
const tokenPattern = /^AC(?<kind>[ow])AA[A-Za-z0-9_-]{1,95}$/;

/** Parses any accepted form of a person reference; null for other texts. */
export function person(text: string): PersonRef | null {
  for (const pattern of patterns) {
    const groups = pattern.exec(text)?.groups;
    if (groups) return refOf(groups);
  }
  return null;
}

function refOf({ name, token, member, own }: Readonly<Record<string, string | undefined>>): PersonRef | null {
  if (member !== undefined) return { kind: 'member', number: Number(member) };
  if (token !== undefined) return byToken(token);
  if (own !== undefined) return { kind: 'slug', slug: OwnKey.ofDigits(own) };
  if (name === undefined) return null;
  const slug = NetworkUrl.slugOf(name);
  return byToken(name) ?? (slug === null ? null : { kind: 'slug', slug });
}

/** Tokens are case-sensitive. Their third letter is `o` for profile tokens and `w` for sales tokens. */
function byToken(token: string): PersonRef | null {
  const kind = tokenPattern.exec(token)?.groups?.kind;
  return kind === undefined ? null : { kind: kind === 'o' ? 'profile' : 'sales', token };
}

/** Canonical URL of a person, used in responses; a URN for people without an address at the network. */
export function personUrl(slug: string): string {
  if (OwnKey.isOwn(slug)) return OwnKey.urn('person', slug);
  return `${NetworkUrl.origin}/in/${encodeURIComponent(slug)}`;
}

const otherwise = `Expected a person network URL such as ${NetworkUrl.origin}/in/<slug>, /sales/lead/<token>, or urn:nw:member:<number>`;

/** Request field for a person. */
export const personField = Schema.about(
  `The person: \`${NetworkUrl.origin}/in/<slug or token>\`, \`/sales/lead/<token>,...\`, \`/sales/people/<token>,...\`, \`urn:nw:fsd_profile:<token>\`, \`urn:nw:fs_salesProfile:(<token>,...)\`, \`urn:nw:member:<number>\` or \`${OwnKey.urnStart}person:<key>\`.`,
  Schema.text({
    min: 1,
    max: NetworkUrl.charactersMax,
    rule: { holds: (text) => person(text) !== null, otherwise },
  }),
);

/** Person of a text that `personField` has accepted. */
export function parsed(text: string): PersonRef {
  const ref = person(text);
  if (ref === null) throw new TypeError('the person network URL has not been validated');
  return ref;
}
