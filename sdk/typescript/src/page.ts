import { ResponseValidationError, SluiceError } from './errors.ts';
import type { FairUsage } from './records.ts';
import { isObject, type Reply, success } from './reply.ts';

/** A page of a list with cursors. */
export interface CursorPage<Item> {
  results: Item[];
  /** Number of items on this page. A short or empty page is not necessarily the last. */
  results_length: number;
  max_results: number;
  /** Cursor of the next page; null at the end. */
  cursor: string | null;
  fair_usage: FairUsage;
}

/** A page of a list with a total. */
export interface CountedPage<Item> extends CursorPage<Item> {
  /** Number of all matches, including those beyond the last page. */
  total_results: number;
}

/** The part of a page that iteration needs. */
type AnyPage = { results: readonly unknown[]; cursor?: string | null };

/** An item of a page. */
export type ItemOf<Page extends AnyPage> = Page['results'][number];

/** Number of items that are still wanted. */
type Wanted = { left: number };

/** Iterates over the pages. */
type Walk<Page> = (first: () => Promise<Page>, wanted: Wanted) => AsyncGenerator<Page, void, undefined>;

/** Items of a page when the caller does not say how many. */
const sizeByDefault = 10;

/** Returns the changed fields for the next page, or null at the end. */
type Next<Fields, Page> = (sent: Fields, page: Page) => Partial<Fields> | null;

/**
 * A list: await it for the first page, iterate it for all items of all pages. Nothing is sent before that, and the first page
 * is requested once: `collect` with `max_items` may have requested a shorter one. Each page costs what its items cost.
 *
 * ```ts
 * const page = await sluice.search.companies({ max_results: 50 });
 * for await (const company of sluice.search.companies({ max_results: 50 })) console.log(company.name);
 * ```
 */
export class PagePromise<Page extends AnyPage> implements Promise<Page>, AsyncIterable<ItemOf<Page>> {
  readonly [Symbol.toStringTag] = 'PagePromise';
  readonly #walk: Walk<Page>;
  readonly #fetchFirst: (wanted: number) => Promise<Page>;
  #first: Promise<Page> | null = null;

  constructor(fetchFirst: (wanted: number) => Promise<Page>, walk: Walk<Page>) {
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

  /** Iterates over all items of all pages, fetching pages as needed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void, undefined> {
    for await (const page of this.iter_pages()) yield* page.results as ItemOf<Page>[];
  }

  /** Iterates over at most `max_pages` pages, fetching each as needed. */
  async *iter_pages({
    max_pages = Number.POSITIVE_INFINITY,
  }: {
    max_pages?: number;
  } = {}): AsyncGenerator<Page, void, undefined> {
    if (max_pages <= 0) return;
    let count = 0;
    for await (const page of this.#walk(() => this.#page(), { left: Number.POSITIVE_INFINITY })) {
      yield page;
      count += 1;
      if (count >= max_pages) return;
    }
  }

  /**
   * Returns at most `max_items` items as an array. Of a list with cursors it requests no more items than that, so no more are charged.
   * If a page fails, the error has the items so far as `partial`.
   */
  async collect({
    max_items = Number.POSITIVE_INFINITY,
  }: {
    max_items?: number;
  } = {}): Promise<ItemOf<Page>[]> {
    const items: ItemOf<Page>[] = [];
    if (max_items <= 0) return items;
    let cursor: string | null = null;
    const wanted = { left: max_items };
    try {
      for await (const page of this.#walk(() => this.#page(max_items), wanted)) {
        items.push(...page.results.slice(0, wanted.left));
        cursor = page.cursor ?? null;
        wanted.left = max_items - items.length;
        if (wanted.left <= 0) break;
      }
    } catch (fault) {
      if (fault instanceof SluiceError) fault.partial = { items, cursor };
      throw fault;
    }
    return items;
  }

  /** Requests the first page with at most `wanted` items, unless it has been requested. One that failed is requested again. */
  #page(wanted = Number.POSITIVE_INFINITY): Promise<Page> {
    if (this.#first !== null) return this.#first;
    const first = this.#fetchFirst(wanted);
    first.catch(() => {
      this.#first = null;
    });
    this.#first = first;
    return first;
  }
}

/** Creates a list. `fetch` gets each page: first with the caller's fields, then with the changes that `next` returns. */
export function list<Fields extends object, Page extends AnyPage>(
  fields: Fields,
  fetch: (fields: Fields, isFirst: boolean) => Promise<Page>,
  next: Next<Fields, Page>,
): PagePromise<Page> {
  // Copy the fields: later changes by the caller must not affect this list.
  const own = { ...fields };
  // Pages with numbers must all have the same size, and account lists have a fixed one; after other cursors, any size is right.
  const cut = (changed: Fields, left: number) => (hasCursors(next) ? atMost(changed, left) : changed);
  return new PagePromise(
    (wanted) => fetch(cut(own, wanted), true),
    async function* (first, wanted) {
      let sent = own;
      for (let page = await first(); ; page = await fetch(cut(sent, wanted.left), false)) {
        yield page;
        const change = next(sent, page);
        if (change === null) return;
        sent = { ...sent, ...change };
      }
    },
  );
}

function hasCursors(next: unknown): boolean {
  return next === byCursor;
}

/** Returns fields that request at most `left` items. */
function atMost<Fields extends { max_results?: number | null }>(fields: Fields, left: number): Fields {
  return left < (fields.max_results ?? sizeByDefault) ? { ...fields, max_results: left } : fields;
}

/** Returns the page in a successful response. */
export function pageOf<Page extends AnyPage>(reply: Reply): Page {
  const page = success<Page>(reply);
  if (!isObject(page) || !Array.isArray(page.results)) {
    throw new ResponseValidationError(
      `HTTP ${reply.status} from ${reply.url} is not a page: it has no results`,
    );
  }
  return page;
}

/** Returns the cursor of the next page. An empty page is not the end. */
export function byCursor(
  sent: { cursor?: string | null },
  { cursor }: { cursor?: string | null },
): { cursor: string } | null {
  if (!cursor) return null;
  if (cursor === sent.cursor) throw new ResponseValidationError(`Cursor did not advance: ${cursor}`);
  return { cursor };
}

/** Returns the cursor of the next page of a list whose pages have one size. */
export function byFixedCursor(
  sent: { cursor?: string | null },
  page: { cursor?: string | null },
): { cursor: string } | null {
  return byCursor(sent, page);
}

/** Returns the number of the next page. */
export function byNumber(
  sent: { page?: number | null },
  { results, total_pages }: { results: readonly unknown[]; total_pages?: number | null },
): { page: number } | null {
  const page = (sent.page ?? 1) + 1;
  return results.length === 0 || page > (total_pages ?? Number.POSITIVE_INFINITY) ? null : { page };
}
