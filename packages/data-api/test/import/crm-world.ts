import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { vi } from 'vitest';
import { createDatabase } from '../../../../test/support/database.ts';
import { keys } from '../../src/adapters/keys.ts';
import * as DataImport from '../../src/commands/data-import.ts';
import * as DataSets from '../../src/commands/data-sets.ts';
import type { Terminal } from '../../src/commands/import-choices.ts';
import { largeSearchMsDefault, searchTermsMaxDefault } from '../../src/config.ts';
import * as Key from '../../src/keys/key.ts';
import * as Program from '../../src/program.ts';
import { type Body, unlimited } from '../support/sample-service.ts';

export const nowMs = Date.UTC(2026, 4, 14, 9, 30);
export type Run = { code: number; out: string; err: string };
export type CrmWorld = Awaited<ReturnType<typeof open>>;

/** A database of its own, into which files are imported with the command, and the data API on it. */
export async function open() {
  const database = await createDatabase();
  const { sql, close } = await DataSets.at(database.url);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-crm-'));
  const key = Key.draw();
  const lines: string[] = [];
  const log = pino(
    new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk)) as undefined) }),
  );
  let program: Program.Program | null = null;

  /** Runs `sluice data import` in this process. */
  async function run(args: string[], terminal: Terminal | null = null): Promise<Run> {
    const out: string[] = [];
    const err: string[] = [];
    const spies = [
      vi.spyOn(console, 'log').mockImplementation((text) => void out.push(String(text))),
      vi.spyOn(console, 'error').mockImplementation((text) => void err.push(String(text))),
      vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
    ];
    const reach = async () => ({ url: database.url, leave: async () => {} });
    try {
      const code = await DataImport.run(args, reach, terminal);
      return { code, out: out.join('\n'), err: err.join('\n') };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  return {
    sql,
    databaseUrl: database.url,
    lines,
    run,
    async write(name: string, content: string): Promise<string> {
      const path = join(folder, name);
      await writeFile(path, content);
      return path;
    },
    /** Starts the data API on the imported data. */
    async serve(): Promise<void> {
      const config = {
        host: '127.0.0.1',
        port: 0,
        databaseUrl: database.url,
        apiKey: null,
        publicUrl: null,
        adminTokenDigest: null,
        clientAddressHeader: null,
        sampleScale: 1,
        emails: null,
        live: null,
        searchTermsMax: searchTermsMaxDefault,
        largeSearchMs: largeSearchMsDefault,
      };
      program = await Program.start(config, {
        clock: () => nowMs,
        log,
        sizes: { companies: 1, people: 1, jobs: 1 },
      });
      await keys(sql).add(Key.issue(key, unlimited, nowMs, null));
    },
    async post(path: string, body: object): Promise<Body> {
      const response = await fetch(`${program?.url}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (response.status !== 200) throw new Error(await response.text());
      return response.json();
    },
    async close(): Promise<void> {
      await program?.stop();
      await close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
