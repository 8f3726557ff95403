import { destination, type Level, type Logger, pino } from 'pino';

export type Log = Logger;

/** Written at once when it is full: with less, writing costs a call more than formatting does. */
const bufferBytesMax = 64 * 1024;

/**
 * The log: one JSON line an event on standard output, buffered and asynchronous. Secrets do not get this far: nobody logs
 * a header, a query or a body; the paths below are the second line of defence.
 */
export function open(level: Level): Log {
  const redact = [
    'authorization',
    'cookie',
    '*.authorization',
    '*.headers',
    'access_token',
    '*.access_token',
    'token',
    '*.token',
    'key',
    '*.key',
  ];
  const output = destination({
    dest: 1,
    sync: false,
    minLength: bufferBytesMax,
    maxWrite: 2 * bufferBytesMax,
  });
  // What the buffer holds goes out within this time, also when nothing more comes.
  setInterval(() => output.flush(), 200).unref();
  return pino(
    { level, base: { service: 'storefront' }, timestamp: pino.stdTimeFunctions.isoTime, redact },
    output,
  );
}

/** The same log for lines whose members are all known, as those of requests: nothing in them has to be searched for secrets. */
export function ofKnownShape(log: Log): Log {
  return log.child({}, { redact: [] });
}

/** How often each event was told since the start, by its stable name. */
export type Tally = Map<string, number>;

/** Tells of events at `level`, and counts them. */
export function telling(
  log: Log,
  level: 'warn' | 'error',
  tally: Tally,
): (event: string, detail: Readonly<Record<string, unknown>>) => void {
  return (event, detail) => {
    tally.set(event, (tally.get(event) ?? 0) + 1);
    log[level]({ event, ...detail });
  };
}

/** What may be said of a fault: its name, message and place, and the code of a database or network error. */
export function describe(fault: unknown): Record<string, unknown> {
  if (!(fault instanceof Error)) return { fault: String(fault) };
  const code = 'code' in fault && typeof fault.code === 'string' ? { code: fault.code } : {};
  return { fault: fault.message, name: fault.name, ...code, stack: fault.stack };
}

/** Ends the process where going on would be worse: calls under way are given back, and whoever runs it starts another. */
export function giveUp(log: Log, event: string, fault: unknown): void {
  log.fatal({ event, ...describe(fault) });
  log.flush(() => process.exit(1));
}
