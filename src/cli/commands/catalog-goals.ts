import { writeFile } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import * as CatalogFile from '../../catalog/file.ts';
import * as Command from '../command.ts';
import * as GoalRehearsal from '../goal-rehearsal.ts';

/** The most goals that are asked: about half a minute. */
const askedMax = 600;
/** The kinds of mistakes and the operations with few phrases that are printed; JSON has all. */
const shownMax = 8;
/** An operation with fewer phrases is named. */
const phrasesFew = 20;

/** Reports how well the advisor reads goals that it was not taught, or writes a draft of a file of goals. Resolves to the exit code. */
export async function run(path: string, { draft, json, force }: Options): Promise<number> {
  const loaded = await CatalogFile.read(path);
  if (draft !== undefined) return writeDraft(draft, loaded.catalog, force);
  const phrases = phrasesOf(loaded.catalog);
  if ((loaded.catalog.goals ?? []).length === 0)
    return Command.tell(
      `${path} states no goals. "sluice catalog goals --draft goals.yaml" writes a file to fill in.`,
      1,
    );
  const rehearsal = GoalRehearsal.rehearse(loaded, askedMax);
  const report = { path, phrases: Object.fromEntries(phrases), ...rehearsal };
  return Command.tell(json ? JSON.stringify(report, null, 2) : inWords(path, phrases, rehearsal), 0);
}

/** `draft`: the file to write; `force` replaces it. */
type Options = { draft?: string | undefined; json: boolean; force: boolean };
type Phrases = readonly (readonly [call: string, count: number])[];

/** The number of goals that each operation answers alone, the fewest first. */
function phrasesOf({ operations, goals = [] }: Catalog): Phrases {
  return operations
    .map(({ id }) => [id, goals.filter(({ calls }) => calls.length === 1 && calls[0] === id).length] as const)
    .sort(([, a], [, b]) => a - b);
}

function inWords(path: string, phrases: Phrases, rehearsal: GoalRehearsal.Rehearsal): string {
  const { asked, firstRight, chainRight, certain, certainWrong, mistakes } = rehearsal;
  const percent = (share: number, of: number) => (of === 0 ? '-' : `${Math.round((share / of) * 100)} %`);
  const few = phrases.filter(([, count]) => count < phrasesFew).slice(0, shownMax);
  return [
    `${path}: ${asked} goals were asked, each by an advisor that was not taught it.`,
    `First call right: ${percent(firstRight, asked)}. Whole chain right: ${percent(chainRight, asked)}.`,
    `Answered without a question: ${percent(certain, asked)}; of these wrong: ${percent(certainWrong, certain)}.`,
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

async function writeDraft(path: string, catalog: Catalog, force: boolean): Promise<number> {
  try {
    await writeFile(path, draftOf(catalog), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return Command.tell(`${path} exists: choose another file, or --force`, 1);
  }
  return Command.tell(
    `Wrote ${path}. Add goals, name it in the catalogue (goals: ${path}), and remove "asks" there: they are in the file now.`,
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
