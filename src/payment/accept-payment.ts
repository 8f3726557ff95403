/** The `Accept-Payment` header: which offers a client prefers (draft-httpauth-payment-01), weighted as in RFC 9110. */
type Offer = { readonly method: string; readonly intent: string };
type Range = Offer & { readonly weight: number };

const charsMax = 1024;
const range = /^([a-z0-9-]+|\*)\/([A-Za-z0-9-]+|\*)(?:\s*;\s*[qQ]\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/**
 * Returns the offers that the client accepts, best first; offers of equal weight keep our order. Returns all offers when
 * the header is absent, malformed or matches none of them, because a 402 without a challenge cannot be paid.
 */
export function rank<T extends Offer>(offers: readonly T[], header: string | null): T[] {
  const ranges = parse(header ?? '');
  if (ranges === null) return [...offers];
  const weighed = offers.map((offer) => ({ offer, weight: weightOf(offer, ranges) }));
  const taken = weighed.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return taken.length > 0 ? taken.map(({ offer }) => offer) : [...offers];
}

function parse(header: string): Range[] | null {
  if (header.length > charsMax) return null;
  const ranges: Range[] = [];
  for (const entry of header.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, method, intent, q = '1'] = range.exec(entry) ?? [];
    if (method === undefined || intent === undefined) return null;
    ranges.push({ method, intent, weight: Number(q) });
  }
  return ranges;
}

/** Returns the weight of the most specific matching range: `tempo/charge;q=0` overrides `tempo/*`. */
function weightOf(offer: Offer, ranges: readonly Range[]): number {
  const fitting = ranges.filter(
    ({ method, intent }) =>
      (method === '*' || method === offer.method) && (intent === '*' || intent === offer.intent),
  );
  fitting.sort((a, b) => closeness(b) - closeness(a) || b.weight - a.weight);
  return fitting[0]?.weight ?? 0;
}

function closeness({ method, intent }: Range): number {
  return Number(method !== '*') + Number(intent !== '*');
}
