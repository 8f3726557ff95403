import * as Company from '../entries/company.ts';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import * as Person from '../entries/person.ts';
import * as EmailAddress from '../filters/email-address.ts';
import * as OwnKey from '../filters/own-key.ts';
import * as Copy from './copy.ts';
import * as DataSetVersions from './data-set-versions.ts';
import type { Sql } from './database.ts';
import * as ExistingEntries from './existing-entries.ts';
import * as IndexBuilder from './index-builder.ts';
import * as ReferenceResolver from './reference-resolver.ts';
import * as Staging from './staging.ts';
import * as Tables from './tables.ts';

type Given<T> = Iterable<T> | AsyncIterable<T>;
/** Entries to load. Each kind is read once, in the order of `kinds`. Kinds left out are copied from the live version. */
export type Source = { [K in Kind]?: Given<Entries[K]> };
export type LoadOptions = {
  given: Source;
  /**
   * Entries added to those given, otherwise to those of the live version, of which they update the ones with the same key.
   * Duplicates are dropped silently.
   */
  found?: Source;
  /** Drops all live entries, so that only those given and found remain. */
  dropsOthers?: boolean;
  /** Identifies the content of each given kind. The load is skipped if all of them equal those of the live version. */
  digests: DataSetVersions.Digests;
  nowMs: number;
  /** Called for each entry that is left out. `ordinal` is its index within its kind; it is the last entry that was read. */
  refused?(kind: Kind, ordinal: number, entry: unknown, field: string, reason: string): void;
  /** Called when a stage other than reading a source begins. */
  stage?(name: string): void;
  /** Called when everything is loaded but not yet live. Throw here to abort the load. */
  confirm?(): void;
};
/** Another load of the same database is still running. */
export class LoadUnderWay extends Error {}
export type Loaded = { version: number; counts: DataSetVersions.Counts };

/**
 * Creates a new data-set version from the given kinds and, for the others, from the live version, and makes it live in
 * one step. If anything throws, including a source, nothing changes. The next load cleans up after an interrupted one.
 *
 * References are resolved within the new version. A position, posting or email whose company is missing is kept without
 * the link; an email or phone number whose person is missing is refused. Of two entries with the same key the first one
 * wins. Opens five connections of its own. Throws `LoadUnderWay` if another load is running.
 */
export async function load(sql: Sql, options: LoadOptions): Promise<Loaded> {
  const loaded = await DataSetVersions.withLoadLock(sql, async () => {
    const live = await DataSetVersions.live(sql);
    const isNew = (kind: Kind) =>
      Boolean(options.given[kind] ?? options.found?.[kind]) || options.dropsOthers === true;
    if (live && kinds.every((kind) => !isNew(kind) || isSame(kind, options, live))) return live;
    const version = (live?.version ?? 0) + 1;
    await DataSetVersions.drop(sql, version);
    const digests = Object.fromEntries(
      kinds.map((kind) => [kind, (isNew(kind) ? options : live)?.digests[kind]]),
    );
    try {
      const counts = await Staging.onMaintenanceConnection(sql, (connection) =>
        new LoadRun(sql, connection, version, live?.version ?? null, options).run(),
      );
      options.confirm?.();
      await DataSetVersions.makeLive(sql, { version, digests, counts }, options.nowMs);
      return { version, counts };
    } catch (error) {
      // If the cleanup fails too, the next load repeats it.
      await DataSetVersions.drop(sql, version).catch(() => {});
      throw error;
    }
  });
  if (loaded === null)
    throw new LoadUnderWay('another load of this database is running. Try again when it has finished');
  return { version: loaded.version, counts: loaded.counts };
}

function isSame(kind: Kind, { digests }: LoadOptions, live: DataSetVersions.DataSetVersion): boolean {
  return digests[kind] !== undefined && digests[kind] === live.digests[kind];
}

/** One load: reads the kinds in order and fills their partitions. */
class LoadRun {
  readonly #sql: Sql;
  readonly #connection: Sql;
  readonly #version: number;
  readonly #before: number | null;
  readonly #options: LoadOptions;
  readonly #ordinals = new Map<Kind, number>();
  #isReadingFound = false;

  constructor(sql: Sql, connection: Sql, version: number, before: number | null, options: LoadOptions) {
    this.#sql = sql;
    this.#connection = connection;
    this.#version = version;
    this.#before = before;
    this.#options = options;
  }

  async run(): Promise<DataSetVersions.Counts> {
    const builder = await IndexBuilder.start(this.#sql, this.#version);
    try {
      const counts = await this.#read(builder);
      this.#options.stage?.('Building indexes');
      await builder.end();
      return counts;
    } catch (error) {
      // Wait for the index builds: their tables cannot be dropped before.
      await builder.abandon();
      throw error;
    }
  }

  async #read(builder: IndexBuilder.IndexBuilder): Promise<DataSetVersions.Counts> {
    const found = this.#options.found?.companies;
    const references = await ReferenceResolver.resolveCompanies(
      this.#entries('companies'),
      (...refusal) => this.#refuse('companies', ...refusal),
      found ? { entries: found, isNewer: !this.#options.given.companies } : null,
    );
    const filled = async (rows: Promise<number>, ...tables: Staging.TableName[]) => {
      const count = await rows;
      for (const table of tables) builder.add(table);
      return count;
    };
    return {
      companies: await filled(this.#companies(references), 'company', 'company_domain'),
      people: await filled(this.#people(references), 'person'),
      jobs: await filled(this.#jobs(references), 'job'),
      emails: await filled(this.#emails(references), 'email'),
      phones: await filled(this.#phones(references), 'phone'),
    };
  }

  async #companies({ companies }: ReferenceResolver.References): Promise<number> {
    const rows = await this.#fill(Tables.company, async (write) => {
      for (const company of companies) await write(company);
    });
    await this.#fill(Tables.companyDomain, async (write) => {
      for (const { id, entry } of companies)
        for (const [rank, domain] of Company.domainsOf(entry).entries())
          await write({ domain, companyId: id, rank });
    });
    return rows;
  }

  #people(references: ReferenceResolver.References): Promise<number> {
    const idOf = ReferenceResolver.personIds();
    return this.#fill(Tables.person, async (write) => {
      for await (const entry of this.#entries('people')) {
        const slug = Person.slugIn(entry.network_url);
        if (references.people.has(slug)) {
          this.#refuse(
            'people',
            entry,
            'network_url',
            `Duplicate person: an earlier row has the same ${ReferenceResolver.sameAs(slug)}`,
          );
          continue;
        }
        const id = idOf(entry.connections_count);
        references.people.set(slug, id);
        relink(entry, references);
        const company = references.companyOf(Person.currentPosition(entry)?.company_network_url ?? null);
        await write({ id, slug, entry, company });
      }
    });
  }

  #jobs(references: ReferenceResolver.References): Promise<number> {
    const seen = new Set<number>();
    return this.#fill(Tables.job, async (write) => {
      for await (const entry of this.#entries('jobs')) {
        if (seen.has(entry.id)) {
          this.#refuse('jobs', entry, 'id', 'Duplicate posting: an earlier row has the same id');
          continue;
        }
        seen.add(entry.id);
        await write({ entry, company: references.companyOf(entry.company_network_url) });
      }
    });
  }

  #emails(references: ReferenceResolver.References): Promise<number> {
    const seen = new Set<string>();
    return this.#fill(Tables.email, async (write) => {
      for await (const entry of this.#contacts('emails', references)) {
        const email = EmailAddress.parse(entry.email) ?? entry.email;
        const personId = this.#personOf('emails', references, entry, seen, email);
        if (personId === null) continue;
        const company = references.companyOf(entry.company_network_url);
        await write({ entry, email, personId, company, verifiedAt: this.#past(entry.verified_at) });
      }
    });
  }

  /** Returns the moment if it is in the past, otherwise null: a verification in the future does not count. */
  #past(moment: string | null): string | null {
    return moment !== null && Date.parse(moment) <= this.#options.nowMs ? moment : null;
  }

  #phones(references: ReferenceResolver.References): Promise<number> {
    const seen = new Set<string>();
    return this.#fill(Tables.phone, async (write) => {
      for await (const entry of this.#contacts('phones', references)) {
        const personId = this.#personOf('phones', references, entry, seen, entry.phone);
        if (personId === null) continue;
        await write({ entry, personId });
      }
    });
  }

  /** Id of the person of a contact. Refuses the entry and returns null if the person is missing or has the contact already. */
  #personOf(
    kind: 'emails' | 'phones',
    { people }: ReferenceResolver.References,
    entry: { person_network_url: string },
    seen: Set<string>,
    contact: string,
  ): number | null {
    const personId = people.get(Person.slugIn(entry.person_network_url));
    const key = `${personId} ${contact}`;
    if (personId !== undefined && !seen.has(key)) {
      seen.add(key);
      return personId;
    }
    if (personId === undefined)
      this.#refuse(
        kind,
        entry,
        'person_network_url',
        'Unknown person: import the person in the same or an earlier import',
      );
    else
      this.#refuse(
        kind,
        entry,
        kind === 'emails' ? 'email' : 'phone',
        'Duplicate: an earlier row gives the same contact to this person',
      );
    return null;
  }

  #fill<T>(table: Copy.Table<T>, through: (write: (record: T) => Promise<void>) => Promise<void>) {
    return Copy.fill(this.#connection, this.#version, table, through);
  }

  /**
   * Contacts: those given, then those found in rows of people. Without given ones, those found come first, followed by the
   * live ones of the people for whom none was found.
   */
  async *#contacts<K extends 'emails' | 'phones'>(
    kind: K,
    { people }: ReferenceResolver.References,
  ): AsyncGenerator<Entries[K]> {
    const found = this.#options.found?.[kind] as Given<Entries[K]> | undefined;
    if (this.#options.given[kind]) yield* this.#entries(kind);
    const updated = new Set<number | undefined>();
    this.#isReadingFound = true;
    for await (const entry of found ?? []) {
      updated.add(people.get(Person.slugIn(entry.person_network_url)));
      yield entry;
    }
    this.#isReadingFound = false;
    if (this.#options.given[kind]) return;
    for await (const entry of this.#entries(kind)) {
      if (!updated.has(people.get(Person.slugIn(entry.person_network_url)))) yield entry;
    }
  }

  /** Entries of a kind: those given, otherwise those of the live version. Counts them for `refused`. */
  async *#entries<K extends Kind>(kind: K): AsyncGenerator<Entries[K]> {
    const given = this.#options.given[kind] as Given<Entries[K]> | undefined;
    let ordinal = 0;
    const before = this.#options.dropsOthers ? null : this.#before;
    if (!given && before !== null) this.#options.stage?.(`Copying existing ${kind}`);
    const entries = given ?? (before === null ? [] : ExistingEntries.entries(this.#sql, before, kind));
    for await (const entry of entries) {
      this.#ordinals.set(kind, ordinal++);
      yield entry;
    }
  }

  #refuse(kind: Kind, entry: unknown, field: string, reason: string): void {
    // Existing entries are dropped silently: they were valid, and only lost the entry that they referred to.
    if (this.#options.given[kind] && !this.#isReadingFound)
      this.#options.refused?.(kind, this.#ordinals.get(kind) ?? 0, entry, field, reason);
  }
}

/** Replaces keys of companies without a network address by the addresses of the companies that they turned out to be. */
function relink(entry: Person.PersonEntry, references: ReferenceResolver.References): void {
  for (const position of entry.experiences) {
    if (!position.company_network_url?.startsWith(OwnKey.urnStart)) continue;
    const company = references.companyOf(position.company_network_url);
    if (company !== null) position.company_network_url = company.entry.network_url;
  }
}
