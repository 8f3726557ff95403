import type { Mutant } from './mutant.ts';

const reloads = [{ act: 'reload', at: 'stream half sent' }] as const;
const mostly = 0.9;
const relay = { file: 'journeys/streamed-call.ts' };

/** A mutant for each promise about metered streams. */
export const streamMutants: readonly Mutant[] = [
  {
    what: 'send the last event of a stream before its charge',
    in: { file: 'proxy/stream-meter.ts' },
    from: 'if (passed === 0 && endsStream(this.#rule, content)) this.#withheld ??= [];',
    to: '',
    aims: [
      { act: 'kill', at: 'settlement sent' },
      { act: 'cut', at: 'settlement sent' },
    ],
  },
  {
    what: 'end a cut stream as if it were complete',
    in: { file: 'http/stream-reply.ts' },
    from: '    outgoing.destroy();\n    return;',
    to: '    outgoing.end();\n    return;',
    aims: [{ act: 'cut', at: 'settlement sent' }],
  },
  {
    what: 'charge the usage of a stream that broke off',
    in: relay,
    from: "if (piped !== 'ended') {",
    to: "if (piped === 'key_found') {",
    aims: [{ act: 'cut', at: 'heartbeat done' }],
  },
  {
    what: 'keep the hold of a stream that was cut',
    in: { file: 'journeys/stream-sale.ts' },
    from: 'if (!isSettling) shop.writer.release(hold);',
    to: '',
    aims: reloads,
    streamShare: mostly,
  },
  {
    what: 'serve callers who leave a stream for nothing',
    in: relay,
    from: "if (rule.onLeave === 'finish') settled",
    to: 'if (false) settled',
    aims: reloads,
    streamShare: mostly,
  },
  {
    what: 'charge a stream above its hold',
    in: { file: 'journeys/response-price.ts' },
    from: "return { kind: 'priced', hold, units: hold.units, isCountable };",
    to: "return { kind: 'priced', hold, units: wanted, isCountable };",
    aims: reloads,
    streamShare: mostly,
  },
];
