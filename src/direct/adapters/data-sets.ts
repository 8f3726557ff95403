import type { DataSet, DataSets } from '../operation.ts';
import { companies } from './companies.ts';
import { contacts } from './contacts.ts';
import type { Sql } from './database.ts';
import * as Generations from './generations.ts';
import { jobs } from './jobs.ts';
import { people } from './people.ts';

/** How long another generation may be live without this process knowing, should its announcement be lost. */
const lookEveryMs = 5_000;

export type Watch = { dataSets: DataSets; end(): Promise<void> };

/**
 * The generations that requests may be answered from, followed as they come and go. `sql` is where the news are, `data`
 * where the data are read. Throws where nothing was loaded yet.
 */
export async function watch(
  sql: Sql,
  data: Sql,
  cursorSecret: string,
  onFault: (error: unknown) => void,
): Promise<Watch> {
  let known = new Map<number, DataSet>();
  let live: DataSet | null = null;

  /** Where the database is out of reach, what was known stays known. */
  async function look(): Promise<void> {
    const found = await Generations.readable(sql);
    known = new Map(
      found.map(({ generation }) => [
        generation,
        known.get(generation) ?? open(data, generation, cursorSecret),
      ]),
    );
    live = known.get(found.find((each) => each.live)?.generation ?? 0) ?? live;
  }
  const lookSoon = () => void look().catch(onFault);

  await look();
  // Listening begins anew by itself where the connection is lost, and looks then for what was missed.
  const listening = await sql.listen(Generations.channel, lookSoon, lookSoon);
  const looking = setInterval(lookSoon, lookEveryMs);
  return {
    dataSets: {
      live() {
        if (live === null) throw new Error('no data set was loaded');
        return live;
      },
      of: (generation) => known.get(generation) ?? null,
    },
    async end() {
      clearInterval(looking);
      await listening.unlisten().catch(() => {});
    },
  };
}

function open(data: Sql, generation: number, cursorSecret: string): DataSet {
  return {
    generation,
    cursorSecret,
    companies: companies(data, generation),
    people: people(data, generation),
    jobs: jobs(data, generation),
    contacts: contacts(data, generation),
  };
}
