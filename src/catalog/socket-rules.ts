import * as Money from '@sluice/kernel/money';
import * as SourceLocation from './source-location.ts';

type Place = SourceLocation.LocatedValue;

const others = ['stream', 'job', 'owns', 'only_owned', 'only_priced'];

/** Checks the rules for a WebSocket that the schema cannot express. */
export function checkSocket(
  operation: Place,
  method: string,
  price: Money.Money | null,
): SourceLocation.Finding[] {
  const upgrade = SourceLocation.member(operation, 'upgrade');
  const socket = SourceLocation.member(operation, 'socket');
  if (upgrade.value === undefined)
    return socket.value === undefined
      ? []
      : [found(socket, 'socket is for a WebSocket: add upgrade: websocket or leave it out')];
  if (socket.value === undefined)
    return [found(socket, 'socket is missing: say what is charged, such as { by: messages }')];
  return [
    ...(method === 'GET' ? [] : [found(upgrade, 'upgrade is only for GET: a WebSocket starts with it')]),
    ...others.flatMap((name) => {
      const other = SourceLocation.member(operation, name);
      return other.value === undefined
        ? []
        : [found(other, `${name} does not go with upgrade: leave it out`)];
    }),
    ...(SourceLocation.member(operation, 'answered_by').value === 'storefront'
      ? [found(upgrade, 'upgrade does not go with answered_by storefront: leave one of them out')]
      : []),
    ...measure(operation, socket),
    ...size(socket, price),
  ];
}

/** Checks that no service with meters has a WebSocket. */
export function checkSockets(root: Place): SourceLocation.Finding[] {
  return SourceLocation.items(SourceLocation.member(root, 'services'))
    .filter((service) => SourceLocation.member(service, 'meters').value !== undefined)
    .flatMap((service) => SourceLocation.items(SourceLocation.member(service, 'operations')))
    .map((operation) => SourceLocation.member(operation, 'upgrade'))
    .filter(({ value }) => value !== undefined)
    .map((upgrade) => found(upgrade, 'upgrade does not go with meters: sell it in a service with price_usd'));
}

function measure(operation: Place, socket: Place): SourceLocation.Finding[] {
  const units = SourceLocation.member(operation, 'units');
  const [by, per, of, merge] = ['by', 'per', 'of', 'merge'].map((key) =>
    SourceLocation.member(socket, key),
  ) as [Place, Place, Place, Place];
  if (by.value === 'usage')
    return [
      ...(typeof units.value === 'number'
        ? [
            found(
              units,
              'units must be a JSON Pointer into the messages with by: usage, such as /usage/total_tokens',
            ),
          ]
        : []),
      ...(per.value === undefined ? [] : [found(per, 'per does not go with by: usage: leave it out')]),
      ...(of.value === undefined || of.value === 'upstream'
        ? []
        : [found(of, 'of does not go with by: usage, which only the upstream reports: leave it out')]),
    ];
  return [
    ...(typeof units.value === 'string'
      ? [
          found(
            units,
            'units must be a number, the price of a message or of `per` bytes, unless socket has by: usage',
          ),
        ]
      : []),
    ...(merge.value === undefined ? [] : [found(merge, 'merge is for by: usage: leave it out')]),
  ];
}

/** A hold above the largest amount could not be computed exactly. */
function size(socket: Place, price: Money.Money | null): SourceLocation.Finding[] {
  const step = SourceLocation.member(socket, 'step');
  return (price ?? 0) * (SourceLocation.number(step) ?? 0) > Money.usdMax * 1_000_000
    ? [found(step, `step holds over ${Money.usdMax} USD at a time: lower it or the price`)]
    : [];
}

function found({ path }: Place, reason: string): SourceLocation.Finding {
  return { path, reason };
}
