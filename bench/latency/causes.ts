import { lengthMs, overlapMs, type Span } from './span.ts';

/** A call as its caller and the gateway's trace saw it. */
export type TracedCall = {
  /** From the moment that the caller sent it to the last byte of the response. */
  whole: Span;
  /** In the gateway, from the request's header section to the end of the response. */
  served: Span;
  upstream: Span | null;
  /** The batches of the ledger during it: its own, and the ones that it waited behind. */
  batches: readonly Span[];
};

/** Something that took time from everything in a process, or from all processes. */
export type Disturbance = Span & { cause: string; part: Part };

/** The place of a call: on its way to and from the gateway, in the upstream, in a commit, or in the gateway itself. */
export type Part = 'caller' | 'upstream' | 'commit' | 'gateway' | 'machine';

/** A disturbance explains a part of a call if it covers at least this share of it. */
const explainingShareMin = 0.3;

/**
 * Finds the part in which a slow call spent most of its time, and the disturbance that covers most of that part. All parts are seen from the
 * gateway, so its own pauses make each of them longer: it reads the answer of a commit or of the upstream only afterwards.
 * @returns for example `commit: a checkpoint was being written`, or `commit: not explained`
 */
export function causeOf(call: TracedCall, disturbances: readonly Disturbance[]): string {
  const [part, spans] = longestPart(call);
  const total = sum(spans.map(lengthMs));
  const byCause = new Map<string, number>();
  for (const disturbance of disturbances) {
    if (!['machine', 'gateway', part].includes(disturbance.part)) continue;
    const ms = sum(spans.map((span) => overlapMs(span, disturbance)));
    byCause.set(disturbance.cause, (byCause.get(disturbance.cause) ?? 0) + ms);
  }
  const [cause, ms] = [...byCause].sort(([, one], [, other]) => other - one)[0] ?? ['', 0];
  return `${part}: ${total > 0 && ms / total >= explainingShareMin ? cause : 'not explained'}`;
}

function longestPart(call: TracedCall): [Part, Span[]] {
  const { whole, served, upstream } = call;
  const commit = merged(call.batches.filter((batch) => overlapMs(batch, served) > 0)).map((batch) =>
    clipped(batch, served),
  );
  const proxied = upstream === null ? [] : [upstream];
  const parts: [Part, Span[]][] = [
    [
      'caller',
      [
        { startMs: whole.startMs, endMs: served.startMs },
        { startMs: served.endMs, endMs: whole.endMs },
      ],
    ],
    ['upstream', proxied],
    ['commit', without(commit, proxied)],
    ['gateway', without(without([served], proxied), commit)],
  ];
  const longest = parts.reduce((best, part) =>
    sum(part[1].map(lengthMs)) > sum(best[1].map(lengthMs)) ? part : best,
  );
  return longest;
}

function clipped(span: Span, to: Span): Span {
  return { startMs: Math.max(span.startMs, to.startMs), endMs: Math.min(span.endMs, to.endMs) };
}

/** Returns the union of spans as disjoint spans in order. */
function merged(spans: readonly Span[]): Span[] {
  const united: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.startMs - other.startMs)) {
    const last = united.at(-1);
    if (last !== undefined && span.startMs <= last.endMs) last.endMs = Math.max(last.endMs, span.endMs);
    else united.push({ ...span });
  }
  return united;
}

/** Returns what remains of disjoint spans outside of others. */
function without(spans: readonly Span[], others: readonly Span[]): Span[] {
  return others.reduce<Span[]>(
    (rest, other) =>
      rest.flatMap((span) =>
        [
          { startMs: span.startMs, endMs: Math.min(span.endMs, other.startMs) },
          { startMs: Math.max(span.startMs, other.endMs), endMs: span.endMs },
        ].filter(({ startMs, endMs }) => endMs > startMs),
      ),
    [...spans],
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
