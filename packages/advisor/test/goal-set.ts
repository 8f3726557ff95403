import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as CatalogFile from '../../../src/catalog/file.ts';
import { priceList } from '../../../src/discovery/price-list.ts';
import type { Advice } from '../src/advice.ts';
import * as Advisor from '../src/advisor.ts';
import type { Question } from '../src/question.ts';

/** A goal, the operations of which any is right as the first, and the chains that answer it: each step any of several operations. */
export type Case = {
  goal: string;
  first: readonly string[];
  chains: readonly (readonly (readonly string[])[])[];
  /** The voice of the goal: a language or a kind of caller. */
  voice: string;
  /** Absent for a goal that can be answered. */
  status?: 'unsupported' | 'needs_input';
  /** The most units that it costs, where that is known. */
  unitsMax?: number;
};

/** The results over some goals. An answer is confident when it asks nothing back. */
export type Tally = {
  goals: number;
  first: number;
  chain: number;
  /** Answers that ask nothing back, and those of them that are wrong. */
  confident: number;
  wrong: number;
  /** Answers that are certain of their first call, though they may ask for a value, and those of them that are wrong. */
  certain: number;
  certainWrong: number;
};

export const guidePath = '/advisor/guide';

/** The catalogue that ships with the shop. */
export const shipped = '../../../openapi/catalog.yaml';

const statuses: Readonly<Record<string, Case['status']>> = { outside: 'unsupported', vague: 'needs_input' };

type Opened = { advisor: Advisor.Advisor; document: Record<string, unknown> };
let ofShop: Promise<Opened> | undefined;

/** Returns the advisor of a catalogue file and the parsed description that it was made from. It is trained once in each process for the shipped catalogue. */
export function advisor(file: string): Promise<Opened> {
  if (file !== shipped) return open(file);
  ofShop ??= open(file);
  return ofShop;
}

async function open(file: string): Promise<Opened> {
  const { catalog } = await CatalogFile.read(fileURLToPath(new URL(file, import.meta.url)));
  const document = parse(readFileSync(catalog.upstream.description, 'utf8'));
  const prices = priceList(catalog, 'https://shop.example');
  const rails = ['mpp', 'card'];
  return {
    advisor: Advisor.openAdvisor(prices, document, 'https://shop.example', rails, guidePath),
    document,
  };
}

/** Reads a file of goals: JSON, or lines such as `goal -> operation > operation|other [units]` with ids of the shipped description. */
export function cases(file: string, of?: Advisor.Advisor): Case[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  if (file.endsWith('.json')) {
    type Listed = {
      g: string;
      first: string[];
      chain?: string[];
      /** Several chains of which each is right. */
      chains?: string[][];
      status?: Case['status'];
      /** Further chains that are as good. */
      alt?: string[][];
      kind?: 'outside' | 'vague';
      lang?: string;
      voice?: string;
    };
    return (JSON.parse(text).goals as Listed[]).map(
      ({
        g,
        first,
        chain = [],
        alt = [],
        chains = [chain, ...alt],
        kind,
        status = statuses[kind ?? ''],
        lang,
        voice,
      }) => ({
        goal: g,
        first,
        chains: chains.filter(({ length }) => length > 0).map((steps) => steps.map((step) => [step])),
        voice: lang ?? voice ?? '',
        ...(status && { status }),
      }),
    );
  }
  const ids = new Map(of?.surface.offers.map(({ id, operation }) => [id, operation.id]));
  return text
    .split('\n')
    .filter((line) => line.includes(' -> ') && !line.startsWith('#'))
    .map((line) => {
      const [, goal = '', said = '', units = ''] = /^(.*) -> (.*) \[(\d+)\]$/.exec(line) ?? [];
      const chains = said
        .split(' or ')
        .map((chain) => chain.split(' > ').map((step) => step.split('|').map((id) => ids.get(id) ?? id)));
      return {
        goal,
        first: chains.flatMap(([first = []]) => first),
        chains,
        voice: 'en',
        unitsMax: Number(units),
      };
    });
}

export function ask(of: Advisor.Advisor, question: Partial<Question> & { goal: string }): Advice {
  const asked = Advisor.ask(of, question);
  if (asked.kind === 'fault') throw new Error(JSON.stringify(asked.faults));
  return asked.advise();
}

/** The operations of an answer, by the ids that their description gives them. */
export function chain(of: Advisor.Advisor, advice: Advice): string[] {
  return advice.operations.map(
    ({ operation }) => of.surface.offers.find((offer) => offer.operation.id === operation)?.id ?? '?',
  );
}

/** Judges one answer. */
export function judge(
  { first, chains, status }: Case,
  advice: Advice,
): { first: boolean; chain: boolean; confident: boolean; certain: boolean } {
  const confident = advice.status === 'ready' || advice.status === 'quoted';
  const certain = advice.operations.length > 0 && !(advice.questions[0] ?? '').startsWith('Is this wanted');
  const got = advice.operations.map(({ operation }) => operation);
  if (first.length === 0) {
    const accepted =
      status === 'unsupported' ? ['unsupported', 'unknown'] : ['needs_input', 'unknown', 'unsupported'];
    const right = accepted.includes(advice.status);
    return { first: right, chain: right, confident, certain };
  }
  const isFirst = first.includes(got[0] ?? '');
  const isChain = chains.length === 0 ? isFirst : chains.some((wanted) => answers(wanted, advice));
  return { first: isFirst, chain: isChain, confident, certain };
}

/** Returns true when the wanted calls are there in their order, and every other call finds a value for a later one. */
function answers(wanted: readonly (readonly string[])[], { operations }: Advice): boolean {
  const feeding = new Set(
    operations.flatMap(({ takes }) => takes.flatMap(({ from }) => from?.operation ?? [])),
  );
  let done = 0;
  for (const [at, { operation }] of operations.entries())
    if (wanted[done]?.includes(operation)) done += 1;
    else if (!feeding.has(at + 1)) return false;
  return done === wanted.length;
}

/** Scores goals in all and by voice. Calls `say` for each goal whose chain is wrong. */
export function score(
  of: Advisor.Advisor,
  listed: readonly Case[],
  say: (goal: Case, advice: Advice) => void = () => {},
): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const one of listed) {
    const advice = ask(of, { goal: one.goal });
    const { first, chain: isChain, confident, certain } = judge(one, advice);
    if (!isChain) say(one, advice);
    const groups = ['all', one.first.length === 0 ? 'not to be answered' : 'to be answered', one.voice];
    for (const group of [
      ...groups,
      ...(/^(?:de|fr|es|it|pt|nl)$/.test(one.voice) ? ['other languages'] : []),
    ]) {
      const own = tallies.get(group) ?? {
        goals: 0,
        first: 0,
        chain: 0,
        confident: 0,
        wrong: 0,
        certain: 0,
        certainWrong: 0,
      };
      tallies.set(group, own);
      own.goals += 1;
      own.first += Number(first);
      own.chain += Number(isChain);
      own.confident += Number(confident);
      own.wrong += Number(confident && !first);
      own.certain += Number(certain);
      own.certainWrong += Number(certain && !first);
    }
  }
  return tallies;
}

/** One line for each group. */
export function format(tallies: ReadonlyMap<string, Tally>): string {
  const percent = (share: number, of: number) => (of === 0 ? '-' : `${((share / of) * 100).toFixed(1)} %`);
  return [...tallies]
    .map(
      ([group, { goals, first, chain: whole, confident, wrong, certain, certainWrong }]) =>
        `${group.padEnd(20)} ${String(goals).padStart(4)} goals, first call ${percent(first, goals)}, chain ${percent(whole, goals)}, confident ${percent(confident, goals)}, of these wrong ${percent(wrong, confident)}; certain of the call ${percent(certain, goals)}, of these wrong ${percent(certainWrong, certain)}`,
    )
    .join('\n');
}
