#!/usr/bin/env node
// Runs src/cli/sluice.ts, which Node 24 runs as it stands; from an older Node it hands over to the one among the packages.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const script = new URL('../src/cli/sluice.ts', import.meta.url);
const versionMin = 24;

if (Number.parseInt(process.versions.node, 10) >= versionMin) {
  await import(script.href);
} else {
  const node = newerNode();
  if (node === null) {
    process.stderr.write(
      `sluice needs Node ${versionMin}: npm ci brings one for this machine, where there is one.\n`,
    );
    process.exit(2);
  }
  const child = spawn(node, [fileURLToPath(script), ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('error', ({ message }) => {
    process.stderr.write(`${node} cannot be run: ${message}\n`);
    process.exit(2);
  });
  // What a terminal says to all of its programs reaches the child by itself; whoever names us alone is heard by both.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {});
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

/** The Node that npm brought for this machine (`optionalDependencies`). */
function newerNode() {
  const { resolve } = createRequire(import.meta.url);
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const kind of ['node', 'node-bin']) {
    try {
      const place = `${kind}-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
      return resolve(`${place}/bin/${name}`);
    } catch {}
  }
  return null;
}
