import { systemClock } from '@sluice/kernel/clock';
import pino from 'pino';
import * as Config from './config.ts';
import * as Sample from './data/sample.ts';
import * as Program from './program.ts';

// Log lines are buffered; `flushSync` below writes the last of them before the process exits.
const destination = pino.destination({ sync: false, minLength: 0 });
const log = pino({ name: 'direct' }, destination);

let program: Program.Program | null = null;
let isLeaving = false;

async function run(): Promise<void> {
  const startedMs = systemClock();
  const config = Config.read(process.env);
  program = await Program.start(config, { clock: systemClock, log, sizes: Sample.sized(config.sampleScale) });
  log.info({ url: program.url, ms: systemClock() - startedMs }, 'ready');
  process.send?.({ ready: true, url: program.url });
}

/** Stops the program and exits. An interrupted start leaves nothing half done, so there is no need to wait for it. */
async function leave(reason: string): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  log.info({ reason }, 'stopping');
  await program?.stop();
  destination.flushSync();
  process.exit(0);
}

function fail(error: unknown): void {
  log.fatal({ err: error }, 'failed');
  destination.flushSync();
  process.exit(1);
}

// The IPC channel closes when the parent process dies. Without this, the program would keep running unsupervised.
process.on('disconnect', () => void leave('disconnect').catch(fail));
process.on('SIGTERM', () => void leave('SIGTERM').catch(fail));
process.on('SIGINT', () => void leave('SIGINT').catch(fail));
await run().catch(fail);
