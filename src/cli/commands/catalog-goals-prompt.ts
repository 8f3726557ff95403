import { writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { LoadedCatalog } from '../../catalog/file.ts';
import * as Command from '../command.ts';
import * as GoalPrompt from '../goal-prompt.ts';

const stdout = '-';

/** Writes the prompts for a catalogue to `path`, several to files with numbers, and says what to do with them. Resolves to the exit code. */
export async function run(
  loaded: LoadedCatalog,
  path: string,
  { json, force }: { json: boolean; force: boolean },
): Promise<number> {
  const written = GoalPrompt.write(loaded);
  const files = written.prompts.map((prompt, at) => ({
    path: path === stdout || written.prompts.length === 1 ? path : numbered(path, at + 1),
    characters: prompt.text.length,
    ...prompt,
  }));
  try {
    for (const file of files)
      if (path === stdout) console.log(file.text);
      else await writeFile(file.path, file.text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code, path: taken } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw error;
    return Command.tell(`${taken} exists: choose another file, or --force`, 1);
  }
  const { shortened, unlisted } = written;
  const listed = files.map(({ text: _text, ...file }) => file);
  const said = json
    ? JSON.stringify({ files: listed, shortened, unlisted }, null, 2)
    : inWords(listed, written);
  if (path === stdout) console.error(said);
  else console.log(said);
  return 0;
}

type File = { path: string; characters: number; operations: readonly string[] };

function numbered(path: string, number: number): string {
  const end = extname(basename(path));
  return `${end === '' ? path : path.slice(0, -end.length)}-${number}${end}`;
}

function inWords(files: readonly File[], { shortened, unlisted }: GoalPrompt.Prompts): string {
  const answers = files.map((_, at) => (files.length === 1 ? 'goals.yaml' : `goals-${at + 1}.yaml`));
  const named = files.length === 1 ? 'goals: goals.yaml' : `goals: [${answers.join(', ')}]`;
  const isOne = files.length === 1;
  return [
    ...files.map(
      ({ path, characters, operations }) =>
        `${path === stdout ? 'Prompt' : path}: ${operations.length} operations, ${characters.toLocaleString('en')} characters`,
    ),
    ...(shortened.length === 0
      ? []
      : [
          `Long descriptions or parameters are shortened (${shortened.length === 1 ? '1 operation' : `${shortened.length} operations`}).`,
        ]),
    ...(unlisted === 0
      ? []
      : [`In each prompt ${unlisted} of the other operations are not listed, as it would be too long.`]),
    'Nothing was sent. Next:',
    '',
    `  1. Paste ${isOne ? 'the text into' : 'each text into a new chat of'} any assistant (a language model).`,
    `  2. Save ${isOne ? 'its answer as goals.yaml' : 'the answers as goals-1.yaml, goals-2.yaml and so on'}, beside the catalogue. If an answer stops early, write "continue", and add the rest at its end.`,
    `  3. Name ${isOne ? 'the file' : 'the files'} in the catalogue (a file that is named already goes into the same list):`,
    '',
    `       ${named}`,
    '',
    '  4. "sluice catalog check" lists faults with file, line and column. Correct them, or give the lines to the assistant.',
    '  5. "sluice catalog goals" tries the goals, and names operations that need more of them.',
  ].join('\n');
}
