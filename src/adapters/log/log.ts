import { systemClock } from '@sluice/kernel/clock';
import { type DestinationStream, destination, type Level, type Logger, pino } from 'pino';

export type Log = Logger;

/** Lines are written when the buffer has this many characters, and at this interval. */
const bufferCharsMax = 32 * 1024;
const flushEveryMs = 200;
const base = { service: 'storefront' };

/**
 * Opens the log: one JSON line per event on standard output, buffered and asynchronous. The program never logs a header, a
 * query or a body; redacting the paths below is a second safeguard for secrets.
 */
export function openLog(level: Level): Log {
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
  const output = buffered();
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime, redact }, output);
}

/**
 * Writes lines to standard output in batches. The library's own buffer measures its whole content again for each line, which takes
 * more time than the rest of the work for a line.
 */
function buffered(): DestinationStream & { flush(done: (fault?: Error) => void): void } {
  const output = destination({ dest: 1, sync: false, minLength: 1 });
  let lines: string[] = [];
  let chars = 0;
  const hand = () => {
    if (chars > 0) output.write(lines.join(''));
    lines = [];
    chars = 0;
  };
  setInterval(hand, flushEveryMs).unref();
  return {
    write(line) {
      lines.push(line);
      chars += line.length;
      if (chars >= bufferCharsMax) hand();
    },
    flush(done) {
      hand();
      output.flush(done);
    },
  };
}

/**
 * Returns a faster form of the log for lines whose members are all known, such as those of requests. They need no search for
 * secrets, and there is one for every call.
 */
export function ofKnownShape(log: Log): { info(line: Readonly<Record<string, unknown>>): void } {
  const output = (log as unknown as { [pino.symbols.streamSym]: DestinationStream })[pino.symbols.streamSym];
  const level = log.levels.values.info;
  let timeMs = 0;
  let head = '';
  return {
    info(line) {
      if (!log.isLevelEnabled('info')) return;
      const nowMs = systemClock();
      if (nowMs !== timeMs) {
        timeMs = nowMs;
        const members = { level, time: new Date(nowMs).toISOString(), ...base };
        head = `${JSON.stringify(members).slice(0, -1)},`;
      }
      output.write(`${head}${JSON.stringify(line).slice(1)}\n`);
    },
  };
}

/** Number of occurrences of each event since the start, by its stable name. */
export type EventCounts = Map<string, number>;

/** Returns a function that logs events at `level` and counts them. */
export function reporter(
  log: Log,
  level: 'warn' | 'error',
  tally: EventCounts,
): (event: string, detail: Readonly<Record<string, unknown>>) => void {
  return (event, detail) => {
    tally.set(event, (tally.get(event) ?? 0) + 1);
    log[level]({ event, ...detail });
  };
}

/** Returns what the log may contain of an error: name, message, stack, and the code of a database or network error. */
export function describe(fault: unknown): Record<string, unknown> {
  if (!(fault instanceof Error)) return { fault: String(fault) };
  const code = 'code' in fault && typeof fault.code === 'string' ? { code: fault.code } : {};
  return { fault: fault.message, name: fault.name, ...code, stack: fault.stack };
}

/** Logs the fault and exits, for faults that make continuing unsafe. Calls under way are released; the supervisor restarts the process. */
export function giveUp(log: Log, event: string, fault: unknown): void {
  log.fatal({ event, ...describe(fault) });
  log.flush(() => process.exit(1));
}
