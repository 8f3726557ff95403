import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

/** Modules as loaded by a process with another network host. */
async function load() {
  const [networkUrl, personUrl, ownKey, description, template, person, config, host] = await Promise.all([
    import('../src/filters/network-url.ts'),
    import('../src/filters/person-url.ts'),
    import('../src/filters/own-key.ts'),
    import('../src/http/description.ts'),
    import('../src/import/template.ts'),
    import('../src/records/person.ts'),
    import('../src/config.ts'),
    import('../src/network-host.ts'),
  ]);
  return { networkUrl, personUrl, ownKey, description, template, person, config, host };
}

let there: Awaited<ReturnType<typeof load>>;
beforeAll(async () => {
  vi.resetModules();
  vi.stubEnv('DIRECT_NETWORK_HOST', 'WWW.Pro-Network.test');
  there = await load();
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe('the host of the network', () => {
  it('is accepted with and without www., with a country subdomain, and without the scheme', () => {
    for (const start of ['https://www.', 'http://', 'https://de.', '', 'WWW.']) {
      const url = `${start}pro-network.test`;
      expect(there.networkUrl.company(`${url}/company/acme/`), url).toEqual({ kind: 'slug', slug: 'acme' });
      expect(there.personUrl.person(`${url}/in/ann?x=1`), url).toEqual({ kind: 'slug', slug: 'ann' });
    }
    for (const other of [
      'www.network.example',
      'pro-networkxtest',
      'www.pro-network.test.evil.test',
      'x.pro-network.test',
    ])
      expect(there.networkUrl.company(`https://${other}/company/acme`), other).toBe(null);
  });

  it('is in canonical addresses, the description and the templates', () => {
    expect(there.networkUrl.companyUrl({ kind: 'slug', slug: 'acme' })).toBe(
      'https://www.pro-network.test/company/acme',
    );
    expect(there.personUrl.personUrl('ann')).toBe('https://www.pro-network.test/in/ann');
    const texts = [
      JSON.stringify(there.description.describe('http://localhost')),
      there.template.csv('people'),
      there.template.jsonl('emails'),
    ];
    for (const text of texts) {
      expect(text).toContain('https://www.pro-network.test/');
      expect(text).not.toContain('network.example');
    }
  });

  it('replaces the host of addresses that were imported under another one', () => {
    const person = there.person.toPerson({
      network_url: 'https://uk.network.example/in/ann',
      experiences: [
        { company_network_url: 'https://www.network.example/company/acme' },
        { company_network_url: there.ownKey.urn('company', 'own:0123456789abcdef01234567') },
      ],
    });
    expect(person.network_url).toBe('https://www.pro-network.test/in/ann');
    expect(person.experiences.map(({ company_network_url }) => company_network_url)).toEqual([
      'https://www.pro-network.test/company/acme',
      'urn:nw:own:company:0123456789abcdef01234567',
    ]);
  });

  it('that is not a host name stops the start with a clear message', () => {
    for (const wrong of ['https://pro-network.test', 'pro-network.test/in', 'localhost', 'a b.test'])
      expect(there.host.faultOf({ DIRECT_NETWORK_HOST: wrong }), wrong).toContain('must be a host name');
    expect(() =>
      there.config.read({ DATABASE_URL: 'postgres://localhost/x', DIRECT_NETWORK_HOST: 'a/b' }),
    ).toThrow('DIRECT_NETWORK_HOST must be a host name');
    expect(there.host.faultOf({})).toBe(null);
  });

  it('is also read from a settings file, before a command is loaded', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-host-'));
    try {
      const file = join(folder, 'shop.env');
      await writeFile(file, 'DIRECT_NETWORK_HOST=pro-network.test\n');
      const script = fileURLToPath(new URL('../../../src/cli/sluice.ts', import.meta.url));
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [script, 'data', 'template', 'companies', '--settings', file],
        { env: { PATH: process.env.PATH } },
      );
      expect(stdout).toContain('https://www.pro-network.test/company/');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
