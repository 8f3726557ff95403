import { fold } from './words.ts';

/** A number of a goal, by what it says: how many, how large, how long ago, how much money. Positions are of the text. */
export type Quantity = { from: number; to: number } & (
  | { kind: 'count'; count: number; each: boolean }
  | { kind: 'range'; min: number | null; max: number | null }
  | { kind: 'years'; min: number | null; max: number | null }
  | { kind: 'days'; days: number }
  | { kind: 'money'; usd: number; exclusive: boolean; isBudget: boolean }
);

const small =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const worded: ReadonlyMap<string, number> = new Map([
  ...small.slice(1).map((word, index): [string, number] => [word, index + 2]),
  ...'thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index): [string, number] => [word, 30 + index * 10]),
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1000],
]);
const scales: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
};
const days: Readonly<Record<string, number>> = {
  day: 1,
  week: 7,
  month: 30,
  quarter: 91,
  year: 365,
  hour: 1 / 24,
};

const figure = `(?:\\d{1,3}(?:,\\d{3})+|\\d{1,12})(?:\\.\\d{1,6})?|\\b(?:${[...worded.keys()].join('|')})\\b`;
const scale = '(?:\\s?(k|thousand|m|mn|mio|million|b|bn|billion)\\b)?';
const amount = `(${figure})${scale}`;
const currency = '(?:us\\s?)?(?:\\$|usd\\b|dollars?\\b|bucks?\\b)';
const below = '(?:under|below|less than|fewer than|smaller than|cheaper than|lower than|<)';
const notAbove =
  '(?:up to|at most|no more than|not more than|max(?:imum)?(?: of)?|within|<=|budget(?: is| of|:)?|for)';
const above = '(?:more than|over|above|greater than|larger than|bigger than|exceeding|>)';
const notBelow = '(?:at least|min(?:imum)?(?: of)?|no fewer than|from|>=)';

const rules: readonly { pattern: RegExp; read: (groups: readonly string[]) => Meaning | null }[] = [
  {
    pattern: rule(
      `(${below}|${notAbove}|${above}|${notBelow})?\\s*(?:a |the |total )?(?:${currency}\\s?${amount}|${amount}\\s?${currency})`,
    ),
    read: ([bound = '', a = '', as = '', b = '', bs = '']) => money(bound, value(a || b, as || bs)),
  },
  {
    pattern: rule(
      `(?:last|past|previous|within|in the last|newer than|since)\\s+(?:the\\s+(?:last|past)\\s+)?(${figure})?\\s*(day|week|month|quarter|year|hour)s?\\b`,
    ),
    read: ([number = '1', unit = '']) => lasting(number === '' ? 1 : value(number, ''), unit),
  },
  {
    pattern: rule('(?:from |in |of )?(?:this|current)\\s+(day|week|month|quarter|year)\\b'),
    read: ([unit = '']) => lasting(1, unit),
  },
  {
    pattern: rule('\\b(?:posted |since )?(today|yesterday)\\b'),
    read: ([word]) => ({ kind: 'days', days: word === 'today' ? 1 : 2 }),
  },
  {
    pattern: rule(
      '(?:between|from)?\\s*\\b((?:19|20)\\d\\d)\\s*(?:and|to|-|–)\\s*((?:19|20)\\d\\d)\\b(?!\\s*(?:employees|people|staff))',
    ),
    read: ([a = '', b = '']) => ({ kind: 'years', min: Number(a), max: Number(b) }),
  },
  {
    pattern: rule('(?:after|since|from)\\s+((?:19|20)\\d\\d)\\b'),
    read: ([a = '']) => ({ kind: 'years', min: Number(a), max: null }),
  },
  {
    pattern: rule('(?:before|until)\\s+((?:19|20)\\d\\d)\\b'),
    read: ([a = '']) => ({ kind: 'years', min: null, max: Number(a) }),
  },
  {
    pattern: rule('(?:founded|established|started|created)\\s+in\\s+((?:19|20)\\d\\d)\\b'),
    read: ([a = '']) => ({ kind: 'years', min: Number(a), max: Number(a) }),
  },
  {
    pattern: rule(`(?:between\\s+)?${amount}\\s*(?:to|and|-|–|—)\\s*${amount}`),
    read: ([a = '', as = '', b = '', bs = '']) => {
      const [min, max] = [value(a, as), value(b, bs)];
      return min < max ? { kind: 'range', min, max } : null;
    },
  },
  {
    pattern: rule(`(?:${above}|${notBelow})\\s+${amount}`),
    read: ([a = '', as = '']) => ({ kind: 'range', min: value(a, as), max: null }),
  },
  {
    pattern: rule(`(\\d[\\d,]{0,11})\\s?\\+`),
    read: ([a = '']) => ({ kind: 'range', min: value(a, ''), max: null }),
  },
  {
    pattern: rule(`${below}\\s+${amount}`),
    read: ([a = '', as = '']) => ({ kind: 'range', min: null, max: value(a, as) - 1 }),
  },
  {
    pattern: rule(`(?:with|of|having)\\s+(?:up to|at most|max(?:imum)?(?: of)?)\\s+${amount}`),
    read: ([a = '', as = '']) => ({ kind: 'range', min: null, max: value(a, as) }),
  },
  {
    pattern: rule(amount),
    read: ([a = '', as = '']) => ({ kind: 'count', count: value(a, as), each: false }),
  },
];

type Meaning = Quantity extends infer Q ? (Q extends Quantity ? Omit<Q, 'from' | 'to'> : never) : never;

function rule(source: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}._/-])${source}`, 'giu');
}

/** A text without any of these has no quantity. */
const telling = new RegExp(`\\d|${[...worded.keys(), ...Object.keys(days)].join('|')}`, 'iu');

function rulesFor(text: string): typeof rules {
  return telling.test(text) ? rules : [];
}

/** Numbers of one goal that are looked at; more mean no one thing. */
const quantityCountMax = 60;

/** Finds the quantities in `text`, in their order; ranges in `taken` are skipped. */
export function find(text: string, taken: readonly { from: number; to: number }[]): Quantity[] {
  const found: Quantity[] = [];
  for (const { pattern, read } of rulesFor(text)) {
    for (const match of text.matchAll(pattern)) {
      if (found.length === quantityCountMax) break;
      const [from, to] = [match.index, match.index + match[0].length];
      const free = [...taken, ...found].every((other) => to <= other.from || from >= other.to);
      const meaning = free ? read(match.slice(1).map((group) => group ?? '')) : null;
      if (meaning === null) continue;
      const tail = text.slice(to, to + 40);
      const head = text.slice(Math.max(0, from - 12), from);
      if (meaning.kind === 'count' && !isCount(meaning.count, text.charAt(to), head)) continue;
      const each =
        meaning.kind === 'count' &&
        /^\s*\S+(?:\s+\S+)?\s+(?:per|each|at each|for each|in each|from each)\b/i.test(tail);
      found.push({ ...meaning, ...(each ? { each } : {}), from, to } as Quantity);
    }
  }
  return found.sort((a, b) => a.from - b.from);
}

/** `24/7`, `401k`, `3D` and the year after "in" count nothing. */
function isCount(count: number, next: string, head: string): boolean {
  if (/[\p{L}/%.:-]/u.test(next) && next !== '.') return false;
  if (/\b(?:in|step|page|level|version|series|phase)\s+$/i.test(head)) return false;
  return (
    count >= 1 &&
    Number.isSafeInteger(count) &&
    !(count >= 1900 && count <= 2100 && /\b(?:since|after|before|of)\s+$/i.test(head))
  );
}

function money(bound: string, usd: number): Meaning {
  const word = fold(bound);
  if (new RegExp(`^(?:${above}|${notBelow})$`, 'i').test(word)) return { kind: 'range', min: usd, max: null };
  const isBudget = word === '' || new RegExp(`^(?:${below}|${notAbove})$`, 'i').test(word);
  return { kind: 'money', usd, isBudget, exclusive: new RegExp(`^${below}$`, 'i').test(word) };
}

function lasting(count: number, unit: string): Meaning {
  return { kind: 'days', days: Math.max(1, Math.round(count * (days[unit.toLowerCase()] ?? 1))) };
}

function value(number: string, scaled: string): number {
  const word = worded.get(number.toLowerCase());
  const plain = word ?? Number(number.replaceAll(',', ''));
  return plain * (scales[scaled.toLowerCase()] ?? 1);
}
