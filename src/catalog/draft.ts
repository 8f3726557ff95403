import { resolve } from 'node:path';
import * as JsonPointer from '@sluice/kernel/json-pointer';
import * as Money from '@sluice/kernel/money';
import { parseBytes } from './body-limit.ts';
import { type Catalog, openings } from './catalog.ts';
import type { Included } from './included.ts';
import * as Including from './included.ts';
import { type JobSource, toJobRule } from './job-rule.ts';
import * as MeterDraft from './meter-draft.ts';
import { type DraftNamedUpstream, type NamedUpstream, routeOf, toNamedUpstream } from './named-upstream.ts';
import type { Operation, Uncountable, Units, UnitsMax } from './operation.ts';
import { type OwnershipSource, toOwnership } from './ownership-rule.ts';
import type { OncePer, Plan } from './plan.ts';
import { sharedUnit } from './plan-unit.ts';
import type { ResponseField } from './response-field.ts';
import type { Service } from './service.ts';
import { type SocketSource, toSocketRule } from './socket-rule.ts';
import { type StreamSource, toStreamRule } from './stream-rule.ts';
import type { Limits } from './upstream-limits.ts';

/** The catalogue as the file writes it, with the defaults of the schema filled in. */
export type CatalogSource = {
  storefront: Catalog['storefront'];
  /** Optional beside `upstreams`. */
  upstream?: {
    description?: string;
    key?: { header: string; value: string };
    timeout_ms: number;
    readiness_path?: string;
    mount?: string;
    limits?: DraftLimits;
    response_fields: readonly { field: string; value: ResponseField['value'] }[];
  };
  upstreams?: Readonly<Record<string, DraftNamedUpstream>>;
  /** Paths of the files of goals. */
  goals?: string | readonly string[];
  services: readonly DraftService[];
  plans: readonly DraftPlan[];
};

type DraftLimits = {
  connections?: number;
  queue?: number;
  queue_ms?: number;
  account_connections?: number;
  account_queue?: number;
  body_bytes?: number | string;
};

type DraftService = {
  slug: string;
  name: string;
  group?: string;
  description: string;
  unit: string;
  price_usd?: string;
  upstream?: string;
  otherwise?: readonly string[];
  operations: readonly DraftOperation[];
} & MeterDraft.DraftMetering;

type DraftOperation = {
  call: string;
  asks?: readonly string[];
  /** Absent in a service with meters, which has `max`. */
  units?: string | number;
  max?: MeterDraft.DraftMaxima;
  units_max?: number | { pointer: string; default: number; ceiling: number };
  uncountable: Uncountable;
  yield: { low: number; high: number };
  answered_by: 'upstream' | 'storefront';
  stream?: StreamSource;
  job?: JobSource;
  upgrade?: 'websocket';
  socket?: SocketSource;
} & OwnershipSource;

type DraftPlan = {
  id: string;
  name?: string;
  description?: string;
  covers: '*' | readonly string[];
  requests_per_second: number;
  recommended: boolean;
  retired: boolean;
} & (
  | ({
      kind: 'trial';
      included_when_claimed: number;
      included_usd_when_claimed?: string;
      once_per?: readonly OncePer[];
      all_per_hour?: number;
      all_usd_per_hour?: string;
    } & DraftIncluded)
  | { kind: 'credit'; min_usd: string; max_usd: string }
  | ({
      kind: 'subscription';
      price_usd: string;
      every: 'month' | 'year';
      rollover: boolean;
      grace_days: number;
    } & DraftIncluded)
);

/** The rules require one of the two. */
type DraftIncluded = { included?: number; included_usd?: string };

/** Converts a valid source into a catalogue. `directory`: the folder of its file. Throws when the source breaks the rules. */
export function toCatalog(draft: CatalogSource, directory: string): Catalog {
  const upstreams = toUpstreams(draft.upstreams ?? {});
  const sold = draft.services.map((entry) => ({
    service: toService(entry, upstreams),
    operations: entry.operations,
  }));
  const services = sold.map(({ service }) => service);
  const plans = draft.plans.filter(({ retired }) => !retired).map((plan) => toPlan(plan, services));
  const retired = draft.plans.filter(({ retired }) => retired).map((plan) => toPlan(plan, services));
  return {
    storefront: draft.storefront,
    upstream: toUpstream(draft.upstream, directory),
    upstreams,
    services,
    operations: sold.flatMap(({ service, operations }) =>
      operations.map((entry) => toOperation(entry, service)),
    ),
    goals: sold.flatMap(({ operations }) =>
      operations.flatMap(({ call, asks = [] }) =>
        asks.map((ask) => ({ ask, calls: [call], kind: 'asked' as const })),
      ),
    ),
    plans,
    retired,
    openings: openings(services, [...plans, ...retired]),
  };
}

const timeoutMsUsual = 30_000;

function toUpstream(draft: CatalogSource['upstream'], directory: string): Catalog['upstream'] {
  const {
    description,
    key,
    timeout_ms,
    readiness_path,
    response_fields = [],
    limits,
    mount = '',
  } = draft ?? {};
  return {
    description: description === undefined ? '' : resolve(directory, description),
    key: key ?? { header: '', value: '{key}' },
    timeoutMs: timeout_ms ?? timeoutMsUsual,
    readinessPath: readiness_path ?? null,
    mount,
    responseFields: response_fields.map(({ field, value }) => ({ pointer: pointer(field), value })),
    ...(limits && { limits: toLimits(limits) }),
    ...(limits?.body_bytes !== undefined && { bodyBytesMax: known(parseBytes(limits.body_bytes)) }),
  };
}

function toUpstreams(draft: NonNullable<CatalogSource['upstreams']>): Map<string, NamedUpstream> {
  return new Map(
    Object.entries(draft).map(([name, entry]) => [
      name,
      toNamedUpstream(name, entry, toLimits(entry.limits ?? {})),
    ]),
  );
}

function toLimits(draft: DraftLimits): Partial<Limits> {
  const { connections, queue, queue_ms, account_connections, account_queue } = draft;
  return {
    ...(connections !== undefined && { connectionsMax: connections }),
    ...(queue !== undefined && { waitingMax: queue }),
    ...(queue_ms !== undefined && { waitMsMax: queue_ms }),
    ...(account_connections !== undefined && { accountConnectionsMax: account_connections }),
    ...(account_queue !== undefined && { accountWaitingMax: account_queue }),
  };
}

function toService(draft: DraftService, upstreams: ReadonlyMap<string, NamedUpstream>): Service {
  const { slug, name, description, unit, price_usd, group } = draft;
  const route = routeOf(draft, upstreams);
  const metering = MeterDraft.toMetering(draft);
  const charged =
    metering === null ? { unit, price: money(price_usd ?? '') } : { ...MeterDraft.chargedUnit, metering };
  const shown = { slug, name, description, ...(group !== undefined && { group }) };
  return { ...shown, ...charged, ...(route && { route }) };
}

function toOperation(entry: DraftOperation, service: Service): Operation {
  const [method = '', path = ''] = entry.call.split(' ');
  return {
    id: entry.call,
    method,
    path,
    service,
    ...(service.metering === undefined
      ? { units: toUnits(entry.units ?? 0), unitsMax: toUnitsMax(entry) }
      : MeterDraft.toUnits(service.metering, path, entry.max ?? {})),
    uncountable: entry.uncountable,
    yield: entry.yield,
    answeredBy: entry.answered_by,
    stream: entry.stream === undefined ? null : toStreamRule(entry.stream, pointer),
    ...(entry.job && { job: toJobRule(entry.job) }),
    ...(entry.upgrade && { socket: toSocketRule(entry.socket ?? {}) }),
    ...toOwnership(entry, path),
  };
}

function toUnits(units: string | number): Units {
  return typeof units === 'number' ? { kind: 'fixed', units } : { kind: 'pointer', pointer: pointer(units) };
}

function toUnitsMax({ units, units_max: max }: DraftOperation): UnitsMax {
  if (typeof units === 'number') return { kind: 'fixed', units };
  if (typeof max === 'object') return { ...max, kind: 'pointer', pointer: pointer(max.pointer) };
  return { kind: 'fixed', units: known(max ?? null) };
}

function toPlan(draft: DraftPlan, services: readonly Service[]): Plan {
  const offer = {
    id: draft.id,
    name: draft.name ?? draft.id.charAt(0).toUpperCase() + draft.id.slice(1),
    covers: draft.covers === '*' ? draft.covers : new Set(draft.covers),
    requestsPerSecond: draft.requests_per_second,
    ...(draft.recommended && { isRecommended: true }),
  };
  const { covers } = offer;
  const unit = sharedUnit(services.filter(({ slug }) => covers === '*' || covers.has(slug)));
  const described = (terms: string) => ({ ...offer, description: draft.description ?? terms });
  switch (draft.kind) {
    case 'trial': {
      const included = toIncluded(draft);
      const { included_when_claimed: units, included_usd_when_claimed: dollars } = draft;
      const more = Including.another(included, dollars === undefined ? units : money(dollars));
      return {
        ...described(trialTerms(included, more, unit)),
        kind: draft.kind,
        included,
        includedWhenClaimed: more,
        oncePer: draft.once_per ?? [],
        perHour:
          draft.all_usd_per_hour === undefined ? (draft.all_per_hour ?? null) : money(draft.all_usd_per_hour),
      };
    }
    case 'credit': {
      const [min, max] = [money(draft.min_usd), money(draft.max_usd)];
      const range = `Prepaid credit of ${Money.format(min)} to ${Money.format(max)} USD`;
      return { ...described(`${range}, drawn by the price of each ${unit}.`), kind: draft.kind, min, max };
    }
    case 'subscription': {
      const { kind, every, rollover, grace_days: graceDays } = draft;
      const included = toIncluded(draft);
      const price = money(draft.price_usd);
      const terms = `${Including.describe(included, unit)} a ${every} for ${Money.format(price)} USD.`;
      return { ...described(terms), kind, price, every, included, rollover, graceDays };
    }
  }
}

function toIncluded({ included, included_usd: dollars }: DraftIncluded): Included {
  return dollars === undefined
    ? { asset: 'unit', amount: known(included ?? null) }
    : { asset: 'usd', amount: money(dollars) };
}

function trialTerms(included: Included, more: Included, unit: string): string {
  if (included.asset === 'usd') {
    const onClaim = more.amount === 0 ? '' : `, ${Including.usd(more)} USD more once a person claims it`;
    return `${Including.describe(included)} for a new account, free${onClaim}.`;
  }
  const onClaim =
    more.amount === 0 ? '' : `, ${more.amount.toLocaleString('en')} more once a person claims it`;
  return `${Including.describe(included, unit)} for a new account, free${onClaim}.`;
}

function money(text: string): Money.Money {
  return known(Money.parse(text));
}

function pointer(text: string): JsonPointer.JsonPointer {
  return known(JsonPointer.parse(text));
}

/** Asserts what the schema and the rules guarantee. */
function known<T>(value: T | null): T {
  if (value === null) throw new Error('the rules of the catalogue let a value through that cannot be read');
  return value;
}
