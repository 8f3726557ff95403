import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import * as CatalogFile from '../../../src/catalog/file.ts';
import { priceList } from '../../../src/discovery/price-list.ts';
import type { Advice } from '../src/advice.ts';
import * as Advisor from '../src/advisor.ts';
import type { Question } from '../src/question.ts';

/** A goal, the chains that answer it (each step any of several operations), and the most units that it costs. */
export type Case = { goal: string; chains: string[][][]; unitsMax: number };
export type Score = { cases: number; first: number; whole: number; units: number; misses: string[] };

export const guidePath = '/zeroclick/agent/guide';

/** The catalogue that ships with the shop. */
export const shipped = '../../../openapi/catalog.yaml';

/** The advisor of a catalogue file, and the parsed description that it was made from. */
export async function advisor(
  file: string,
): Promise<{ advisor: Advisor.Advisor; document: Record<string, unknown> }> {
  const catalog = await CatalogFile.load(fileURLToPath(new URL(file, import.meta.url)));
  const document = parse(readFileSync(catalog.upstream.description, 'utf8'));
  return {
    advisor: Advisor.openAdvisor(
      priceList(catalog, 'https://shop.example'),
      document,
      'https://shop.example',
      ['mpp', 'card'],
      guidePath,
    ),
    document,
  };
}

export function cases(file: string): Case[] {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
  return lines
    .filter((line) => line.includes(' -> ') && !line.startsWith('#'))
    .map((line) => {
      const [, goal = '', said = '', units = ''] = /^(.*) -> (.*) \[(\d+)\]$/.exec(line) ?? [];
      const chains = said.split(' or ').map((chain) => chain.split(' > ').map((step) => step.split('|')));
      return { goal, chains, unitsMax: Number(units) };
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

export function score(of: Advisor.Advisor, listed: readonly Case[]): Score {
  const total: Score = { cases: listed.length, first: 0, whole: 0, units: 0, misses: [] };
  for (const { goal, chains, unitsMax } of listed) {
    const advice = ask(of, { goal });
    const got = chain(of, advice);
    const isWhole = chains.some(
      (wanted) => wanted.length === got.length && wanted.every((step, at) => step.includes(got[at] ?? '')),
    );
    const isUnits = isWhole && advice.estimate.units_high === unitsMax;
    if (chains.some(([first = []]) => first.includes(got[0] ?? ''))) total.first += 1;
    if (isWhole) total.whole += 1;
    if (isUnits) total.units += 1;
    if (!isUnits)
      total.misses.push(
        `${goal}\n    got ${got.join(' > ') || advice.status} [${advice.estimate.units_high}], wanted ${chains.map((it) => it.map((step) => step.join('|')).join(' > ')).join(' or ')} [${unitsMax}]`,
      );
  }
  return total;
}
