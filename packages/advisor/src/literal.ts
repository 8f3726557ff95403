/** A value written literally in a goal: an address, a phone number, a time zone. */
export type Literal = {
  kind: 'url' | 'email' | 'domain' | 'phone' | 'zone';
  value: string;
  from: number;
  to: number;
};

const patterns: readonly [Literal['kind'], RegExp][] = [
  ['url', /\bhttps?:\/\/[^\s<>"'`,;()]{3,400}|\burn:[a-z0-9][\w:().,-]{3,200}/giu],
  ['email', /[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}/giu],
  ['domain', /\b(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}[a-z]{2,24}\b(?:\/[^\s<>"'`,;()]{0,200})?/giu],
  [
    'phone',
    /(?:\+|\b00)\d{1,3}[\s.()-]{0,2}(?:\d[\s.()-]{0,2}){6,13}\d|\(?\b\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}\b/gu,
  ],
  [
    'zone',
    /\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)\/[A-Za-z_+-]{2,30}(?:\/[A-Za-z_]{2,30})?/gu,
  ],
];

/** Ends of file names and of abbreviations that look like domains. */
const notDomains =
  /\.(?:js|ts|py|net core|md|csv|json|pdf|xlsx?|e|g|i)$|^(?:e\.g|i\.e|u\.s|u\.k|node\.js|vue\.js|next\.js|asp\.net)/i;

/** Values of one goal that are looked at. */
const literalCountMax = 300;

/** Finds the literals in `text`, in their order and without overlaps. A page without its scheme has `https://` added. */
export function find(text: string): Literal[] {
  const found: Literal[] = [];
  for (const [kind, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) {
      if (found.length === literalCountMax) break;
      const value = kind === 'phone' ? match[0] : match[0].replace(/(?:['’]s)?[.?!:]+$|['’]s$/, '');
      const [from, to] = [match.index, match.index + value.length];
      if (kind === 'domain' && notDomains.test(value)) continue;
      if (found.some((other) => to > other.from && from < other.to)) continue;
      const isPage = kind === 'domain' && /\/./.test(value);
      found.push({ ...(isPage ? { kind: 'url', value: `https://${value}` } : { kind, value }), from, to });
    }
  }
  return found.sort((a, b) => a.from - b.from);
}
