const everyMs = 1_000;
/** Shorter waits show no progress line. */
const silentMs = 500;
/** A progress line is not redrawn more often. */
const redrawnMs = 100;

/** Runs `work` and, on a TTY, shows a progress line with elapsed time; the line is cleared afterwards. */
export async function during<T>(what: string, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work();
  const startedMs = performance.now();
  const show = () =>
    stderr.write(`\r${what} ... ${Math.round((performance.now() - startedMs) / 1_000)} s\u001b[K`);
  const first = setTimeout(show, silentMs);
  const ticking = setInterval(show, everyMs);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(ticking);
    stderr.write('\r\u001b[K');
  }
}

/** A progress line for work that does not give way to timers. On a TTY alone; `end` clears it. */
export function progress(): { show: (what: string) => void; end: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => undefined, end: () => undefined };
  let shownMs = Number.NEGATIVE_INFINITY;
  const show = (what: string) => {
    if (performance.now() - shownMs < redrawnMs) return;
    shownMs = performance.now();
    stderr.write(`\r${what} ...\u001b[K`);
  };
  return { show, end: () => void stderr.write('\r\u001b[K') };
}
