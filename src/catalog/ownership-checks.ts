import * as OperationRules from './operation-rules.ts';
import { kindDefault, kindsOf, type OwnershipSource } from './ownership-rule.ts';
import * as SourceLocation from './source-location.ts';

/** An operation of the file with its rules for resources, as far as they can be parsed. */
type Sold = {
  at: SourceLocation.LocatedValue;
  call: SourceLocation.LocatedValue;
  method: string;
  segments: readonly string[];
  /** The kind that it creates, or null. */
  owns: string | null;
  owned: ReadonlyMap<string, string>;
  isFiltered: boolean;
};

/** Checks the rules for resources that the schema cannot express. */
export function checkOwnership(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const sold = soldOf(root);
  const created = new Set(sold.flatMap(({ owns }) => owns ?? []));
  const found = sold.flatMap((operation) => [
    ...unknownParameters(operation),
    ...neverCreated(operation, created),
    ...answeredHere(operation),
  ]);
  return [...found, ...pricedLists(root)];
}

/**
 * Finds operations that may show a buyer the resources of others: they list what a neighbour marks as owned, or take its id without
 * checking it. They are warnings, because the upstream may separate buyers by itself there.
 */
export function ownershipWarnings(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const sold = soldOf(root);
  const marked = sold.flatMap(({ segments, owned }) =>
    segments.flatMap((segment, at) => (owned.has(nameOf(segment)) ? [segments.slice(0, at)] : [])),
  );
  const creating = sold.filter(({ owns }) => owns !== null).map(({ segments }) => segments);
  const lists = [...marked, ...creating].map((segments) => segments.map(shape).join('/'));
  return sold.flatMap((operation) => {
    const { call, method, segments, isFiltered } = operation;
    const path = segments.map(shape).join('/');
    const isList = method === 'GET' && !isFiltered && lists.includes(path);
    const list = `call ${method} /${segments.join('/')} may list the resources of all buyers: add only_owned`;
    const open = marked.map((prefix) => unmarked(operation, prefix)).find((name) => name !== null);
    const unchecked = `call ${method} /${segments.join('/')} takes {${open}} from every buyer: add owned: [${open}]`;
    return [
      ...(isList ? [{ path: call.path, reason: list }] : []),
      ...(open === undefined ? [] : [{ path: call.path, reason: unchecked }]),
    ];
  });
}

/** Returns the parameter that follows `prefix` in the path of an operation and is not marked, or null. */
function unmarked({ segments, owned }: Sold, prefix: readonly string[]): string | null {
  const next = segments[prefix.length] ?? '';
  const name = nameOf(next);
  if (name === '' || owned.has(name)) return null;
  return prefix.every((segment, at) => shape(segment) === shape(segments[at] ?? '')) ? name : null;
}

function soldOf(root: SourceLocation.LocatedValue): Sold[] {
  return SourceLocation.items(SourceLocation.member(root, 'services'))
    .flatMap(OperationRules.operations)
    .map(({ at, call, method, path }) => ({
      at,
      call,
      method,
      segments: path.slice(1).split('/'),
      owns: kindOf(SourceLocation.member(at, 'owns')),
      owned: new Map(kinds(SourceLocation.member(at, 'owned').value)),
      isFiltered: SourceLocation.member(at, 'only_owned').value !== undefined,
    }));
}

function kindOf(place: SourceLocation.LocatedValue): string | null {
  if (place.value === undefined) return null;
  return SourceLocation.text(SourceLocation.member(place, 'kind')) ?? kindDefault;
}

function kinds(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [];
  return kindsOf(value as NonNullable<OwnershipSource['owned']>);
}

function unknownParameters({ at, segments, owned }: Sold): SourceLocation.Finding[] {
  const { path } = SourceLocation.member(at, 'owned');
  return [...owned.keys()]
    .filter((name) => !segments.includes(`{${name}}`))
    .map((name) => ({
      path,
      reason: `owned names ${name}, which is no parameter of the path: write it as in call`,
    }));
}

function neverCreated(
  { at, owned, isFiltered }: Sold,
  created: ReadonlySet<string>,
): SourceLocation.Finding[] {
  const only = SourceLocation.member(at, 'only_owned');
  const wanted: [SourceLocation.LocatedValue, string][] = [
    ...[...owned.values()].map((kind): [SourceLocation.LocatedValue, string] => [
      SourceLocation.member(at, 'owned'),
      kind,
    ]),
    ...(isFiltered ? [[only, kindOf(only) ?? kindDefault] as [SourceLocation.LocatedValue, string]] : []),
  ];
  return wanted
    .filter(([, kind]) => !created.has(kind))
    .map(([{ path }, kind]) => ({
      path,
      reason: `${SourceLocation.name(path)} needs an operation that creates a ${kind}: add owns to it`,
    }));
}

function answeredHere({ at, owns, owned, isFiltered }: Sold): SourceLocation.Finding[] {
  const answeredBy = SourceLocation.member(at, 'answered_by');
  if (answeredBy.value !== 'storefront' || (owns === null && owned.size === 0 && !isFiltered)) return [];
  return [
    { path: answeredBy.path, reason: 'answered_by storefront calls no upstream: leave out owns and owned' },
  ];
}

/** A list is restricted by one rule, and prices by name must exist. */
function pricedLists(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const services = SourceLocation.items(SourceLocation.member(root, 'services'));
  const hasKeys = services.some((service) => SourceLocation.member(service, 'price_by').value !== undefined);
  return services.flatMap(OperationRules.operations).flatMap(({ at }) => {
    const { value, path } = SourceLocation.member(at, 'only_priced');
    if (value === undefined) return [];
    if (!hasKeys)
      return [{ path, reason: 'only_priced needs a service with price_by, whose prices name the items' }];
    const isTwice = SourceLocation.member(at, 'only_owned').value !== undefined;
    return isTwice
      ? [{ path, reason: 'only_priced does not go with only_owned: leave one of them out' }]
      : [];
  });
}

function nameOf(segment: string): string {
  return /^\{(.+)\}$/.exec(segment)?.[1] ?? '';
}

function shape(segment: string): string {
  return segment.startsWith('{') ? '{}' : segment;
}
