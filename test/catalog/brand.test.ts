import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as CatalogFile from '../../src/catalog/file.ts';
import * as BrandStyle from '../../src/http/pages/brand-style.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-brand-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Reads a catalogue with this brand, and with these bytes in its logo file. */
async function read(brand: string, logo: string | Buffer, name = 'logo.svg') {
  const path = join(folder, 'catalog.yaml');
  await writeFile(join(folder, name), logo);
  await writeFile(
    path,
    `storefront: { name: Shop, contact: a@b.example, brand: ${brand} }
upstream: { key: { header: x-api-key, value: "{key}" } }
services: [{ slug: one, name: One, price_usd: "0.001", operations: [{ call: GET /one, units: 1 }] }]
plans: [{ id: credit, kind: credit, name: Credit, covers: "*", requests_per_second: 10 }]
`,
  );
  return CatalogFile.read(path);
}

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

describe('the brand of a shop', () => {
  test('is read with its logo, whose bytes are part of the digest', async () => {
    const one = await read('{ colour: "#AA3300", font: serif, logo: logo.svg }', svg);
    expect(one.catalog.storefront.brand).toMatchObject({ colour: '#AA3300', font: 'serif' });
    expect(one.catalog.logo).toEqual({ type: 'image/svg+xml', bytes: Buffer.from(svg) });
    const other = await read('{ colour: "#AA3300", font: serif, logo: logo.svg }', `${svg}\n`);
    expect(other.digest).not.toBe(one.digest);
  });

  test.each([
    ['{ logo: none.svg }', svg, 'logo none.svg cannot be read (ENOENT)'],
    ['{ logo: logo.svg }', 'a text', 'logo logo.svg is neither an SVG nor a PNG image'],
    ['{ logo: logo.svg }', svg + ' '.repeat(65_536), 'use an image of at most 65536'],
    ['{ colour: red }', svg, 'write a colour in quotes with six hexadecimal digits'],
    ['{ font: comic }', svg, 'font'],
  ])('%s is refused at its line', async (brand, logo, reason) => {
    const refused = await read(brand, logo).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refused).toMatch(/catalog\.yaml:1:\d+ /);
    expect(refused).toContain(reason);
  });

  test('a text with the ending of an image is refused', async () => {
    await expect(read('{ logo: logo.png }', svg, 'logo.png')).rejects.toThrow('neither an SVG nor a PNG');
  });

  test('has links and buttons that can be read, whatever its colour is', () => {
    const colours = /--accent:(#\w+);--on-accent:(#\w+);--tint:(#\w+)/g;
    const value = fc.integer({ min: 0, max: 0xffffff });
    fc.assert(
      fc.property(value, (colour) => {
        const style = BrandStyle.brandStyle({ colour: `#${colour.toString(16).padStart(6, '0')}` });
        const found = [...style.matchAll(colours)].map((match) => match.slice(1).map(BrandStyle.rgb));
        const grounds = [
          ['#ffffff', '#f5f3ee'],
          ['#1f1e1c', '#151513'],
        ];
        expect(found).toHaveLength(2);
        for (const [at, [accent, text, tint]] of found.entries()) {
          if (accent === undefined || text === undefined || tint === undefined) throw new Error(style);
          const behind = [...(grounds[at] ?? []).map(BrandStyle.rgb), text, tint];
          for (const ground of behind)
            expect(BrandStyle.contrast(accent, ground)).toBeGreaterThanOrEqual(4.5);
          expect(
            BrandStyle.contrast(BrandStyle.rgb(at === 0 ? '#1d1c1a' : '#efece5'), tint),
          ).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });
});
