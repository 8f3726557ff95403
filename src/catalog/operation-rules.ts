import * as Money from '../kernel/money.ts';
import * as PathTemplate from './path-template.ts';
import * as Place from './place.ts';

/** An operation as far as the file can be understood. */
type Sold = { at: Place.Place; call: Place.Place; method: string; path: string; price: Money.Money | null };

/** First segments of the storefront's own routes: an operation there would hide them, or be hidden by them. */
const ownSegments: ReadonlySet<string> = new Set([
  '',
  '.well-known',
  'account',
  'admin',
  'agent',
  'auth.md',
  'checkout',
  'docs',
  'favicon.svg',
  'healthz',
  'llms-full.txt',
  'llms.txt',
  'manifest.json',
  'manifest.jws',
  'mcp',
  'metrics',
  'oauth2',
  'openapi.json',
  'plans',
  'purchases',
  'readyz',
  'schemas',
  'services',
  'shop',
  'skill.md',
  'webhooks',
  'zeroclick',
]);

/** What the schema cannot say about the operations of the catalogue. */
export function check(root: Place.Place): Place.Finding[] {
  const sold = Place.items(Place.member(root, 'services')).flatMap(operations);
  return [
    ...sold.flatMap((operation) => [
      ...route(operation),
      ...units(operation),
      ...yields(operation),
      ...answerer(operation),
    ]),
    ...collisions(sold),
  ];
}

/** Each `call` of the file that names a method and a path; the schema refuses the others. */
export function operations(service: Place.Place): Sold[] {
  const price = Money.parse(Place.text(Place.member(service, 'price_usd')) ?? '');
  return Place.items(Place.member(service, 'operations')).flatMap((at) => {
    const call = Place.member(at, 'call');
    const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(Place.text(call) ?? '') ?? [];
    return method === undefined || path === undefined ? [] : [{ at, call, method, path, price }];
  });
}

function route({ call, path }: Sold): Place.Finding[] {
  const parsed = PathTemplate.parse(path);
  if (!parsed.ok) return [{ path: call.path, reason: `call ${path} ${parsed.reason}` }];
  const first = parsed.template[0] ?? null;
  if (first === null) {
    const reason = `call ${path} begins with a parameter, which would take the storefront's own routes too: begin with a fixed segment`;
    return [{ path: call.path, reason }];
  }
  if (!ownSegments.has(first.toLowerCase())) return [];
  const reason = `call ${path} is where the storefront has its own routes (/${first}): sell it below a prefix of the upstream, such as /v1`;
  return [{ path: call.path, reason }];
}

function units({ at, price }: Sold): Place.Finding[] {
  const counted = Place.member(at, 'units').value;
  const max = Place.member(at, 'units_max');
  const findings: Place.Finding[] = [];
  const find = (path: Place.Path, reason: string) => findings.push({ path, reason });

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
  const ceiling = Place.member(max, 'ceiling');
  const fallback = Place.member(max, 'default');
  const most = Place.number(ceiling) ?? Place.number(max) ?? (typeof counted === 'number' ? counted : 0);
  if ((Place.number(fallback) ?? 0) > (Place.number(ceiling) ?? Number.POSITIVE_INFINITY)) {
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

function yields({ at }: Sold): Place.Finding[] {
  const low = Place.member(Place.member(at, 'yield'), 'low');
  const high = Place.number(Place.member(Place.member(at, 'yield'), 'high')) ?? 1;
  if ((Place.number(low) ?? 0) <= high) return [];
  return [{ path: low.path, reason: `low ${low.value} is above high ${high}: lower it or raise high` }];
}

/** What the storefront answers itself is about the caller's account: it reads nothing and costs nothing. */
function answerer({ at, method }: Sold): Place.Finding[] {
  const answeredBy = Place.member(at, 'answered_by');
  if (answeredBy.value !== 'storefront' || (method === 'GET' && Place.member(at, 'units').value === 0))
    return [];
  const reason =
    'answered_by storefront is only for a GET with units: 0: make it so or leave answered_by out';
  return [{ path: answeredBy.path, reason }];
}

function collisions(sold: readonly Sold[]): Place.Finding[] {
  const seen = new Map<string, (Sold & { template: PathTemplate.PathTemplate })[]>();
  const findings: Place.Finding[] = [];
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

function collision(operation: Sold, rival: Sold): Place.Finding {
  const same = PathTemplate.shape(operation.path) === PathTemplate.shape(rival.path);
  const where = Place.format(rival.call.path);
  const reason = same
    ? `call ${operation.method} ${operation.path} is sold already by ${where}: keep one`
    : `call ${operation.path} and ${rival.path} of ${where} can take the same path and neither is the closer match: fix a segment of one`;
  return { path: operation.call.path, reason };
}
