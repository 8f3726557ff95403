/** Maximum numbers in the prose of a description, such as "max 120", "at most 366 days" or "up to ten places". */

const words = [
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  ),
  'ten twenty thirty forty fifty sixty seventy eighty ninety hundred'.split(' '),
] as const;
const spelled = new Map<string, number>([
  ...words[1].map((word, at) => [word, (at + 1) * 10] as const),
  ...words[0].map((word, at) => [word, at + 1] as const),
]);
/** Minutes in each period, in the longest form. */
const minutes: Readonly<Record<string, number>> = {
  minute: 1,
  hour: 60,
  day: 24 * 60,
  week: 7 * 24 * 60,
  month: 31 * 24 * 60,
  year: 366 * 24 * 60,
};
/** The beginning of a description that is read. */
const proseCharsMax = 5_000;
const adverbs: Readonly<Record<string, string>> = { dai: 'day', annual: 'year' };

const tens = words[1].slice(1, -1).join('|');
const number = `(?<number>\\d{1,3}(?:[,_]\\d{3}){1,2}|\\d{1,9}|(?:${tens})[ -](?:${words[0].slice(0, 9).join('|')})|(?:(?:a|one) )?(?:hundred|thousand)|${[...spelled.keys()].join('|')})`;
const value = `[\\s:=("'\`*]{0,6}(?<![\\w.])${number}(?!\\w|[.,]\\d|-\\d| ?%| (?:hundred|thousand|million))`;
const before =
  "(?:up to|at most|(?:no|not) (?:more|greater|larger|higher) than|max(?:imum|imal|\\.)?(?: (?:of|is|value|number|allowed|limit|size))*|(?:can ?not|can't|must not|may not|not) exceed|exceeds?|limited to|(?:upper )?limit (?:of|is)|capped at|less than or equal to|<=|≤|between \\d{1,4} and|(?<![\\w-])\\d{1,4} ?(?:-|–|to|\\.\\.+|and) ?)";
const after = '[\\s`*"\']*(?:max(?:imum)?\\b|at most|or (?:fewer|less))';
const generic = '(?:results?|items?|records?|entry|entries|rows?|objects?|hits?|matches)';
const perCall =
  '(?:per|in one|in a|in each|for each|at) (?:single )?(?:page|call|request|response|answer|query|time|once)';

/** Returns the largest number that a parameter's own prose states as its maximum, or null. */
export function ofParameter(prose: string): number | null {
  return largest([prose], [new RegExp(`${before}${value}`, 'gi'), new RegExp(`${value}${after}`, 'gi')]);
}

/** Returns the number that a parameter's own prose states as its default, or null. */
export function defaultOfParameter(prose: string): number | null {
  return largest([prose], [new RegExp(`\\bdefaults?(?: (?:to|is|value|of))*${value}`, 'gi')]);
}

/** The largest numbers for a list in the prose of its operation. `most`: stated as a maximum; `mentioned`: beside its name, such as "the next 90 minutes". */
export type ListLimits = { most: number | null; mentioned: number | null };

/** Reads the prose about an operation for the number of items in the list `name`. Longer periods are converted: five days of hours are 120. */
export function ofList(proses: readonly string[], name: string, path: string): ListLimits {
  const period = periodOf(name) ?? periodOf(path.split('/').at(-1) ?? '');
  const noun = singular(name);
  const nouns = noun === '' ? [] : [`${escaped(noun)}(?:s|es)?`, escaped(name)];
  const gap = '(?:[ -](?!per\\b)\\w{1,30}){0,2}?[ -]';
  const phrased = `${before}${value}`;
  const most = [
    ...patterns(phrased, gap, [generic, ...nouns]),
    new RegExp(`${phrased}(?:[ -]\\w{1,30}){0,2}? ${perCall}`, 'gi'),
  ];
  const times = period === null ? [] : Object.keys(minutes).filter((unit) => ratio(unit, period) !== null);
  const converted = times.map((unit) => {
    const found = largest(proses, patterns(phrased, '[ -]', [`(?:calendar )?${unit}s?`]));
    return found === null ? 0 : found * (ratio(unit, period ?? unit) ?? 0);
  });
  const stated = Math.max(largest(proses, most) ?? 0, ...converted);
  const own = [...nouns, ...(period === null ? [] : [`${period}s?`])];
  return { most: stated > 0 ? stated : null, mentioned: largest(proses, patterns(value, gap, own)) };
}

/** Returns how many items of a list of `name` each period of a parameter is, such as 24 hours for `days`; null if it has no period. */
export function periodsIn(parameter: string, name: string, path: string): number | null {
  const own = /s$/.test(parameter) ? periodOf(parameter) : null;
  const period = periodOf(name) ?? periodOf(path.split('/').at(-1) ?? '');
  return own === null || period === null ? null : ratio(own, period);
}

/** Returns how many of the shorter period are in the longer one, or null when `unit` is the shorter. */
function ratio(unit: string, period: string): number | null {
  const count = (minutes[unit] ?? 0) / (minutes[period] ?? 1);
  return count >= 1 ? Math.ceil(count) : null;
}

/** Returns the period that a name ends with: `forecast_days`, `daily`, `hours`. */
function periodOf(name: string): string | null {
  const last =
    name
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word !== '')
      .at(-1) ?? '';
  const stem = last.replace(/ly$|s$/, '');
  const period = adverbs[stem] ?? stem;
  return minutes[period] === undefined ? null : period;
}

function patterns(phrase: string, gap: string, nouns: readonly string[]): RegExp[] {
  return nouns.map((noun) => new RegExp(`${phrase}${gap}${noun}\\b`, 'gi'));
}

function largest(proses: readonly string[], forms: readonly RegExp[]): number | null {
  const found = proses.flatMap((prose) =>
    forms.flatMap((form) =>
      [...prose.slice(0, proseCharsMax).matchAll(form)].map(({ groups }) => numberOf(groups?.number ?? '')),
    ),
  );
  return found.length === 0 ? null : Math.max(...found);
}

function numberOf(said: string): number {
  if (/^\d/.test(said)) return Number(said.replace(/[,_]/g, ''));
  const parts = said.toLowerCase().split(/[ -]/);
  if (parts.includes('thousand')) return 1_000;
  if (parts.includes('hundred')) return 100;
  return parts.reduce((sum, part) => sum + (spelled.get(part) ?? 0), 0);
}

function singular(name: string): string {
  const last =
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word !== '')
      .at(-1) ?? '';
  return last.replace(/ies$/, 'y').replace(/s$/, '');
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}
