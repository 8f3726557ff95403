import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../support/free-port.ts';

const startMsMax = 120_000;
const stopMsMax = 30_000;
const pollMs = 100;
const outputCharsMax = 4_000;

/**
 * A shop to buy from: the one that runs at SHOP_URL and SANDBOX_URL, else one of its own that starts as anyone would
 * start it, on free ports and an empty data folder, and is told `env` beside. Its commands run by `settings`. `close` ends what was started here and nothing else.
 */
export async function open(env = {}) {
  const { SHOP_URL, SANDBOX_URL } = process.env;
  if (SHOP_URL && SANDBOX_URL && Object.keys(env).length === 0)
    return { url: SHOP_URL, sandboxUrl: SANDBOX_URL, close: async () => {} };
  const dir = await mkdtemp(join(tmpdir(), 'sluice-mppx-'));
  const [port, directPort, sandboxPort, mailboxPort, smtpPort] = await freePorts(5);
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    ...withoutSettings(process.env),
    DATA_DIR: dir,
    HOST: '127.0.0.1',
    PORT: String(port),
    DIRECT_PORT: String(directPort),
    SANDBOX_PORT: String(sandboxPort),
    MAILBOX_PORT: String(mailboxPort),
    MAILBOX_SMTP_PORT: String(smtpPort),
    PUBLIC_URL: url,
    ...env,
  };
  const child = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '../..'),
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const shop = {
    url,
    sandboxUrl: `http://127.0.0.1:${sandboxPort}`,
    settings,
    close: () => stop(child, dir),
  };
  try {
    await ready(child, url);
  } catch (error) {
    await shop.close();
    throw error;
  }
  return shop;
}

/** Settings of the machine must not reach the shop under test: it is to run on its defaults. */
function withoutSettings(env) {
  const ours =
    /^(DATABASE_URL|REDIS_URL|SMTP_URL|CATALOG|UPSTREAM_|STRIPE_|X402_|ADMIN_TOKEN|NODE_ENV$|NODE_TEST)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}

async function ready(child, url) {
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-outputCharsMax);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', (error) => keep(error.message));
  const deadline = Date.now() + startMsMax;
  while (!(await answers(`${url}/readyz`))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the shop ended at start:\n${output}`);
    if (Date.now() > deadline) throw new Error(`the shop was not ready after ${startMsMax} ms:\n${output}`);
    await sleep(pollMs);
  }
}

async function answers(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

/** Ends the process group of `child`, ours alone: npm tells a signal to a shell, which tells it to nobody. */
async function stop(child, dir) {
  signal(child, 'SIGTERM');
  const deadline = Date.now() + stopMsMax;
  while (signal(child, 0) && Date.now() < deadline) await sleep(pollMs);
  signal(child, 'SIGKILL');
  await rm(dir, { recursive: true, force: true });
}

/** Whether anyone of the group was there to hear it. */
function signal(child, name) {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, name);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}
