import * as Advisor from '@sluice/advisor/advisor';
import type { LoadedCatalog } from '../catalog/file.ts';
import { priceList } from '../discovery/price-list.ts';
import * as PromptRules from './goal-prompt-rules.ts';

type Offer = Advisor.Advisor['surface']['offers'][number];

/** A text that asks a language model for a file of goals, and the operations that it asks goals for. */
export type Prompt = { text: string; operations: readonly string[] };
export type Prompts = {
  prompts: readonly Prompt[];
  /** The operations whose description or parameters are cut. */
  shortened: readonly string[];
  /** The most other operations that a prompt does not list, as it would get too long. */
  unlisted: number;
};

/** More goals than for these would not fit into one answer of most assistants. */
const operationsMax = 6;
/** No prompt is longer: about 8,000 tokens, which every assistant takes at once. */
export const charsMax = 30_000;
const othersCharsMax = 8_000;
/** Characters of a line of each kind, and of the parts of one. */
const most = { summary: 120, about: 300, needs: 900, takes: 600, returns: 300, said: 90 };
const valuesMax = 5;
const makersMax = 3;
const publicUrl = 'http://localhost:4020';

/** Writes the prompts for the goals of a catalogue: one for each six operations. They are texts; nothing is sent. */
export function write({ catalog, document }: LoadedCatalog): Prompts {
  const advisor = Advisor.openAdvisor(priceList(catalog, publicUrl), document, publicUrl, ['card'], '/guide');
  const offers = new Map(advisor.surface.offers.map((offer) => [offer.operation.id, offer]));
  const all = catalog.operations.map((operation) =>
    entry(operation.id, operation.service, offers.get(operation.id), advisor.surface.offers),
  );
  const parts = Math.ceil(all.length / operationsMax);
  const size = Math.ceil(all.length / parts);
  const written = Array.from({ length: parts }, (_, part) => {
    const own = all.slice(part * size, (part + 1) * size);
    const others = listed(all.filter((one) => !own.includes(one)).map(({ line }) => line));
    const calls = own.map(({ id }) => id);
    const text = PromptRules.write(catalog.storefront.name, {
      part: { number: part + 1, of: parts },
      operations: own.map((one) => one.text),
      others: others.lines,
      calls,
      isAlone: all.length === 1,
    });
    return { text, operations: calls, unlisted: others.left };
  }).filter(({ operations }) => operations.length > 0);
  return {
    prompts: written.map(({ text, operations }) => ({ text, operations })),
    shortened: all.filter(({ isShortened }) => isShortened).map(({ id }) => id),
    unlisted: Math.max(0, ...written.map(({ unlisted }) => unlisted)),
  };
}

/** An operation in a prompt: in full, and in one line. */
type Entry = { id: string; text: string; line: string; isShortened: boolean };

function entry(
  id: string,
  service: { name: string; description: string },
  offer: Offer | undefined,
  offers: readonly Offer[],
): Entry {
  const textOf = (name: string) => offer?.texts.find((text) => text.name === name)?.text ?? '';
  const summary = cut(offer?.summary ?? service.name, most.summary);
  const about = cut(textOf('description') || service.description, most.about);
  const slots = (offer?.slots ?? []).filter(({ kind, isExclude }) => kind !== 'paging' && !isExclude);
  const needed = slots.filter(({ leaf }) => leaf.required);
  const optional = slots.filter(({ leaf }) => !leaf.required && leaf.path.length <= 3);
  const returned = (offer?.gives ?? []).map(({ path }) => nameOf(path.slice(path.lastIndexOf('*') + 1)));
  const needs = needed.map((slot) => parameter(slot, makersOf(offer, slot, offers))).join('; ');
  const parts = [
    named('Needs', needs, most.needs),
    named('Takes', optional.map((slot) => parameter(slot, [])).join('; '), most.takes),
    named('Returns', [...new Set(returned)].join(', '), most.returns),
  ];
  const lines = [
    id,
    `  ${summary.text}`,
    ...(about.text === '' ? [] : [`  About: ${about.text}`]),
    ...parts.flatMap(({ text }) => (text === '' ? [] : [`  ${text}`])),
  ];
  return {
    id,
    text: lines.join('\n'),
    line: `${id}: ${summary.text}${named('. Needs', needed.map(({ leaf }) => nameOf(leaf.path)).join(', '), most.said).text}`,
    isShortened: [summary, about, ...parts].some(({ isCut }) => isCut),
  };
}

type Part = { text: string; isCut: boolean };

function named(title: string, things: string, max: number): Part {
  const { text, isCut } = cut(things, max);
  return { text: text === '' ? '' : `${title}: ${text}`, isCut };
}

/** The operations whose responses have the value that a parameter needs. */
function makersOf(
  offer: Offer | undefined,
  slot: Offer['slots'][number],
  offers: readonly Offer[],
): string[] {
  const asked = offer?.asks.filter((ask) => ask.slot === slot) ?? [];
  const found = offer?.finders.filter(({ values }) => values.some(({ ask }) => ask.slot === slot)) ?? [];
  const makers = asked.flatMap((ask) => ask.makers).sort((a, b) => Number(b.isOwn) - Number(a.isOwn));
  const places = [...makers, ...found].map(({ at }) => at);
  return [...new Set(places)].slice(0, makersMax).flatMap((at) => offers[at]?.operation.id ?? []);
}

function parameter({ leaf, choice }: Offer['slots'][number], makers: readonly string[]): string {
  const { description, example } = leaf.schema;
  const values = choice?.values ?? [];
  const notes = [
    cut(
      typeof description === 'string' ? description.trim().replace(/\.$/, '') : '',
      leaf.required ? most.said : most.said / 2,
    ).text,
    values.length === 0
      ? ''
      : `one of ${values.slice(0, valuesMax).join(', ')}${values.length > valuesMax ? ', ...' : ''}`,
    ['string', 'number'].includes(typeof example) ? `such as ${example}` : '',
    makers.length === 0 ? '' : `found by ${makers.join(' or ')}`,
  ].flatMap((note) => (note === '' ? [] : cut(note, most.said).text));
  const name = cut(nameOf(leaf.path), most.said).text;
  return notes.length === 0 ? name : `${name} (${notes.join('; ')})`;
}

function nameOf(path: readonly string[]): string {
  return path.filter((key) => key !== '*').join('.');
}

/** Returns a text in one line, without its end where it is longer. */
function cut(text: string, max: number): Part {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max
    ? { text: line, isCut: false }
    : { text: `${line.slice(0, max - 4).trimEnd()} ...`, isCut: true };
}

/** Keeps the first lines that fit. */
function listed(lines: readonly string[]): { lines: readonly string[]; left: number } {
  let chars = 0;
  const kept = lines.filter((line) => {
    chars += line.length + 1;
    return chars <= othersCharsMax;
  });
  return { lines: kept, left: lines.length - kept.length };
}
