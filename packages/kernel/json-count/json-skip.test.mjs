import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('what is kept is what the source makes', async () => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'sluice-wasm-'));
  try {
    const made = join(folder, 'json-skip.wasm');
    execFileSync('npm', ['run', 'build', '--', '-o', made], { cwd: here, stdio: 'ignore' });
    const kept = join(here, '../src/json-skip.wasm');
    assert.deepEqual(await readFile(kept), await readFile(made));
  } finally {
    await rm(folder, { recursive: true });
  }
});
