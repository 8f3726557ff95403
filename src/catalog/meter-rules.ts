import { hint } from '@sluice/kernel/did-you-mean';
import * as Money from '@sluice/kernel/money';
import * as MeterDraft from './meter-draft.ts';
import { fallbackKey } from './meter-prices.ts';
import * as SourceLocation from './source-location.ts';

type Place = SourceLocation.LocatedValue;
type Finding = SourceLocation.Finding;

const { member, text, items } = SourceLocation;

/** Keys of `prices` that a meter cannot have as its name. */
const reserved: ReadonlySet<string> = new Set(['per', fallbackKey]);

/** Headers that a caller's request has for another purpose, or that the upstream does not receive as they were sent. */
const ownHeaders =
  /^(accept|accept-encoding|authorization|connection|content-.*|cookie|expect|host|idempotency-key|if-.*|keep-alive|proxy-.*|range|storefront-.*|te|traceparent|trailer|transfer-encoding|upgrade|user-agent|via|x-forwarded-.*)$/i;

/** Checks the rules for services with meters that the schema cannot express. Skips values that the schema rejects. */
export function checkMeters(root: Place): Finding[] {
  const services = items(member(root, 'services'));
  const metered = services.filter((service) => isMetered(service));
  return [
    ...services.filter((service) => !isMetered(service)).flatMap(withoutMeters),
    ...metered.flatMap(checkService),
    ...items(member(root, 'plans')).flatMap((plan) => inUnits(plan, metered)),
  ];
}

function isMetered(service: Place): boolean {
  return member(service, 'meters').value !== undefined;
}

function find(place: Place, reason: string): Finding {
  return { path: place.path, reason: `${SourceLocation.name(place.path)} ${reason}` };
}

function isGiven(place: Place): boolean {
  return place.value !== undefined;
}

/** Returns the members of a mapping; empty when the value is none. */
function entries(place: Place): { name: string; at: Place }[] {
  const { value } = place;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value).map((name) => ({ name, at: member(place, name) }));
}

function withoutMeters(service: Place): Finding[] {
  const stray = [member(service, 'prices'), member(service, 'price_by')].filter(isGiven);
  const maxima = items(member(service, 'operations')).map((operation) => member(operation, 'max'));
  return [
    ...stray.map((place) => find(place, 'needs meters: name them, or write unit and price_usd')),
    ...maxima.filter(isGiven).map((place) => find(place, 'is for a service with meters: write units_max')),
  ];
}

function checkService(service: Place): Finding[] {
  const meters = entries(member(service, 'meters'));
  const operations = items(member(service, 'operations'));
  const price = member(service, 'price_usd');
  const findings = [
    ...(isGiven(price) ? [find(price, 'and meters exclude each other: keep one of them')] : []),
    ...meters.flatMap((meter) => checkMeter(meter, meters)),
    ...checkCosts(meters),
    ...checkPrices(service, meters),
    ...operations.flatMap((operation) => checkOperation(operation, service, meters)),
  ];
  return findings.length > 0 ? findings : operations.flatMap((operation) => checkWorst(operation, service));
}

type Named = { name: string; at: Place };

function checkMeter({ name, at }: Named, meters: readonly Named[]): Finding[] {
  const findings: Finding[] = [];
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name) || reserved.has(name))
    findings.push(
      find(
        at,
        'is not a name for a meter: write a lower-case word such as input, other than per and default',
      ),
    );
  const partOf = member(at, 'part_of');
  const around = text(partOf);
  if (around !== null) {
    const outer = meters.find((meter) => meter.name === around);
    const names = meters.map((meter) => meter.name);
    if (outer === undefined)
      findings.push(find(partOf, `"${around}" is not a meter. ${hint(around, names, 'Meters')}`));
    else if (isCyclic(name, meters))
      findings.push(
        find(partOf, `"${around}" makes the meter a part of itself: leave part_of out of one meter`),
      );
    else if (isCost(outer.at) || isCost(at))
      findings.push(find(partOf, 'does not go with a cost: the upstream counts its price once'));
  }
  const count = member(at, 'count');
  const kinds = ['bytes', 'seconds', 'header', 'cost'].filter((kind) => isGiven(member(count, kind)));
  if (typeof count.value === 'object' && count.value !== null && kinds.length !== 1)
    findings.push(find(count, 'names no quantity or several: write one of bytes, seconds, header and cost'));
  if (isGiven(member(count, 'step')) && !kinds.includes('seconds'))
    findings.push(find(member(count, 'step'), 'goes with seconds only: leave it out'));
  return findings;
}

function isCyclic(name: string, meters: readonly Named[]): boolean {
  let at: string | null = name;
  for (let steps = 0; steps <= meters.length && at !== null; steps++) {
    const meter = meters.find((one) => one.name === at);
    at = meter === undefined ? null : text(member(meter.at, 'part_of'));
  }
  return at !== null;
}

function isCost(meter: Place): boolean {
  return isGiven(member(member(meter, 'count'), 'cost'));
}

function checkCosts(meters: readonly Named[]): Finding[] {
  const [, ...more] = meters.filter(({ at }) => isCost(at));
  return more.map(({ at }) => find(at, 'is a second cost: a service has at most one'));
}

function checkPrices(service: Place, meters: readonly Named[]): Finding[] {
  const prices = member(service, 'prices');
  const tables = entries(prices);
  const findings: Finding[] = [];
  const priceBy = member(service, 'price_by');
  if (!isGiven(priceBy) && isGiven(prices) && tables.some(({ name }) => name !== fallbackKey))
    findings.push(
      find(priceBy, `is missing: say where a request names its price, or keep only ${fallbackKey} in prices`),
    );
  const [, header] = /^header:(.*)$/.exec(text(priceBy) ?? '') ?? [];
  if (header !== undefined && ownHeaders.test(header))
    findings.push(
      find(priceBy, `names the header ${header}, which the storefront sets or reads itself: use another way`),
    );
  return [...findings, ...tables.flatMap((table) => checkTable(table, meters))];
}

function checkTable({ name: key, at }: Named, meters: readonly Named[]): Finding[] {
  const findings: Finding[] = [];
  if (key === '' || key.length > 200 || /\p{Cc}/u.test(key))
    findings.push({ path: at.path, reason: 'a key of prices has 1 to 200 printable characters' });
  for (const { name, at: price } of entries(at))
    if (name !== 'per') findings.push(...checkPrice(name, price, meters));
  for (const meter of meters)
    if (!isCost(meter.at) && !isGiven(member(at, meter.name)))
      findings.push(
        find(member(at, meter.name), 'is missing: each meter needs a price, "0" where it is free'),
      );
  return findings;
}

function checkPrice(name: string, price: Place, meters: readonly Named[]): Finding[] {
  const names = meters.map((meter) => meter.name);
  const meter = meters.find((one) => one.name === name);
  if (meter === undefined) return [find(price, `is not a meter. ${hint(name, names, 'Meters')}`)];
  if (isCost(meter.at)) return [find(price, "is counted in the upstream's own price: leave its price out")];
  return Number(text(price) ?? 0) <= Money.usdMax
    ? []
    : [find(price, `"${price.value}" is above ${Money.usdMax} USD: lower it`)];
}

function checkOperation(operation: Place, service: Place, meters: readonly Named[]): Finding[] {
  const max = member(operation, 'max');
  const names = meters.map(({ name }) => name);
  const stray = [member(operation, 'units'), member(operation, 'units_max')].filter(isGiven);
  const findings = stray.map((place) =>
    find(place, 'does not go with meters: leave it out, max says the most'),
  );
  for (const { name, at } of entries(max))
    if (!names.includes(name)) findings.push(find(at, `is not a meter. ${hint(name, names, 'Meters')}`));
  if (isGiven(max)) for (const meter of meters) findings.push(...checkMax(member(max, meter.name), meter));
  for (const { at } of isGiven(member(operation, 'job')) ? meters : [])
    if (['seconds', 'bytes'].some((kind) => isGiven(member(member(at, 'count'), kind))))
      findings.push(
        find(at, 'does not go with job: the response that ends a job has no duration or size of its own'),
      );
  const [, parameter] = /^path:(.*)$/.exec(text(member(service, 'price_by')) ?? '') ?? [];
  const call = member(operation, 'call');
  const place = new RegExp(`/\\{${RegExp.escape(parameter ?? '')}\\}(:[^/{]*)?(/|$)`);
  if (parameter !== undefined && !place.test(text(call) ?? ''))
    findings.push(
      find(call, `has no {${parameter}}, which price_by names: every call of the service needs it`),
    );
  return findings;
}

/** Checks the maximum of one meter. `default` of a number in the request is always needed, so that nothing is held too low. */
function checkMax(max: Place, { at }: Named): Finding[] {
  const count = member(at, 'count');
  const { value } = count;
  const isPart = text(member(at, 'part_of')) !== null;
  if (!isGiven(max))
    return typeof value === 'number' || isPart
      ? []
      : [find(max, 'is missing: say how much one request can cost, for the reservation')];
  if (typeof value === 'number') return [find(max, `is not needed: each success counts ${value}`)];
  if (isCost(at))
    return isGiven(member(max, 'usd'))
      ? only(max, ['usd'])
      : [find(max, 'needs the highest price: write { usd: "0.50" }')];
  if (typeof max.value === 'number' && !/^request:/.test(String(value))) return [];
  if (isGiven(member(max, 'bytes'))) return only(max, ['bytes', 'plus', 'ceiling']);
  const isInRequest = /^request:/.test(String(value));
  const findings = ['default', 'ceiling']
    .filter((key) => !isGiven(member(max, key)))
    .map((key) =>
      find(member(max, key), 'is missing: say what applies without a number and the most there is'),
    );
  if (!isInRequest && !isGiven(member(max, 'pointer')))
    findings.push(find(member(max, 'pointer'), 'is missing: say where the request names the number'));
  findings.push(
    ...only(max, isInRequest ? ['default', 'ceiling'] : ['pointer', 'default', 'ceiling', 'times']),
  );
  return [...findings, ...ordered(max), ...ordered(member(max, 'times'))];
}

function only(max: Place, allowed: readonly string[]): Finding[] {
  return entries(max)
    .filter(({ name }) => !allowed.includes(name))
    .map(({ at }) => find(at, `does not go with this maximum: allowed are ${allowed.join(', ')}`));
}

function ordered(place: Place): Finding[] {
  const usual = member(place, 'default');
  const ceiling = SourceLocation.number(member(place, 'ceiling'));
  if (ceiling === null || (SourceLocation.number(usual) ?? 0) <= ceiling) return [];
  return [
    find(usual, `${usual.value} is above the ceiling ${ceiling}: raise the ceiling or lower the default`),
  ];
}

/** Checks the highest cost of a call. The rest of the service is valid when this runs, unless the schema rejects it. */
function checkWorst(operation: Place, service: Place): Finding[] {
  const max = member(operation, 'max');
  const path = (text(member(operation, 'call')) ?? '').split(' ')[1] ?? '';
  try {
    const metering = MeterDraft.toMetering(service.value as MeterDraft.DraftMetering);
    if (metering !== null) MeterDraft.toUnits(metering, path, max.value as MeterDraft.DraftMaxima);
    return [];
  } catch (fault) {
    // Any other error comes from a value that the schema rejects.
    if (!(fault instanceof MeterDraft.TooDear)) return [];
    return [find(max, `lets one call cost over ${Money.usdMax} USD: lower it or the prices`)];
  }
}

/** Plans of a metered service contain money: included units would be drawn as micro-dollars. */
function inUnits(plan: Place, metered: readonly Place[]): Finding[] {
  const covers = member(plan, 'covers');
  const slugs = metered.flatMap((service) => text(member(service, 'slug')) ?? []);
  const covered = slugs.find(
    (slug) => covers.value === '*' || items(covers).some(({ value }) => value === slug),
  );
  if (covered === undefined) return [];
  return [member(plan, 'included'), member(plan, 'included_when_claimed')]
    .filter(({ value }) => value !== undefined && value !== 0)
    .map((place) =>
      find(
        place,
        `counts units, and the plan covers ${covered}, whose meters are paid in money: write included_usd, such as "5.00"`,
      ),
    );
}
