import { ResponseValidationError } from './errors.ts';
import type { FairUsage } from './records.ts';
import { isObject, type Reply, success } from './reply.ts';

/** A page of a list that is walked by cursor. */
export interface CursorPage<Item> {
  results: Item[];
  /** Items of this page. It may be short, or empty, and not be the last. */
  results_length: number;
  max_results: number;
  /** Names the next page; null at the end. */
  cursor: string | null;
  fair_usage: FairUsage;
}

/** A page of a list that says how long it is. */
export interface CountedPage<Item> extends CursorPage<Item> {
  /** All matches, those beyond the reach of paging included. */
  total_results: number;
}

/** A page as far as a walk is concerned. */
type AnyPage = { results: readonly unknown[] };

/** An item of a page. */
export type ItemOf<Page extends AnyPage> = Page['results'][number];

/** What a page turns into the next one's place, or null at the end. */
type Next<Fields, Page> = (sent: Fields, page: Page) => Partial<Fields> | null;

/**
 * A list: await it for the first page, iterate it for all items of all pages. Nothing is sent before that, and the first page
 * is asked for once. Each page costs what its items cost.
 *
 * ```ts
 * const page = await sluice.search.companies({ max_results: 50 });
 * for await (const company of sluice.search.companies({ max_results: 50 })) console.log(company.name);
 * ```
 */
export class PagePromise<Page extends AnyPage> implements Promise<Page>, AsyncIterable<ItemOf<Page>> {
  readonly [Symbol.toStringTag] = 'PagePromise';
  readonly #walk: (first: () => Promise<Page>) => AsyncGenerator<Page, void, undefined>;
  readonly #fetchFirst: () => Promise<Page>;
  #first: Promise<Page> | null = null;

  constructor(
    fetchFirst: () => Promise<Page>,
    walk: (first: () => Promise<Page>) => AsyncGenerator<Page, void, undefined>,
  ) {
    this.#fetchFirst = fetchFirst;
    this.#walk = walk;
  }

  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for
  then<Kept = Page, Mended = never>(
    kept?: ((page: Page) => Kept | PromiseLike<Kept>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as every promise has it
    mended?: ((fault: any) => Mended | PromiseLike<Mended>) | null,
  ): Promise<Kept | Mended> {
    return this.#page().then(kept, mended);
  }

  catch<Mended = never>(
    // biome-ignore lint/suspicious/noExplicitAny: as every promise has it
    mended?: ((fault: any) => Mended | PromiseLike<Mended>) | null,
  ): Promise<Page | Mended> {
    return this.#page().catch(mended);
  }

  finally(last?: (() => void) | null): Promise<Page> {
    return this.#page().finally(last);
  }

  /** All items, from page to page as they are wanted. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void, undefined> {
    for await (const page of this.iter_pages()) yield* page.results as ItemOf<Page>[];
  }

  /** The pages, at most `max_pages` of them, each asked for when it is wanted. */
  async *iter_pages({
    max_pages = Number.POSITIVE_INFINITY,
  }: {
    max_pages?: number;
  } = {}): AsyncGenerator<Page, void, undefined> {
    if (max_pages <= 0) return;
    let count = 0;
    for await (const page of this.#walk(() => this.#page())) {
      yield page;
      count += 1;
      if (count >= max_pages) return;
    }
  }

  /** All items in one array, at most `max_items` of them; no page is asked for that is not needed. */
  async collect({
    max_items = Number.POSITIVE_INFINITY,
  }: {
    max_items?: number;
  } = {}): Promise<ItemOf<Page>[]> {
    const items: ItemOf<Page>[] = [];
    if (max_items <= 0) return items;
    for await (const page of this.iter_pages()) {
      items.push(...page.results.slice(0, max_items - items.length));
      if (items.length >= max_items) break;
    }
    return items;
  }

  #page(): Promise<Page> {
    this.#first ??= this.#fetchFirst();
    return this.#first;
  }
}

/** A list whose pages `fetch` gets: with the caller's fields, and then with what `next` changes in them. */
export function list<Fields extends object, Page extends AnyPage>(
  fields: Fields,
  fetch: (fields: Fields, isFirst: boolean) => Promise<Page>,
  next: Next<Fields, Page>,
): PagePromise<Page> {
  // What the caller does with the fields before they are sent is not meant for this list.
  const own = { ...fields };
  return new PagePromise(
    () => fetch(own, true),
    async function* (first) {
      let sent = own;
      for (let page = await first(); ; page = await fetch(sent, false)) {
        yield page;
        const change = next(sent, page);
        if (change === null) return;
        sent = { ...sent, ...change };
      }
    },
  );
}

/** The page of a success. */
export function pageOf<Page extends AnyPage>(reply: Reply): Page {
  const page = success<Page>(reply);
  if (!isObject(page) || !Array.isArray(page.results)) {
    throw new ResponseValidationError(`HTTP ${reply.status} from ${reply.url} is no page: it has no results`);
  }
  return page;
}

/** The page after one that is walked by cursor. An empty page is not the end. */
export function byCursor(
  sent: { cursor?: string | null },
  { cursor }: { cursor?: string | null },
): { cursor: string } | null {
  if (!cursor) return null;
  if (cursor === sent.cursor) throw new ResponseValidationError(`Cursor did not advance: ${cursor}`);
  return { cursor };
}

/** The page after one that is walked by number. */
export function byNumber(
  sent: { page?: number | null },
  { results, total_pages }: { results: readonly unknown[]; total_pages?: number | null },
): { page: number } | null {
  const page = (sent.page ?? 1) + 1;
  return results.length === 0 || page > (total_pages ?? Number.POSITIVE_INFINITY) ? null : { page };
}
