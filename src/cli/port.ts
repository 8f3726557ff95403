import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A port for a bundled program, and the setting that names it. */
export type Port = { setting: string; number: number; host: string };

/** Parses a port from 1 to 65535. Throws with the name of the setting for anything else. */
export function parse(setting: string, text: string, host: string): Port {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= 65_535) return { setting, number, host };
  throw new Error(`${setting}=${text} is not a port: give a number from 1 to 65535`);
}

/** Waits until all `ports` are free at the same time. Throws with the name of the setting to change after `msMax`. */
export async function requireFree(ports: readonly Port[], msMax: number): Promise<void> {
  const end = Date.now() + msMax;
  const taken: Server[] = [];
  try {
    // Takes them one by one and releases them together, so that two settings with the same port are detected.
    for (const port of ports) taken.push(await take(port, end));
  } finally {
    for (const server of taken) server.close();
  }
}

async function take(port: Port, end: number): Promise<Server> {
  for (;;) {
    const outcome = await listen(port);
    if (typeof outcome !== 'string') return outcome;
    if (outcome !== 'EADDRINUSE' || Date.now() >= end) throw new Error(refusal(port, outcome));
    await sleep(100);
  }
}

function listen({ number, host }: Port): Promise<Server | string> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(number, host, () => resolve(server));
  });
}

function refusal({ setting, number, host }: Port, code: string): string {
  const other = `choose another with ${setting}, for example: ${setting}=${number < 65_000 ? number + 100 : 4_120} npm start`;
  if (code === 'EADDRINUSE') return `Port ${number} is in use by another program: stop it, or ${other}`;
  if (code === 'EACCES') return `Port ${number} is reserved for the system: ${other}`;
  return `Cannot listen on ${host}, port ${number} (${code}): change HOST or ${setting}`;
}
