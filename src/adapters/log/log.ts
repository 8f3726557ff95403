import { type DestinationStream, destination, type Level, type Logger, pino } from 'pino';
import { systemClock } from '../../kernel/clock.ts';

export type Log = Logger;

/** Written when so much is there, or when this time has passed. */
const bufferCharsMax = 32 * 1024;
const flushEveryMs = 200;
const base = { service: 'storefront' };

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
  const output = buffered();
  return pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime, redact }, output);
}

/**
 * Lines by the dozen to standard output. The library's own buffer measures all that it holds anew with each line, which costs
 * a call more than the rest of its line.
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
 * The same log for lines whose members are all known, as those of requests: nothing in them has to be searched for secrets,
 * and there is one for every call.
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
