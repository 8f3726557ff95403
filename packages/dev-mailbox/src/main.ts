/** Runs the mailbox as a process: listens, prints one line, and stops on a signal or with its parent. */
import { systemClock } from '@sluice/kernel/clock';
import * as Config from './config.ts';
import { start } from './server.ts';

try {
  const running = await start(Config.read(process.env), systemClock);
  const end = () => void running.close().finally(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, end);
  console.log(`mailbox: mail at ${running.smtpUrl}, shown at ${running.url}`);
  process.send?.({ ready: true, url: running.url });
} catch (error) {
  console.error(`mailbox: cannot start: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
