import * as Company from '../entries/company.ts';
import { type Entries, type Kind, kinds } from '../entries/kind.ts';
import * as Person from '../entries/person.ts';
import * as EmailAddress from '../filters/email-address.ts';
import * as Carried from './carried.ts';
import * as Copy from './copy.ts';
import type { Sql } from './database.ts';
import * as Generations from './generations.ts';
import * as IndexBuilder from './index-builder.ts';
import * as Links from './links.ts';
import * as Staging from './staging.ts';
import * as Tables from './tables.ts';

type Given<T> = Iterable<T> | AsyncIterable<T>;
/** What is brought. Each is gone through once, in the order of `kinds`; what is left out stays as it is. */
export type Source = { [K in Kind]?: Given<Entries[K]> };
export type Load = {
  given: Source;
  /** Names the content of each given kind: what is live under the same names is not loaded again. */
  digests: Generations.Digests;
  nowMs: number;
  /** Hears of an entry that is left out: the `ordinal`-th of its kind, from 0, while it is the last that was taken. */
  refused?(kind: Kind, ordinal: number, entry: unknown, field: string, reason: string): void;
  /** Hears what is done next, of what is not the reading of a source. */
  stage?(name: string): void;
  /** Asked when everything is in its place but cannot be seen yet; what it throws gives the load up. */
  confirm?(): void;
};
/** Another load of the same database has not ended yet. */
export class LoadUnderWay extends Error {}
export type Loaded = { generation: number; counts: Generations.Counts };

/**
 * Makes a new generation of what is given and, where a kind is not, of what the live one holds; then puts it in the
 * live one's place in one step. Whatever is thrown on the way, by a source too, leaves all as it was, and a load that
 * is cut off is cleared away by the next. Links are resolved within the new generation: a position, posting or address
 * of a company that is not in it stands by itself, an address or number of a person who is not is refused, and of two
 * entries with the same key the first one wins. Opens five connections of its own. Throws `LoadUnderWay` where there is
 * another.
 */
export async function load(sql: Sql, wishes: Load): Promise<Loaded> {
  const loaded = await Generations.alone(sql, async () => {
    const live = await Generations.live(sql);
    if (live && kinds.every((kind) => !wishes.given[kind] || isSame(kind, wishes, live))) return live;
    const generation = (live?.generation ?? 0) + 1;
    await Generations.drop(sql, generation);
    const digests = Object.fromEntries(
      kinds.map((kind) => [kind, (wishes.given[kind] ? wishes : live)?.digests[kind]]),
    );
    try {
      const counts = await Staging.patient(sql, (connection) =>
        new Loading(sql, connection, generation, live?.generation ?? null, wishes).run(),
      );
      wishes.confirm?.();
      await Generations.takeOver(sql, { generation, digests, counts }, wishes.nowMs);
      return { generation, counts };
    } catch (error) {
      // Should even this fail, the next load clears it away.
      await Generations.drop(sql, generation).catch(() => {});
      throw error;
    }
  });
  if (loaded === null) throw new LoadUnderWay('another load of this database is under way');
  return { generation: loaded.generation, counts: loaded.counts };
}

function isSame(kind: Kind, { digests }: Load, live: Generations.Generation): boolean {
  return digests[kind] !== undefined && digests[kind] === live.digests[kind];
}

/** One load on its way through the kinds. */
class Loading {
  readonly #sql: Sql;
  readonly #connection: Sql;
  readonly #generation: number;
  readonly #before: number | null;
  readonly #wishes: Load;
  readonly #ordinals = new Map<Kind, number>();

  constructor(sql: Sql, connection: Sql, generation: number, before: number | null, wishes: Load) {
    this.#sql = sql;
    this.#connection = connection;
    this.#generation = generation;
    this.#before = before;
    this.#wishes = wishes;
  }

  async run(): Promise<Generations.Counts> {
    const builder = await IndexBuilder.start(this.#sql, this.#generation);
    try {
      const counts = await this.#read(builder);
      this.#wishes.stage?.('Building indexes');
      await builder.end();
      return counts;
    } catch (error) {
      // Nothing is dropped while it is worked on.
      await builder.abandon();
      throw error;
    }
  }

  async #read(builder: IndexBuilder.IndexBuilder): Promise<Generations.Counts> {
    const links = await Links.companies(this.#entries('companies'), (...refusal) =>
      this.#refuse('companies', ...refusal),
    );
    const filled = async (rows: Promise<number>, ...tables: Staging.TableName[]) => {
      const count = await rows;
      for (const table of tables) builder.add(table);
      return count;
    };
    return {
      companies: await filled(this.#companies(links), 'company', 'company_domain'),
      people: await filled(this.#people(links), 'person'),
      jobs: await filled(this.#jobs(links), 'job'),
      emails: await filled(this.#emails(links), 'email'),
      phones: await filled(this.#phones(links), 'phone'),
    };
  }

  async #companies({ companies }: Links.Links): Promise<number> {
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

  #people(links: Links.Links): Promise<number> {
    const idOf = Links.personIds();
    return this.#fill(Tables.person, async (write) => {
      for await (const entry of this.#entries('people')) {
        const slug = Person.slugIn(entry.network_url);
        if (links.people.has(slug)) {
          this.#refuse('people', entry, 'network_url', 'This person is there already');
          continue;
        }
        const id = idOf(entry.connections_count);
        links.people.set(slug, id);
        const company = links.companyOf(Person.currentPosition(entry)?.company_network_url ?? null);
        await write({ id, slug, entry, company });
      }
    });
  }

  #jobs(links: Links.Links): Promise<number> {
    const seen = new Set<number>();
    return this.#fill(Tables.job, async (write) => {
      for await (const entry of this.#entries('jobs')) {
        if (seen.has(entry.id)) {
          this.#refuse('jobs', entry, 'id', 'This posting is there already');
          continue;
        }
        seen.add(entry.id);
        await write({ entry, company: links.companyOf(entry.company_network_url) });
      }
    });
  }

  #emails(links: Links.Links): Promise<number> {
    const seen = new Set<string>();
    return this.#fill(Tables.email, async (write) => {
      for await (const entry of this.#entries('emails')) {
        const email = EmailAddress.parse(entry.email) ?? entry.email;
        const personId = this.#personOf('emails', links, entry, seen, email);
        if (personId === null) continue;
        const company = links.companyOf(entry.company_network_url);
        await write({ entry, email, personId, company, verifiedAt: this.#past(entry.verified_at) });
      }
    });
  }

  /** A moment that has been: what is verified only tomorrow is not verified. */
  #past(moment: string | null): string | null {
    return moment !== null && Date.parse(moment) <= this.#wishes.nowMs ? moment : null;
  }

  #phones(links: Links.Links): Promise<number> {
    const seen = new Set<string>();
    return this.#fill(Tables.phone, async (write) => {
      for await (const entry of this.#entries('phones')) {
        const personId = this.#personOf('phones', links, entry, seen, entry.phone);
        if (personId === null) continue;
        await write({ entry, personId });
      }
    });
  }

  /** The person of a contact; null where there is none, or who has it already, of which is told. */
  #personOf(
    kind: 'emails' | 'phones',
    { people }: Links.Links,
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
    if (personId === undefined) this.#refuse(kind, entry, 'person_network_url', 'No such person in the data');
    else this.#refuse(kind, entry, kind === 'emails' ? 'email' : 'phone', 'The person has it already');
    return null;
  }

  #fill<T>(table: Copy.Table<T>, through: (write: (record: T) => Promise<void>) => Promise<void>) {
    return Copy.fill(this.#connection, this.#generation, table, through);
  }

  /** What is given of a kind, counted; else what the generation before holds of it. */
  async *#entries<K extends Kind>(kind: K): AsyncGenerator<Entries[K]> {
    const given = this.#wishes.given[kind] as Given<Entries[K]> | undefined;
    let ordinal = 0;
    if (!given && this.#before !== null) this.#wishes.stage?.(`Carrying over ${kind}`);
    const entries = given ?? (this.#before === null ? [] : Carried.entries(this.#sql, this.#before, kind));
    for await (const entry of entries) {
      this.#ordinals.set(kind, ordinal++);
      yield entry;
    }
  }

  #refuse(kind: Kind, entry: unknown, field: string, reason: string): void {
    // What is carried over was taken once, and may have lost only whom it was linked to.
    if (this.#wishes.given[kind])
      this.#wishes.refused?.(kind, this.#ordinals.get(kind) ?? 0, entry, field, reason);
  }
}
