import { usualFont } from './brand.ts';
import type { Catalog } from './catalog.ts';
import type { NamedUpstream } from './named-upstream.ts';
import type { Units, UnitsMax } from './operation.ts';
import type { ResponseField } from './response-field.ts';
import type { StreamRule } from './stream-rule.ts';
import * as UpstreamLimits from './upstream-limits.ts';

/** Formats the limits of an upstream with the keys of the catalogue file. */
function limitsText(limits: UpstreamLimits.Limits): string {
  return Object.entries({
    connections: limits.connectionsMax,
    queue: limits.waitingMax,
    queue_ms: limits.waitMsMax,
    account_connections: limits.accountConnectionsMax,
    account_queue: limits.accountWaitingMax,
  })
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** The fields of responses that are replaced, as the catalogue file names them. */
function responseFieldsText(fields: readonly ResponseField[]): string {
  return fields.map(({ pointer: tokens, value }) => `${pointer(tokens)} ${value}`).join(', ');
}

/** The named upstreams with their settings; secrets are only named in the catalogue, never contained. */
function upstreamsText(upstreams: ReadonlyMap<string, NamedUpstream>): string {
  return [...upstreams.values()].map((upstream) => JSON.stringify(upstream)).join(', ');
}

/** Describes how the units of a response are counted. */
export function counted(units: Units): string {
  if (units.kind === 'meters') return units.rule.metering.meters.map(({ name }) => name).join(', ');
  return units.kind === 'fixed' ? `${units.units}` : pointer(units.pointer);
}

/** Describes the maximum number of units of a request. */
export function atMost(max: UnitsMax): string {
  return max.kind === 'fixed'
    ? `${max.units}`
    : `${pointer(max.pointer)}, ${max.default} where it is left out, at most ${max.ceiling}`;
}

function pointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token}`).join('');
}

/** Describes how streams are charged, for comparison. */
export function streamText({ usage, last, ...rule }: StreamRule): string {
  const at = usage.at.kind === 'every' ? usage.at.pointer : Object.fromEntries(usage.at.pointers);
  return JSON.stringify({ ...rule, last: [...last], usage: { ...usage, at } });
}

/** Returns the fields of the shop and its upstream. */
export function shopFacts({ storefront, upstream, upstreams }: Catalog): Record<string, string> {
  const links = Object.entries(storefront.links ?? {});
  return {
    name: storefront.name,
    description: storefront.description,
    contact: storefront.contact,
    ...Object.fromEntries(
      Object.entries({ font: usualFont, ...storefront.brand }).map(([name, value]) => [
        `brand.${name}`,
        value,
      ]),
    ),
    ...Object.fromEntries(links.map(([name, url]) => [`links.${name}`, url])),
    'upstream.description': upstream.description,
    'upstream.key': `${upstream.key.header}: ${upstream.key.value}`,
    'upstream.timeout_ms': String(upstream.timeoutMs),
    'upstream.readiness_path': upstream.readinessPath ?? '',
    'upstream.mount': upstream.mount,
    'upstream.response_fields': responseFieldsText(upstream.responseFields),
    'upstream.limits': limitsText(UpstreamLimits.limits(upstream.limits)),
    upstreams: upstreamsText(upstreams),
  };
}
