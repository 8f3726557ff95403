import { writeFile } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as Command from '../command.ts';
import * as GoalRehearsal from '../goal-rehearsal.ts';
import * as Wait from '../wait.ts';
import * as CatalogGoalsPrompt from './catalog-goals-prompt.ts';

/** The most goals that are asked: about half a minute. */
export const askedMax = 600;
/** The kinds of mistakes and the operations with few phrases that are printed; JSON has all. */
const shownMax = 8;
/** An operation with fewer phrases is named. */
const phrasesFew = 20;
/** Shares of fewer goals are printed as counts: a percentage of them says nothing. */
const sharedMin = 10;

/**
 * Reports how well the advisor reads goals that it was not taught, or writes a draft of a file of goals, or prompts with which an assistant
 * writes one. Resolves to the exit code.
 */
export async function run(path: string, { draft, prompt, json, force }: Options): Promise<number> {
  const loaded = await CatalogFile.read(path);
  if (prompt !== undefined) return CatalogGoalsPrompt.run(loaded, prompt, { json, force });
  if (draft !== undefined) return writeDraft(draft, loaded.catalog, force);
  const phrases = phrasesOf(loaded.catalog);
  if ((loaded.catalog.goals ?? []).length === 0)
    return Command.tell(
      [
        `${path} states no goals. "sluice catalog goals --prompt prompt.txt" writes a text with which a chat assistant writes them,`,
        '"--draft goals.yaml" a file to fill in yourself.',
      ].join('\n'),
      1,
    );
  const progress = Wait.progress();
  const rehearsal = GoalRehearsal.rehearse(loaded, askedMax, json ? undefined : progress.show);
  progress.end();
  const report = { path, phrases: Object.fromEntries(phrases), ...rehearsal };
  return Command.tell(json ? JSON.stringify(report, null, 2) : inWords(path, phrases, rehearsal), 0);
}

/** `draft`, `prompt`: the file to write; `force` replaces it. */
type Options = { draft?: string | undefined; prompt?: string | undefined; json: boolean; force: boolean };
type Phrases = readonly (readonly [call: string, count: number])[];

/** The number of goals that each operation answers alone, the fewest first. */
function phrasesOf({ operations, goals = [] }: Catalog): Phrases {
  return operations
    .map(({ id }) => [id, goals.filter(({ calls }) => calls.length === 1 && calls[0] === id).length] as const)
    .sort(([, a], [, b]) => a - b);
}

function inWords(path: string, phrases: Phrases, rehearsal: GoalRehearsal.Rehearsal): string {
  const { goals, asked, firstRight, chainRight, certain, certainWrong, mistakes } = rehearsal;
  const few = phrases.filter(([, count]) => count < phrasesFew).slice(0, shownMax);
  const sample = asked < goals ? ' They are a sample, spread over all goals.' : '';
  const wrong = certain === 0 ? '' : `; of these wrong: ${share(certainWrong, certain)}`;
  return [
    `${path}: ${asked} of ${goals} goals were asked, each by an advisor that was taught others only.${sample}`,
    `First call right: ${share(firstRight, asked)}. Whole chain right: ${share(chainRight, asked)}.`,
    `Answered without a question: ${share(certain, asked)}${wrong}.`,
    '',
    'First call: the operation that a caller would call first. Whole chain: all calls, in their order, and no other.',
    'Without a question: the advisor was certain and asked nothing back; only such an answer can mislead a caller.',
    'Good: 85 % of first calls and 75 % of chains right, at most 5 % of the certain answers wrong (docs/advisor.md).',
    ...(few.length === 0 ? [] : ['', `Operations with fewer than ${phrasesFew} goals of their own:`]),
    ...few.map(([call, count]) => `  ${String(count).padStart(3)}  ${call}`),
    ...(mistakes.length === 0 ? [] : ['', 'Most frequent mistakes (write goals that show the difference):']),
    ...mistakes
      .slice(0, shownMax)
      .map(
        ({ wanted, given, goals }) =>
          `  ${String(goals.length).padStart(3)}  ${wanted} was read as ${given ?? 'nothing that is sold'}, e.g. "${goals[0]}"`,
      ),
  ].join('\n');
}

/** Returns `80 %`, or `1 of 2` where there are too few for a percentage. */
function share(count: number, of: number): string {
  return of < sharedMin ? `${count} of ${of}` : `${Math.round((count / of) * 100)} %`;
}

async function writeDraft(path: string, catalog: Catalog, force: boolean): Promise<number> {
  try {
    await writeFile(path, draftOf(catalog), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return Command.tell(`${path} exists: choose another file, or --force`, 1);
  }
  return Command.tell(
    [
      `Wrote ${path}, with the "asks" of the catalogue. Add goals, and name the file in the catalogue (goals: ${path}).`,
      'The "asks" may stay in the catalogue: goals in both places add up, and one that is in both counts once, as the file has it.',
    ].join('\n'),
    0,
  );
}

function draftOf({ operations, goals = [] }: Catalog): string {
  const listed = (calls: (own: readonly string[]) => boolean, kind = 'asked') =>
    goals.filter((goal) => goal.kind === kind && calls(goal.calls)).map(({ ask }) => JSON.stringify(ask));
  const asks = operations.flatMap(({ id }) => {
    const own = listed((calls) => calls.length === 1 && calls[0] === id);
    return [`  ${JSON.stringify(id)}:`, ...(own.length > 0 ? own : ['""']).map((ask) => `    - ${ask}`)];
  });
  const chains = goals
    .filter(({ calls }) => calls.length > 1)
    .flatMap(({ ask, calls }) => [`  - ask: ${JSON.stringify(ask)}`, `    calls: ${JSON.stringify(calls)}`]);
  const none = (kind: 'outside' | 'vague') => listed(() => true, kind).map((ask) => `  - ${ask}`);
  return [
    '# What buyers say, and the calls that answer it. "sluice catalog goals" tries it (docs/advisor.md).',
    '# 20 goals or more for each operation: terse, long, everyday words, and with the values that callers have already.',
    'asks:',
    ...asks,
    '',
    '# Several calls answer, in this order: the first one finds what the next one needs.',
    chains.length > 0 ? 'chains:' : 'chains: []',
    ...chains,
    '',
    '# Nothing that is sold answers.',
    none('outside').length > 0 ? 'outside:' : 'outside: []',
    ...none('outside'),
    '',
    '# Says too little to choose an operation.',
    none('vague').length > 0 ? 'vague:' : 'vague: []',
    ...none('vague'),
    '',
  ].join('\n');
}
