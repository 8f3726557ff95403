import * as SourceLocation from './source-location.ts';

type Place = SourceLocation.LocatedValue;

/** Checks the rules for holds that grow, which the schema cannot express. */
export function checkExtend(root: Place): SourceLocation.Finding[] {
  return SourceLocation.items(SourceLocation.member(root, 'services')).flatMap((service) =>
    SourceLocation.items(SourceLocation.member(service, 'operations')).flatMap((operation) => {
      const extend = SourceLocation.member(SourceLocation.member(operation, 'stream'), 'extend');
      if (extend.value === undefined || extend.value === false) return [];
      return [...byMeter(service, extend), ...byUnits(service, operation, extend), ...byUsage(extend)];
    }),
  );
}

function byMeter(service: Place, extend: Place): SourceLocation.Finding[] {
  const meters = SourceLocation.member(service, 'meters');
  const meter = SourceLocation.member(extend, 'meter');
  if (meters.value === undefined)
    return meter.value === undefined
      ? []
      : [found(meter, 'meter is for a service with meters: leave it out')];
  const name = SourceLocation.text(meter);
  if (name === null)
    return [found(extend, 'extend needs the meter that grows: write extend: { meter: NAME }')];
  const count = SourceLocation.text(SourceLocation.member(SourceLocation.member(meters, name), 'count'));
  return count?.startsWith('/')
    ? []
    : [found(meter, `meter ${name} is not a meter of the service with a JSON Pointer as its count`)];
}

function byUnits(service: Place, operation: Place, extend: Place): SourceLocation.Finding[] {
  if (SourceLocation.member(service, 'meters').value !== undefined) return [];
  return typeof SourceLocation.member(operation, 'units').value === 'number'
    ? [found(extend, 'extend does not go with a fixed number of units: leave it out')]
    : [];
}

function byUsage(extend: Place): SourceLocation.Finding[] {
  const units = SourceLocation.member(extend, 'units');
  return SourceLocation.member(extend, 'by').value === 'usage' && units.value !== undefined
    ? [found(units, 'units does not go with by: usage, which counts what the events report: leave it out')]
    : [];
}

function found({ path }: Place, reason: string): SourceLocation.Finding {
  return { path, reason };
}
