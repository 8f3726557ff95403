import * as JsonPointer from '@sluice/kernel/json-pointer';

/** An operation that creates a resource. `pointer` finds its id in the response; `days`: how long it belongs to its creator, or null. */
export type Owns = { pointer: JsonPointer.JsonPointer; kind: string; days: number | null };

/** A path parameter that names a resource of the caller. `segment`: the index of its path segment. */
export type Owned = { parameter: string; segment: number; kind: string };

/** A response that lists resources, restricted to those of the caller. */
export type OnlyOwned = {
  list: JsonPointer.JsonPointer;
  /** Finds the id in an item of the list. */
  key: JsonPointer.JsonPointer;
  kind: string;
  /** Members of the response that are removed because they describe the whole list. */
  remove: readonly JsonPointer.JsonPointer[];
  /** True to deliver the header `Link`: the seller knows that its addresses name no item. */
  link: boolean;
};

/** A response that lists models or the like, restricted to those that have prices. */
export type OnlyPriced = Pick<OnlyOwned, 'list' | 'key' | 'remove'> & {
  /** Text before the name of the model in the item, such as `models/`. */
  prefix: string;
};

/** The rules of an operation for the resources of its callers, and for lists of what has prices. Ids are unique within a `kind`. */
export type Ownership = {
  owns?: Owns;
  owned?: readonly Owned[];
  onlyOwned?: OnlyOwned;
  onlyPriced?: OnlyPriced;
};

/** The rules as the catalogue writes them. */
export type OwnershipSource = {
  owns?: string | { id: string; kind?: string; days?: number };
  owned?: readonly string[] | Readonly<Record<string, string>>;
  only_owned?: { list: string; key: string; kind?: string; remove?: readonly string[]; link?: boolean };
  only_priced?: { list: string; key: string; prefix?: string; remove?: readonly string[] };
};

/** The kind of resources where the catalogue names none. */
export const kindDefault = 'resource';

/** Converts the rules of a valid source. */
export function toOwnership(
  { owns, owned, only_owned: only, only_priced: priced }: OwnershipSource,
  path: string,
): Ownership {
  const source = typeof owns === 'string' ? { id: owns } : owns;
  return {
    ...(source && {
      owns: {
        pointer: pointer(source.id),
        kind: source.kind ?? kindDefault,
        days: source.days ?? null,
      },
    }),
    ...(owned && { owned: kindsOf(owned).map(([parameter, kind]) => toOwned(path, parameter, kind)) }),
    ...(only && {
      onlyOwned: {
        list: pointer(only.list),
        key: pointer(only.key),
        kind: only.kind ?? kindDefault,
        remove: (only.remove ?? []).map(pointer),
        link: only.link ?? false,
      },
    }),
    ...(priced && {
      onlyPriced: {
        list: pointer(priced.list),
        key: pointer(priced.key),
        prefix: priced.prefix ?? '',
        remove: (priced.remove ?? []).map(pointer),
      },
    }),
  };
}

/** Returns the marked parameters with their kinds. */
export function kindsOf(owned: NonNullable<OwnershipSource['owned']>): [string, string][] {
  if (!Array.isArray(owned)) return Object.entries(owned);
  return owned.map((parameter: string) => [parameter, kindDefault]);
}

/** Returns true when the response has to be read whole, because it names resources. */
export function readsResponse({ owns, onlyOwned, onlyPriced }: Ownership): boolean {
  return owns !== undefined || onlyOwned !== undefined || onlyPriced !== undefined;
}

/** Returns the resource that a success of the operation deletes: the one that its path ends with, for DELETE; or null. */
export function deleted({
  method,
  path,
  owned = [],
}: Ownership & { method: string; path: string }): Owned | null {
  const last = path.split('/').length - 2;
  return method === 'DELETE' ? (owned.find(({ segment }) => segment === last) ?? null) : null;
}

function toOwned(path: string, parameter: string, kind: string): Owned {
  return { parameter, segment: path.slice(1).split('/').indexOf(`{${parameter}}`), kind };
}

function pointer(text: string): JsonPointer.JsonPointer {
  return JsonPointer.parse(text) ?? [];
}
