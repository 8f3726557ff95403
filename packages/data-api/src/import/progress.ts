import type { Clock } from '@sluice/kernel/clock';

/** Shows the progress of a long-running command: an updating line on a terminal, otherwise one line per stage. */
export type Progress = {
  /** Ends the current stage and begins the next one, which will read `bytes` (0 if unknown). */
  stage(name: string, bytes: number): void;
  read(bytes: number): void;
  row(isBad: boolean): void;
  /** Ends the last stage. */
  end(): void;
  /** Clears the updating line, so that other output can be written. */
  clear(): void;
};
export type Screen = {
  write(text: string): void;
  isTerminal: boolean;
  clock: Clock;
  /** Name of the counted items. Default: rows. */
  noun?: string;
};

type Stage = { name: string; bytes: number; read: number; rows: number; bad: number; startedMs: number };

const redrawEveryMs = 200;
/** Minimum duration before the remaining time is shown: earlier estimates are unstable. */
const estimateAfterMs = 2_000;
const clearLine = '\r\u001b[K';

export function on({ write, isTerminal, clock, noun = 'rows' }: Screen): Progress {
  let stage: Stage | null = null;
  let drawnMs = 0;
  const draw = () => {
    const nowMs = clock();
    if (!isTerminal || stage === null || nowMs - drawnMs < redrawEveryMs) return;
    drawnMs = nowMs;
    write(clearLine + running(stage, nowMs, noun));
  };
  const clear = () => {
    if (isTerminal && stage !== null) write(clearLine);
  };
  const end = () => {
    if (stage === null) return;
    clear();
    write(`${done(stage, clock(), noun)}\n`);
    stage = null;
  };
  return {
    stage(name, bytes) {
      end();
      stage = { name, bytes, read: 0, rows: 0, bad: 0, startedMs: clock() };
      draw();
    },
    read(bytes) {
      if (stage === null) return;
      stage.read += bytes;
      draw();
    },
    row(isBad) {
      if (stage === null) return;
      stage.rows++;
      if (isBad) stage.bad++;
    },
    end,
    clear,
  };
}

/** `people.jsonl  41%  120,000 rows  31,000 rows/s  about 8 s left`. */
function running(stage: Stage, nowMs: number, noun: string): string {
  const { name, bytes, read, rows } = stage;
  const ms = nowMs - stage.startedMs;
  const parts = [name];
  if (bytes > 0) parts.push(`${Math.floor((Math.min(read, bytes) / bytes) * 100)}%`);
  if (rows > 0) parts.push(`${number(rows)} ${noun}`, pace(rows, ms, noun));
  if (bytes > 0 && read > 0 && ms > estimateAfterMs) {
    parts.push(`about ${seconds(Math.max(0, (ms / read) * (bytes - read)))} left`);
  }
  return parts.join('  ');
}

function done({ name, rows, bad, startedMs }: Stage, nowMs: number, noun: string): string {
  const ms = nowMs - startedMs;
  if (rows === 0) return `${name}  ${seconds(ms)}`;
  const parts = [name, `${number(rows)} ${noun}`, seconds(ms), pace(rows, ms, noun)];
  return (bad > 0 ? [...parts, `${number(bad)} bad`] : parts).join('  ');
}

function pace(rows: number, ms: number, noun: string): string {
  return `${number(Math.round((rows / Math.max(ms, 1)) * 1_000))} ${noun}/s`;
}

/** `8.2 s`, `2 min 5 s`. */
export function seconds(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** `1,204,311`. */
export function number(value: number): string {
  return value.toLocaleString('en-US');
}
