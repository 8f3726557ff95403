/** Runs the card sandbox as a process: reads the environment, listens, prints one line, and stops on a signal or with its parent. */
import { systemClock } from '@sluice/kernel/clock';
import * as Config from './config.ts';
import { start } from './server.ts';

const read = Config.read(process.env);
if (!read.ok) {
  console.error(
    `card sandbox: the settings are wrong\n${read.faults.map((fault) => `  ${fault}`).join('\n')}`,
  );
  process.exit(1);
}
const { config } = read;

const running = await start(config, systemClock).catch((error: unknown) => {
  console.error(`card sandbox: cannot start: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});

let isEnding = false;
function end(): void {
  if (isEnding) return;
  isEnding = true;
  running.close().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error('card sandbox: did not close cleanly', error);
      process.exit(1);
    },
  );
}
process.on('SIGTERM', end);
process.on('SIGINT', end);
process.on('disconnect', end);

const reach = Config.isLoopback(config.host) ? '' : ' (WARNING: other machines can reach it)';
console.log(`card sandbox: listening on ${running.url}${reach}`);
process.send?.({ ready: true, url: running.url });
