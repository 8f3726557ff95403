import { beforeAll, describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import * as Description from '../../src/catalog/description.ts';
import * as CatalogFile from '../../src/catalog/file.ts';
import { openReference } from '../../src/discovery/reference.ts';
import * as Samples from '../../src/http/pages/code-samples.ts';
import * as Markdown from '../../src/http/pages/markdown.ts';
import { code, source } from '../../src/http/pages/page-script.ts';
import { isNamed, navigation } from '../../src/http/pages/reference/navigation.ts';
import { operation } from '../../src/http/pages/reference/operation.ts';
import { type Outline, pagesOf } from '../../src/http/pages/reference/outline.ts';
import { fieldTable } from '../../src/http/pages/reference/schema-table.ts';
import type { ReferenceWriter } from '../../src/http/pages/reference/writer.ts';
import { docsPages, referencePages } from '../../src/http/pages/routes/docs.ts';
import { english } from '../../src/text/texts.ts';

let write: ReferenceWriter;
let outline: Outline;
let catalog: Catalog;
let shop: Parameters<typeof docsPages>[0];
beforeAll(async () => {
  catalog = await CatalogFile.load('openapi/catalog.yaml');
  const described = await Description.read('packages/data-api/openapi/data-api.yaml');
  if (!described.ok) throw new Error(described.reason);
  const context = { baseUrl: 'https://shop.example', offers: { claim: true, x402: true } };
  const reference = await openReference(catalog, described.document, context);
  shop = { reference, catalog, publicUrl: 'https://shop.example', texts: english };
  ({ write, outline } = referencePages(shop));
});

describe('a description in Markdown', () => {
  test('cannot put tags, images or scripts into the page', () => {
    const attacks = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '[a](&#106;avascript:alert(1))',
      '![a](https://evil.example/pixel.gif)',
      '[a](data:text/html,x)',
      '<javascript:alert(1)>',
      '```\n</pre><script>alert(1)</script>\n```',
      '[a](https://x.example "onmouseover=alert(1) \\"><script>")',
    ];
    for (const attack of attacks) {
      const html = `${Markdown.blocks(attack)}${Markdown.line(attack)}`;
      expect(html).not.toMatch(/<script|<img|href="(?!https:)|<[^>]+\son\w+=[^"]/i);
    }
  });

  test('is shown with its lists, tables, code and links', () => {
    const html = String(
      Markdown.blocks('# Head\n\n- one `code`\n\n|a|b|\n|-|-|\n|1|2|\n\n[x](https://x.example)'),
    );
    expect(html).toContain('<strong>Head</strong>');
    expect(html).toContain('<li>one <code>code</code></li>');
    expect(html).toContain('<th>a</th>');
    expect(html).toContain('<a href="https://x.example" rel="nofollow noopener">x</a>');
  });
});

describe('code samples', () => {
  const request = {
    method: 'POST',
    baseUrl: 'https://shop.example',
    path: "/v1/it's",
    body: { kind: 'json', value: { text: "it's", ok: true, none: null, list: [{ a: 1 }] } } as const,
    token: 'slk_1',
  };
  const sample = (language: string, of: Samples.SampleRequest) =>
    Samples.samplesOf(of).find((one) => one.language === language)?.code ?? '';

  test('quote what the languages would interpret', () => {
    expect(sample('curl', request)).toContain(String.raw`'https://shop.example/v1/it'\''s'`);
    expect(sample('TypeScript', request)).toContain(`fetch("https://shop.example/v1/it's"`);
    expect(sample('Python', request)).toContain('"ok": True,');
    expect(sample('Python', request)).toContain('"none": None,');
  });

  test('need nothing but what the languages have, or say how to install it', () => {
    for (const { method, path } of catalog.operations) {
      const of = { ...request, method, path };
      expect(sample('TypeScript', of)).not.toMatch(/import/);
      expect(sample('Python', of).match(/import .*/g)).toEqual(['import httpx  # pip install httpx']);
    }
  });
});

test('a schema that contains itself or never ends makes a table with an end', () => {
  const root = {
    components: {
      schemas: {
        Node: {
          type: 'object',
          properties: Object.fromEntries(
            [...'abcdefghij'].map((name) => [name, { $ref: '#/components/schemas/Node' }]),
          ),
        },
        Deep: { type: 'object', properties: { one: { type: 'object', properties: { two: {} } } } },
      },
    },
  };
  const looped = { ...write, root, read: (value: unknown) => readIn(root, value) };
  const html = String(fieldTable(looped, { $ref: '#/components/schemas/Node' }, true));
  expect(html.match(/<tr>/g)?.length).toBeLessThan(30);
});

test('a small object is shown in line, and a larger one folded', () => {
  const object = (names: string) => ({
    type: 'object',
    properties: Object.fromEntries([...names].map((name) => [name, { type: 'number' }])),
  });
  const table = (range: object) => String(fieldTable(write, { type: 'object', properties: { range } }, true));
  expect(table(object('abc'))).not.toContain('<details');
  expect(table(object('abcd'))).toContain('<details');
  expect(table({ type: 'object', properties: { inner: object('a') } })).toContain('<details');
});

test('the search for the name or path of a field finds the operations that have it, and shows its path', async () => {
  for (const name of ['include_network_headline', 'people.job_title.Include_network_headline']) {
    const html = await (await docsPages(shop, { write, outline }).request(`/docs?q=${name}`)).text();
    const found = html.slice(html.indexOf('<h1>')).split('<li>').slice(1);
    const places = found.map((one) =>
      one.includes('<code><mark>people.job_title.include_network_headline</mark></code> '),
    );
    expect(places).toEqual([true, true]);
    expect(found.slice(0, 2).join()).toContain('People search');
  }
});

test('the search lists as named what the filter of the navigation shows', () => {
  const html = String(navigation(english, outline, { chapter: null, page: null }));
  const shown = [...html.matchAll(/<li data-words="([^"]*)"><a href="([^"#]+)"/g)];
  for (const words of ['email', 'Company search', 'POST jobs', 'hq', 'nothing at all']) {
    const byFilter = shown
      .filter(([, own = '']) =>
        words
          .toLowerCase()
          .split(' ')
          .every((word) => own.includes(word)),
      )
      .map(([, , path]) => path);
    const named = pagesOf(outline).filter((page) => isNamed(page, words));
    expect(named.map(({ path }) => path)).toEqual(byFilter);
  }
});

function readIn(root: { components: { schemas: Record<string, object> } }, value: unknown) {
  const { $ref } = Object(value);
  if (typeof $ref !== 'string') return Object(value);
  const named = $ref.split('/').at(-1) ?? '';
  return { ...root.components.schemas[named], named };
}

test('the page of an operation states price, limits and code, and its required fields come first', () => {
  const page = pagesOf(outline).find(({ entry }) => entry.path === '/v2/jobs/company');
  const html = String(page === undefined ? '' : operation(write, page)).replace(/<[^>]*>/g, ' ');
  for (const text of [
    '1.00 USD per 1,000 results',
    '0.05 USD',
    '10 per second',
    '25 per second',
    'YOUR_API_KEY',
  ])
    expect(html).toContain(text);
  expect(html).toMatch(/Body\s+Field\s+Description\s+company_network_url\s+required/);
});

test('addresses of operations are unique, and aliases have no page', () => {
  const paths = pagesOf(outline).map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const described = pagesOf(outline).map(({ entry }) => entry.path);
  expect(described).toContain('/advisor/quote');
  expect(described.filter((path) => path.startsWith('/zeroclick/'))).toEqual([]);
});

test('the policy allows the script of the pages by its digest, and the script holds no tag that would end it', () => {
  expect(source).toMatch(/^'sha256-[\w+/]{43}='$/);
  expect(code).not.toMatch(/<\/script|<!--/i);
});

test('parts and fields of an operation have addresses, and its errors an example beside the success', () => {
  const page = pagesOf(outline).find(({ entry }) => entry.path === '/v2/search/people');
  if (page === undefined) throw new Error('no page');
  const html = String(operation(write, page));
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(
    expect.arrayContaining(['part-body', 'part-response', 'errors', 'body-max_results', 'response-results']),
  );
  expect(ids).toEqual([...new Set(ids)]);
  const targets = [...html.matchAll(/ class="anchor" href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  const tabs = [...html.matchAll(/name="response" id="[^"]+" value="(\d+)"/g)].map(([, status]) => status);
  expect(tabs[0]).toBe('200');
  expect(tabs.length).toBeGreaterThan(1);
});
