import * as Sample from '../data/sample.ts';
import type { DataSet, DataSets } from '../operation.ts';
import * as LargeSearches from '../usage/large-searches.ts';
import { companies } from './companies.ts';
import { contacts } from './contacts.ts';
import * as DataSetVersions from './data-set-versions.ts';
import type { Sql } from './database.ts';
import * as Database from './database.ts';
import { jobs } from './jobs.ts';
import { people } from './people.ts';

/** Poll interval, in case the notification of a new live version is lost. */
const refreshEveryMs = 5_000;
const closeTimeoutMs = 1_000;

/** Pool for searches with many terms, with a time limit of its own, and their maximum number of terms. */
export type LargeSearchOptions = { data: Sql; termsMax: number };
export type Watch = { dataSets: DataSets; end(): Promise<void> };

/**
 * Tracks the readable data-set versions. `sql` is used for notifications and the list of versions, `data` for reading the
 * data, `large` for searches with many terms. Throws if no data set has been loaded yet.
 */
export async function watch(
  sql: Sql,
  data: Sql,
  large: LargeSearchOptions,
  cursorSecret: string,
  onFault: (error: unknown) => void,
): Promise<Watch> {
  let known = new Map<number, DataSet>();
  let live: DataSet | null = null;
  const slots = LargeSearches.createSlots();

  function dataSetWithLimits(version: DataSetVersions.DataSetVersion): DataSet {
    const largeSearches = {
      data: dataSetOf(large.data, version, cursorSecret),
      termsMax: large.termsMax,
      slots,
      isTimeLimit,
    };
    return { ...dataSetOf(data, version, cursorSecret), largeSearches };
  }

  /** Refreshes the list. While the database is unavailable, the last known list stays in use. */
  async function refresh(): Promise<void> {
    const found = await DataSetVersions.readable(sql);
    known = new Map(found.map((each) => [each.version, known.get(each.version) ?? dataSetWithLimits(each)]));
    live = known.get(found.find((each) => each.live)?.version ?? 0) ?? live;
  }
  const refreshSoon = () => void refresh().catch(onFault);

  await refresh();
  // The driver listens again after a lost connection and then calls `refreshSoon`, which finds missed changes.
  // On a connection of its own, which stays when the pool is replaced.
  const listener = Database.dedicated(sql, {});
  await listener.listen(DataSetVersions.channel, refreshSoon, refreshSoon);
  const refreshing = setInterval(refreshSoon, refreshEveryMs);
  return {
    dataSets: {
      live() {
        if (live === null) throw new Error('no data set has been loaded');
        return live;
      },
      byVersion: (version) => known.get(version) ?? null,
    },
    async end() {
      clearInterval(refreshing);
      await Database.close(listener, closeTimeoutMs);
    },
  };
}

const queryCanceled = '57014';

function isTimeLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}

function dataSetOf(
  data: Sql,
  { version, digests }: DataSetVersions.DataSetVersion,
  cursorSecret: string,
): DataSet {
  return {
    version,
    cursorSecret,
    isFictional: [digests.companies, digests.people].every(Sample.isFictional),
    companies: companies(data, version),
    people: people(data, version),
    jobs: jobs(data, version),
    contacts: contacts(data, version),
    largeSearches: null,
  };
}
