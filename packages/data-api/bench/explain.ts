import { readFile } from 'node:fs/promises';
import type { BenchCase } from './measure.ts';
import * as Program from './program.ts';

const settings = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '1ms',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
};

/**
 * Runs each query twice and returns, by query name, the plans that PostgreSQL logged for statements of 1 ms and more.
 * Plans that appear only once belong to counts, which are cached after the first run.
 */
export async function plans(
  databaseUrl: string,
  logFile: string,
  cases: readonly BenchCase[],
): Promise<Map<string, string[]>> {
  const url = new URL(databaseUrl);
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
  const program = await Program.start(url.href);
  try {
    const found = new Map<string, string[]>();
    for (const { query, body } of cases) {
      const before = (await readFile(logFile)).length;
      for (let time = 1; time <= 2; time++) await program.ask(query.path, body);
      const said = (await readFile(logFile)).subarray(before).toString();
      found.set(query.name, entries(said));
    }
    return found;
  } finally {
    await program.stop();
  }
}

/** Entries of a log. Continuation lines begin with a tab. */
function entries(said: string): string[] {
  return said
    .split(/^(?=\d{4}-)/m)
    .filter((entry) => entry.includes(' plan:'))
    .map((entry) => entry.replace(/^.*?duration/, 'duration').trimEnd());
}
