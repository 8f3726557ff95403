import * as Described from './described.ts';
import * as Features from './features.ts';
import type * as Goal from './goal.ts';
import * as Identifier from './identifier.ts';
import * as Intents from './intents.ts';
import { fold } from './words.ts';

/** A goal, prepared for comparisons. */
export type Asked = {
  names: ReadonlyMap<string, number>;
  known: number;
  /** Its words as they are written. */
  words: ReadonlySet<string>;
  probability: Float64Array;
  identifiers: readonly Identifier.Identifier[];
  hasPoint: boolean;
  hasDate: boolean;
  hasEmail: boolean;
  hasPlace: boolean;
  literals: Goal.Goal;
  actions: ReadonlySet<string>;
  isQuestion: boolean;
  isList: boolean;
  meaningful: number;
};

const points = /-?\d{1,3}\.\d{2,}\s*[,/ ]\s*-?\d{1,3}\.\d{2,}/u;
const dates =
  /\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}\b|\b(?:yesterday|gestern|hier|ayer|ieri|ontem|gisteren|january|february|march|april|june|july|august|september|october|november|december)\b/iu;
const writes = [
  'delete',
  'cancel',
  'send',
  'buy',
  'order',
  'pay',
  'refund',
  'publish',
  'create',
  'add',
  'update',
  'rename',
  'upload',
  'subscribe',
  'unsubscribe',
  'call',
  'invite',
  'connect',
  'apply',
  'schedule',
  'assign',
  'close',
  'reopen',
  'merge',
  'approve',
  'transfer',
  'generate',
  'draw',
  'transcribe',
  'read_aloud',
  'write',
  'compose',
  'move',
  'start_run',
  'disable',
  'save',
  'reserve',
  'convert',
  'translate',
  'embed',
  'moderate',
  'summarise',
  'mark',
];
const strong = new Set(writes);
const asking =
  /^(?:what|which|who|whose|how|when|where|is|are|was|were|does|do|did|will|can|has|have|welche\w*|was|wie|wann|wo|wer|gibt|ist|sind|quel\w*|quand|ou|combien|est|que|cuando|donde|cuanto\w*|hay|quale|quali|quando|dove|quanto|c'e|qual|quais|onde|ha|welke|wat|hoe|wanneer|waar|is)$/;
/** The temperature of the common operations for a goal; below 1 they are more certain than their training, which averages over words. */
const heat = 0.35;
const unknownWeight = 0.7;
const none = () => [];

/** Prepares a goal. `text` is the original, `goal` its English reading. */
export function ask(api: Described.Api, goal: Goal.Goal, text: string): Asked {
  const tokens = Features.tokens(goal, api.concepts, none).map((token) => respelt(api, token));
  const { names, known, meaningful } = weigh(api, tokens);
  const firsts = fold(text).match(/[\p{L}']+/gu) ?? [];
  return {
    names,
    known,
    words: new Set(Described.literal(goal, api.concepts)),
    probability: Intents.probabilities(api.intents, tokens, heat),
    identifiers: Identifier.find(text, (word) => api.known.has(word)),
    hasPoint: points.test(text),
    hasDate: dates.test(text),
    hasEmail: goal.mentions.some((mention) => mention.kind === 'literal' && mention.literal.kind === 'email'),
    hasPlace: goal.mentions.some((mention) => mention.kind === 'place'),
    literals: goal,
    actions: new Set(tokens.flatMap(({ name }) => (strong.has(name) ? [name] : []))),
    isQuestion: text.includes('?') || asking.test(firsts[0] ?? ''),
    isList: tokens.some(
      ({ name, raw }) =>
        name === '@count' ||
        name === 'list' ||
        name === 'all' ||
        name === 'each' ||
        (/[^s]s$/.test(raw) && raw.length > 4),
    ),
    meaningful,
  };
}

/** The words of a goal that the API knows, each with its weight, and the share of what it says that these are. */
function weigh(
  api: Described.Api,
  tokens: readonly Features.Token[],
): Pick<Asked, 'names' | 'known' | 'meaningful'> {
  const names = new Map<string, number>();
  const own = new Set(tokens.flatMap(({ name, isStop }) => (isStop || name.startsWith('@') ? [] : [name])));
  const rarity = (name: string) => 0.3 + Math.log((api.offers.length + 1) / (api.known.get(name) ?? 1));
  let [all, found] = [0, 0];
  for (const name of own) {
    const isKnown = api.known.has(name);
    const weight = isKnown ? rarity(name) : unknownWeight;
    const near = isKnown ? name : alike(api, name);
    all += weight;
    if (near === null) continue;
    found += isKnown ? weight : weight / 2;
    if (isKnown || !names.has(near)) names.set(near, isKnown ? weight : rarity(near) / 2);
  }
  return { names, known: all === 0 ? 0 : found / all, meaningful: own.size };
}

/** A word that neither the API nor the common operations have, as the nearest one that they have. */
function respelt(api: Described.Api, token: Features.Token): Features.Token {
  if (token.isStop || !/^\p{L}{5,}$/u.test(token.name)) return token;
  if (api.known.has(token.name) || api.intents.weights.has(token.name)) return token;
  const near = nearest(token.name, [
    ...(api.byStart.get(token.name.slice(0, Described.startChars)) ?? []),
    ...(api.intents.byStart.get(token.name.slice(0, Described.startChars)) ?? []),
  ]);
  return near === null ? token : { ...token, name: near };
}

function alike(api: Described.Api, name: string): string | null {
  return name.length < 5 ? null : nearest(name, api.byStart.get(name.slice(0, Described.startChars)) ?? []);
}

/** The word with the longest common beginning, if most of both words is common or they differ in one letter. */
function nearest(word: string, among: readonly string[]): string | null {
  let best: string | null = null;
  let most = 0;
  for (const other of among) {
    let same = 0;
    while (same < word.length && word[same] === other[same]) same += 1;
    const share = same / Math.max(word.length, other.length);
    const likeness = same >= 4 && share >= 0.6 ? share : isNearlySame(word, other) ? 0.59 : 0;
    if (likeness > most) [best, most] = [other, likeness];
  }
  return best;
}

function isNearlySame(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a.length < 5) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (
    Math.max(restA.length, restB.length) <= 1 ||
    (restA.length === 2 && restA === [...restB].reverse().join(''))
  );
}
