import { operationKey } from '@sluice/kernel/operation-key';
import type { Operation } from '../../../catalog/operation.ts';
import type { Service } from '../../../catalog/service.ts';
import type { Entry } from '../../../discovery/entry.ts';
import type { Reference } from '../../../discovery/reference.ts';
import type { Texts } from '../../../text/texts.ts';

/** An operation with its page. `sold`: the operation of the catalogue, null for one of the storefront's own. */
export type OperationPage = {
  entry: Entry;
  /** Its summary; the name of its service where it is the only operation of it; its path where others have its summary, too. */
  title: string;
  /** The last segment of its address. */
  slug: string;
  path: string;
  chapter: Chapter;
  sold: Operation | null;
};
/** The operations of a service, or those of the storefront itself with one tag. */
export type Chapter = {
  /** The second segment of its address. */
  slug: string;
  name: string;
  description: string;
  path: string;
  service: Service | null;
  pages: readonly OperationPage[];
};
/** Chapters under one heading of the navigation. */
export type ChapterGroup = { name: string; chapters: readonly Chapter[] };
/** The contents of the reference. `own`: the operations of the storefront itself, apart from what is sold. */
export type Outline = { sold: readonly ChapterGroup[]; own: ChapterGroup };

export const home = '/docs';
/** The segment of the storefront's own operations. */
export const ownSlug = 'storefront';

export function outlineOf({ catalog, entries, tags }: Reference, texts: Texts): Outline {
  const soldBy = new Map(catalog.operations.map((it) => [operationKey(it.method, it.path), it]));
  const ownSlugs = new Set<string>();
  const chapter = (draft: Omit<Chapter, 'pages'>, own: readonly Entry[], taken: Set<string>): Chapter => {
    const made = { ...draft, pages: [] as OperationPage[] };
    for (const entry of own) {
      const slug = freeSlug(entry.id, taken);
      const isAlone = draft.service !== null && own.length === 1;
      const path = isAlone ? draft.path : `${home}/${draft.slug}/${slug}`;
      const sold =
        draft.service === null ? null : (soldBy.get(operationKey(entry.method, entry.path)) ?? null);
      // Operations of one service with the same name have their paths as titles.
      const isRepeated = own.some((other) => other !== entry && other.summary === entry.summary);
      const name = isRepeated ? entry.path : entry.summary || `${entry.method} ${entry.path}`;
      const title = isAlone ? draft.name : name;
      made.pages.push({ entry, title, slug, path, chapter: made, sold });
    }
    return made;
  };
  const sold = catalog.services.map((service) => {
    const { slug, name, description } = service;
    const own = entries.filter((entry) => entry.service === slug);
    return chapter({ slug, name, description, path: `${home}/${slug}`, service }, own, new Set());
  });
  // An alias is in the OpenAPI document alone.
  const ownEntries = entries.filter(
    ({ service, operation }) => service === null && operation['x-alias-of'] === undefined,
  );
  const own = [...new Set(ownEntries.map(({ tag }) => tag))].map((tag) =>
    chapter(
      {
        slug: ownSlug,
        name: tag,
        description: description(tags.get(tag)),
        path: `${home}/${ownSlug}#${slugOf(tag)}`,
        service: null,
      },
      ownEntries.filter((entry) => entry.tag === tag),
      ownSlugs,
    ),
  );
  return { sold: grouped(sold, texts), own: { name: texts.text('reference.storefront'), chapters: own } };
}

/** All pages of operations. */
export function pagesOf({ sold, own }: Outline): OperationPage[] {
  return [...sold, own].flatMap(({ chapters }) => chapters.flatMap(({ pages }) => pages));
}

/** Groups services by the `group` that the catalogue gives them, in the order of the catalogue; those without one come last. */
function grouped(chapters: readonly Chapter[], texts: Texts): ChapterGroup[] {
  const groups = new Map<string, Chapter[]>();
  const rest: Chapter[] = [];
  for (const chapter of chapters) {
    const name = chapter.service?.group;
    if (name === undefined) rest.push(chapter);
    else groups.set(name, [...(groups.get(name) ?? []), chapter]);
  }
  const named = [...groups].map(([name, chapters]) => ({ name, chapters }));
  if (rest.length === 0) return named;
  const name = texts.text(named.length === 0 ? 'reference.services' : 'reference.more_services');
  return [...named, { name, chapters: rest }];
}

function description(tag: string | undefined): string {
  const { description = '' } = JSON.parse(tag ?? '{}');
  return String(description);
}

export function slugOf(text: string): string {
  const words = text.replace(/([a-z\d])([A-Z])/g, '$1-$2').toLowerCase();
  return words.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'operation';
}

/** Returns a slug that is not in `taken`, and takes it. */
function freeSlug(id: string, taken: Set<string>): string {
  const wanted = slugOf(id);
  let slug = wanted;
  for (let count = 2; taken.has(slug); count += 1) slug = `${wanted}-${count}`;
  taken.add(slug);
  return slug;
}
