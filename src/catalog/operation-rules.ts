import * as Money from '@sluice/kernel/money';
import { pathShape } from '@sluice/kernel/operation-key';
import * as ExtendRules from './extend-rules.ts';
import * as JobRules from './job-rules.ts';
import * as Mount from './mount.ts';
import * as PathTemplate from './path-template.ts';
import * as ReservedPaths from './reserved-paths.ts';
import * as SocketRules from './socket-rules.ts';
import * as SourceLocation from './source-location.ts';
import * as StreamRules from './stream-rules.ts';

/** An operation, as far as the file can be parsed. */
type Sold = {
  at: SourceLocation.LocatedValue;
  call: SourceLocation.LocatedValue;
  method: string;
  path: string;
  price: Money.Money | null;
};

/** Checks the rules for operations that the schema cannot express. */
export function checkOperations(root: SourceLocation.LocatedValue): SourceLocation.Finding[] {
  const sold = SourceLocation.items(SourceLocation.member(root, 'services')).flatMap(operations);
  return [
    ...sold.flatMap((operation) => [
      ...route(operation),
      ...units(operation),
      ...yields(operation),
      ...answerer(operation),
      ...StreamRules.checkStream(operation.at, operation.method),
      ...JobRules.checkJob(operation.at),
      ...SocketRules.checkSocket(operation.at, operation.method, operation.price),
    ]),
    ...ExtendRules.checkExtend(root),
    ...SocketRules.checkSockets(root),
    ...collisions(sold),
    ...Mount.checkMount(root, sold),
  ];
}

/** Returns each `call` of the file with a method and a path; the schema rejects the others. */
export function operations(service: SourceLocation.LocatedValue): Sold[] {
  const price = Money.parse(SourceLocation.text(SourceLocation.member(service, 'price_usd')) ?? '');
  return SourceLocation.items(SourceLocation.member(service, 'operations')).flatMap((at) => {
    const call = SourceLocation.member(at, 'call');
    const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(SourceLocation.text(call) ?? '') ?? [];
    return method === undefined || path === undefined ? [] : [{ at, call, method, path, price }];
  });
}

function route({ call, path }: Sold): SourceLocation.Finding[] {
  const parsed = PathTemplate.parse(path);
  if (!parsed.ok) return [{ path: call.path, reason: `call ${path} ${parsed.reason}` }];
  const first = parsed.template[0] ?? null;
  if (first === null) {
    const reason = `call ${path} begins with a parameter, which would take the storefront's own routes too: set upstream.mount`;
    return [{ path: call.path, reason }];
  }
  if (!ReservedPaths.reservedSegments.has(first.toLowerCase())) return [];
  const reason = `call ${path} is where the storefront has its own routes (/${first}): set upstream.mount, the path under which the shop has the API`;
  return [{ path: call.path, reason }];
}

function units({ at, price }: Sold): SourceLocation.Finding[] {
  const counted = SourceLocation.member(at, 'units').value;
  const max = SourceLocation.member(at, 'units_max');
  const findings: SourceLocation.Finding[] = [];
  const find = (path: SourceLocation.Path, reason: string) => findings.push({ path, reason });

  if (typeof counted === 'string' && max.value === undefined) {
    find(
      max.path,
      `units_max is missing: say how many units one answer can carry, as units is read from the answer`,
    );
  }
  if (Number.isInteger(counted) && max.value !== undefined && max.value !== counted) {
    find(
      max.path,
      `units_max does not go with a fixed number of units: leave it out, each success costs ${counted}`,
    );
  }
  const uncountable = SourceLocation.member(at, 'uncountable');
  if (Number.isInteger(counted) && (uncountable.value ?? 'withhold') !== 'withhold') {
    find(
      uncountable.path,
      `uncountable does not go with a fixed number of units: leave it out, each success costs ${counted}`,
    );
  }
  const ceiling = SourceLocation.member(max, 'ceiling');
  const fallback = SourceLocation.member(max, 'default');
  const most =
    SourceLocation.number(ceiling) ??
    SourceLocation.number(max) ??
    (typeof counted === 'number' ? counted : 0);
  if ((SourceLocation.number(fallback) ?? 0) > (SourceLocation.number(ceiling) ?? Number.POSITIVE_INFINITY)) {
    find(
      fallback.path,
      `default ${fallback.value} is above the ceiling ${ceiling.value}: raise the ceiling or lower the default`,
    );
  }
  if (price !== null && price * most > Money.usdMax * 1_000_000) {
    find(max.path, `units_max lets one call cost over ${Money.usdMax} USD: lower it or the price`);
  }
  return findings;
}

function yields({ at }: Sold): SourceLocation.Finding[] {
  const low = SourceLocation.member(SourceLocation.member(at, 'yield'), 'low');
  const high = SourceLocation.number(SourceLocation.member(SourceLocation.member(at, 'yield'), 'high')) ?? 1;
  if ((SourceLocation.number(low) ?? 0) <= high) return [];
  return [{ path: low.path, reason: `low ${low.value} is above high ${high}: lower it or raise high` }];
}

/** Operations that the storefront answers itself concern the caller's account: they call no upstream and are free. */
function answerer({ at, method }: Sold): SourceLocation.Finding[] {
  const answeredBy = SourceLocation.member(at, 'answered_by');
  if (
    answeredBy.value !== 'storefront' ||
    (method === 'GET' && SourceLocation.member(at, 'units').value === 0)
  )
    return [];
  const reason =
    'answered_by storefront is only for a GET with units: 0: make it so or leave answered_by out';
  return [{ path: answeredBy.path, reason }];
}

function collisions(sold: readonly Sold[]): SourceLocation.Finding[] {
  const seen = new Map<string, (Sold & { template: PathTemplate.PathTemplate })[]>();
  const findings: SourceLocation.Finding[] = [];
  for (const operation of sold) {
    const parsed = PathTemplate.parse(operation.path);
    if (!parsed.ok) continue;
    const { template } = parsed;
    const alike = `${operation.method} ${template.length}`;
    const earlier = seen.get(alike) ?? [];
    const rival = earlier.find((other) => PathTemplate.ambiguous(other.template, template));
    if (rival !== undefined) findings.push(collision(operation, rival));
    seen.set(alike, [...earlier, { ...operation, template }]);
  }
  return findings;
}

function collision(operation: Sold, rival: Sold): SourceLocation.Finding {
  const same = pathShape(operation.path) === pathShape(rival.path);
  const where = SourceLocation.format(rival.call.path);
  const reason = same
    ? `call ${operation.method} ${operation.path} is sold already by ${where}: keep one`
    : `call ${operation.path} and ${rival.path} of ${where} can take the same path and neither is the closer match: fix a segment of one`;
  return { path: operation.call.path, reason };
}
