/** The rule by which the messages of a WebSocket are charged. */
export type SocketRule = {
  /** The measure: the number of messages, their bytes, or the usage that messages of the upstream report at `units`. */
  by: 'messages' | 'bytes' | 'usage';
  /** The number of messages or bytes that cost the operation's `units`; a part of it counts as a whole. */
  per: number;
  /** Units that are held at first, and added at a time. */
  step: number;
  /** The messages that are counted: those of the upstream, those of the caller, or both. */
  of: 'upstream' | 'caller' | 'both';
  /** The way in which the usage of several messages is combined. */
  merge: 'sum' | 'last' | 'max';
};

/** The rule as the catalogue writes it. */
export type SocketSource = Partial<SocketRule>;

/** The price of an operation. */
type Sold = { units: { kind: string; units?: number }; service: { unit: string } };

/** Converts a valid source. */
export function toSocketRule(source: SocketSource): SocketRule {
  const { by = 'messages', per = 1, step = 100, of = 'upstream', merge = 'sum' } = source;
  return { by, per, step, of, merge };
}

/** Returns the rule as the shop publishes it, with its charge in words, in English: `1 token for every 1,024 bytes of the upstream's messages`. */
export function described(rule: SocketRule, { units, service }: Sold) {
  return { ...rule, unit: service.unit, charge: inWords(rule, units.units ?? 1, service.unit) };
}

function inWords({ by, per, of }: SocketRule, units: number, unit: string): string {
  if (by === 'usage') return `the ${unit}s that the upstream's messages report`;
  const whose = { upstream: "the upstream's messages", caller: 'your messages', both: 'all messages' }[of];
  const counted = by === 'bytes' ? 'byte' : 'message';
  const every = per === 1 ? counted : `${per.toLocaleString('en')} ${counted}s`;
  const source = by === 'bytes' || of !== 'both' ? ` of ${whose}` : '';
  return `${units} ${unit}${units === 1 ? '' : 's'} for every ${every}${source}`;
}
