import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as GoalSet from './goal-set.ts';

// node packages/advisor/test/score.ts [--catalog FILE] [--misses] GOALS.json...
// Prints how well the advisor answers goals. With --misses the goals are shown: a file of unseen goals is no longer unseen then.
const usage = 'Usage: node packages/advisor/test/score.ts [--catalog FILE] [--misses] GOALS.json...\n';
const { values, positionals } = read();
if (values.help || positionals.length === 0) {
  process.stdout.write(usage);
  process.exit(values.help ? 0 : 1);
}
const address = (file: string) => pathToFileURL(resolve(file)).href;
const { advisor } = await GoalSet.advisor(values.catalog ? address(values.catalog) : GoalSet.shipped);
const from = performance.now();
advisor.surface.reader();
process.stdout.write(`trained in ${Math.round(performance.now() - from)} ms\n`);
for (const file of positionals) {
  const listed = GoalSet.cases(address(file), advisor);
  const tallies = GoalSet.score(advisor, listed, ({ goal, first, chains }, { status, operations }) => {
    if (!values.misses) return;
    const wanted = JSON.stringify(chains.length > 0 ? chains : first);
    const got = operations.map(({ operation }) => operation).join(' > ');
    process.stdout.write(`- ${goal}\n    ${status}: ${got}; wanted ${wanted}\n`);
  });
  process.stdout.write(`${file}\n${GoalSet.format(tallies)}\n`);
}

function read() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        catalog: { type: 'string' },
        misses: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    process.exit(1);
  }
}
