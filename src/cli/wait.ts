const everyMs = 1_000;
/** What is over sooner than this was no wait. */
const silentMs = 500;

/** Does `work`; who sits at a terminal sees what is going on and for how long, and nothing is left of that. */
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
