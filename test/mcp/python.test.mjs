import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import * as Shop from '../mppx/shop.mjs';

/** A Python with the official SDK (`pip install mcp`), which Debian does not have. */
const { MCP_PYTHON } = process.env;
const skip = MCP_PYTHON ? false : 'MCP_PYTHON names no Python with the package mcp';
const msMax = 60_000;

let shop;
before(async () => {
  if (MCP_PYTHON) shop = await Shop.open();
});
after(() => shop?.close());

for (const [mode, version] of [
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
]) {
  test(`the official Python SDK finds, calls and reads, in ${version}`, { skip }, async () => {
    const response = await fetch(`${shop.url}/agent/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"anonymous"}',
    });
    const { access_token: bearer } = await response.json();
    const args = [join(import.meta.dirname, 'python_sdk.py'), shop.url, bearer, mode];
    const { stdout } = await promisify(execFile)(MCP_PYTHON, args, { timeout: msMax });
    assert.equal(stdout.trim(), version);
  });
}
