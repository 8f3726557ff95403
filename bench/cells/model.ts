/**
 * A model of ledger cells: processes send batches of settled calls to PostgreSQL clusters. It simulates the batches of one cell event by event
 * (queue for a core, shared flush of the log) and calculates everything else from the costs of a call and of a batch. All cells are alike.
 */
export type Costs = {
  /** CPU microseconds of a process per call, without its share of a batch, and per batch. */
  gatewayCallUs: number;
  gatewayBatchUs: number;
  /** CPU microseconds of PostgreSQL per batch, and per call in it. */
  databaseBatchUs: number;
  databaseCallUs: number;
  /** Duration of a flush of the write-ahead log. Commits that wait meanwhile share the next one. */
  flushMs: number;
  usageBytes: number;
  logBytes: number;
  logBatchBytes: number;
};

/** `cellsEach`: the number of cells that each process serves. Fewer than all if a balancer routes calls by their slot. */
export type Layout = {
  callsPerSecond: number;
  cells: number;
  processes: number;
  cellsEach: number;
  coresOfCell: number;
};

export const limits = {
  /** Share of its core that a process, or of its cores that a cluster, may use. */
  busy: 0.6,
  /** Settlements of a batch. */
  batchRows: 2_000,
  /** Connections of a process to each of its cells, and those that a cluster of this size serves well. */
  connectionsEach: 13,
  connections: 500,
  /** Bytes of usage that a cluster may gain in a day: 400 GB, as in docs/capacity.md. */
  usageBytesADay: 400e9,
  /** Bytes of log that a cluster writes in a second on a common disk, with archiving and a standby. */
  logBytesASecond: 100e6,
};

export type CellLoad = {
  rows: number;
  batchesPerSecond: number;
  flushesPerSecond: number;
  p50: number;
  p99: number;
};
export type Use = { resource: string; share: number };
export type Forecast = CellLoad & { uses: Use[]; gatewayCores: number; databaseCores: number };

const secondUs = 1e6;

/**
 * Returns the load of each resource, the most loaded first. A share above 1 means that the layout is too small. Flushes are no resource: commits
 * share them, so that a disk which is always flushing only makes calls wait (`p50`, `p99`).
 */
export function forecast(costs: Costs, layout: Layout, seconds = 1): Forecast {
  const { callsPerSecond, cells, processes, cellsEach, coresOfCell } = layout;
  const lanes = Math.max(1, Math.round((processes * cellsEach) / cells));
  const load = simulate(
    costs,
    { lanes, callsPerSecond: callsPerSecond / cells, cores: coresOfCell },
    seconds,
  );
  const perCell = callsPerSecond / cells;
  const gatewayCores =
    (callsPerSecond * costs.gatewayCallUs + load.batchesPerSecond * cells * costs.gatewayBatchUs) / secondUs;
  const databaseCores =
    (perCell * costs.databaseCallUs + load.batchesPerSecond * costs.databaseBatchUs) / secondUs;
  const logBytes = perCell * costs.logBytes + load.batchesPerSecond * costs.logBatchBytes;
  const uses: Use[] = [
    { resource: 'processes', share: gatewayCores / processes / limits.busy },
    { resource: 'cores of a cell', share: databaseCores / coresOfCell / limits.busy },
    { resource: 'disk of a cell', share: (perCell * 86_400 * costs.usageBytes) / limits.usageBytesADay },
    { resource: 'log of a cell', share: logBytes / limits.logBytesASecond },
    { resource: 'connections of a cell', share: (lanes * limits.connectionsEach) / limits.connections },
  ];
  return { ...load, gatewayCores, databaseCores, uses: uses.sort((a, b) => b.share - a.share) };
}

/** A lane is the ledger writer of one process in one cell: it has at most one batch under way. */
type Lane = { waitingSinceUs: number; sentRows: number; sentFromUs: number; sentAtUs: number };
type Event = { atUs: number; kind: 'arrival' | 'executed' | 'flushed'; lane: number };

/** Simulates the batches of a cell. The same input gives the same result. */
export function simulate(
  { databaseBatchUs, databaseCallUs, flushMs }: Costs,
  { lanes, callsPerSecond, cores }: { lanes: number; callsPerSecond: number; cores: number },
  seconds: number,
): CellLoad {
  const random = seeded(lanes * 7919 + Math.round(callsPerSecond));
  const perLaneUs = callsPerSecond / lanes / secondUs;
  const events = new Queue();
  const all: Lane[] = Array.from({ length: lanes }, () => ({
    waitingSinceUs: 0,
    sentRows: 0,
    sentFromUs: 0,
    sentAtUs: 0,
  }));
  const runnable: number[] = [];
  let freeCores = cores;
  let flushing: number[] | null = null;
  let toFlush: number[] = [];
  const endUs = seconds * secondUs;
  let [rows, batches, flushes] = [0, 0, 0];
  const waitsMs: { ms: number; rows: number }[] = [];
  const exponential = (rate: number) => -Math.log(1 - random()) / rate;
  const run = (nowUs: number) => {
    while (freeCores > 0 && runnable.length > 0) {
      const lane = runnable.shift() as number;
      freeCores -= 1;
      const { sentRows } = all[lane] as Lane;
      events.add({ atUs: nowUs + databaseBatchUs + sentRows * databaseCallUs, kind: 'executed', lane });
    }
  };
  const send = (lane: number, nowUs: number) => {
    const one = all[lane] as Lane;
    // Arrivals since the last batch: the one that ended the wait, and those of a Poisson process before it.
    one.sentRows = Math.min(limits.batchRows, 1 + poisson(perLaneUs * (nowUs - one.waitingSinceUs), random));
    one.sentFromUs = one.waitingSinceUs;
    one.sentAtUs = nowUs;
    one.waitingSinceUs = nowUs;
    runnable.push(lane);
    run(nowUs);
  };
  const flush = (nowUs: number) => {
    if (flushing !== null || toFlush.length === 0) return;
    flushing = toFlush;
    toFlush = [];
    flushes += 1;
    events.add({ atUs: nowUs + flushMs * 1_000, kind: 'flushed', lane: -1 });
  };
  for (let lane = 0; lane < lanes; lane++)
    events.add({ atUs: exponential(perLaneUs), kind: 'arrival', lane });
  for (let event = events.next(); event !== undefined && event.atUs < endUs; event = events.next()) {
    const { atUs, kind, lane } = event;
    if (kind === 'arrival') {
      (all[lane] as Lane).waitingSinceUs = atUs;
      send(lane, atUs);
    } else if (kind === 'executed') {
      freeCores += 1;
      toFlush.push(lane);
      flush(atUs);
      run(atUs);
    } else {
      const done = flushing ?? [];
      flushing = null;
      for (const each of done) {
        const one = all[each] as Lane;
        rows += one.sentRows;
        batches += 1;
        waitsMs.push({ ms: (atUs - (one.sentFromUs + one.sentAtUs) / 2) / 1_000, rows: one.sentRows });
        // If no call arrived while the batch was under way, the lane waits for the next one.
        const nextUs = one.sentAtUs + exponential(perLaneUs);
        if (nextUs <= atUs) {
          one.waitingSinceUs = nextUs;
          send(each, atUs);
        } else events.add({ atUs: nextUs, kind: 'arrival', lane: each });
      }
      flush(atUs);
    }
  }
  return {
    rows: rows / Math.max(1, batches),
    batchesPerSecond: batches / seconds,
    flushesPerSecond: flushes / seconds,
    p50: weighted(waitsMs, 0.5),
    p99: weighted(waitsMs, 0.99),
  };
}

/** The value that a share of the calls do not exceed. */
function weighted(waits: { ms: number; rows: number }[], share: number): number {
  const sorted = [...waits].sort((a, b) => a.ms - b.ms);
  let left = sorted.reduce((sum, { rows }) => sum + rows, 0) * share;
  for (const { ms, rows } of sorted) {
    left -= rows;
    if (left <= 0) return ms;
  }
  return Number.NaN;
}

function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function poisson(mean: number, random: () => number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const end = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > end; product *= random()) count += 1;
  return count;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Events in the order of their time: a binary heap. */
class Queue {
  readonly #heap: Event[] = [];

  add(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as Event).atUs <= event.atUs) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  next(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as Event).atUs < (heap[child] as Event).atUs)
        child += 1;
      if ((heap[child] as Event).atUs >= last.atUs) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
