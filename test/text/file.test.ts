import { describe, expect, test } from 'vitest';
import * as Refusal from '../../src/http/common-refusals.ts';
import { defaultsAsYaml } from '../../src/text/export.ts';
import { parse, read } from '../../src/text/file.ts';
import type { Texts } from '../../src/text/texts.ts';
import { everyMail, everyPage } from './every-page.ts';

function textsOf(yaml: string): Texts {
  const parsed = parse(yaml, 'texts.yaml', ['result']);
  if (!parsed.ok) throw new Error(parsed.faults.join('\n'));
  return parsed.texts;
}

async function pageOf(texts: Texts, name: string): Promise<string> {
  return new Map(await everyPage(texts)).get(name) ?? '';
}

const german = `language: de
units:
  result: { one: Ergebnis, other: Ergebnisse }
format.usd: "{amount} US-Dollar"
shop.services: Leistungen und Preise
shop.plan_units: "{units} des Tarifs übrig"
plans.rate: { one: "{count} Anfrage je Sekunde", other: "{count} Anfragen je Sekunde" }
account.plan_renews: verlängert sich am {day}
api.account_frozen: Der Shop hat Ihr Konto gesperrt. Wenden Sie sich an den Shop.
mail.claim.subject: 'Ihr Code für {shop}: {code}'
`;

describe('a seller’s file', () => {
  const texts = textsOf(german);

  test('changes the texts that it names, in the language of the pages', async () => {
    const html = await pageOf(texts, 'shop');
    expect(html).toContain('<html lang="de">');
    expect(html).toContain('<h2>Leistungen und Preise</h2>');
    expect(html).toContain('<dt>Ergebnisse des Tarifs übrig</dt>');
    expect(html).toContain('25 Ergebnisse, once');
    expect(html).toContain('10 Anfragen je Sekunde');
    expect(new Map(everyMail(texts)).get('claim')?.subject).toBe('Ihr Code für ‹Shop›: 123 456');
  });

  test('writes numbers, money and days as its language does', async () => {
    expect(texts.number(1_234_567)).toBe('1.234.567');
    expect(texts.usd('0.005000')).toBe('0,005000 US-Dollar');
    expect(texts.usd('12000.50')).toBe('12.000,50 US-Dollar');
    expect(texts.quantity(1, 'result')).toBe('1 Ergebnis');
    expect(texts.quantity(1_000, 'result')).toBe('1.000 Ergebnisse');
    expect(await pageOf(texts, 'account billing')).toContain('verlängert sich am 31.01.2030');
  });

  test('sets the direction of the pages', async () => {
    const arabic = textsOf('language: ar\n');
    expect(await pageOf(arabic, 'shop')).toContain('<html lang="ar" dir="rtl">');
    expect(await pageOf(arabic, 'pending')).toContain('<html lang="ar" dir="rtl">');
  });

  test('selects plural forms by the rules of its language', () => {
    const forms =
      '{ one: "{count} запрос", few: "{count} запроса", many: "{count} запросов", other: "{count} запроса" }';
    const russian = textsOf(`language: ru\nplans.rate: ${forms}\n`);
    const rates = [1, 3, 5, 21].map((count) => russian.text('plans.rate', { count }));
    expect(rates).toEqual(['1 запрос', '3 запроса', '5 запросов', '21 запрос']);
  });

  test('changes the message of an API error and not its code', () => {
    const { body, status } = Refusal.frozen(texts, 'req_1');
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'account_frozen', message: expect.stringMatching(/^Der Shop hat/) });
  });

  test('cannot add HTML to a page', async () => {
    const html = await pageOf(textsOf('shop.services: "<b>Prices</b> & <script>"\n'), 'shop');
    expect(html).toContain('<h2>&lt;b&gt;Prices&lt;/b&gt; &amp; &lt;script&gt;</h2>');
    const labelled = await pageOf(textsOf(`try.response_body: 'a" onclick="b'\n`), 'shop');
    expect(labelled).toContain('aria-label="a&quot; onclick=&quot;b"');
  });

  test('that is empty changes nothing', async () => {
    expect(await everyPage(textsOf('# nothing yet\n'))).toEqual(await everyPage(textsOf('{}')));
  });
});

test('`sluice texts` prints a file that is valid and changes nothing', async () => {
  const printed = textsOf(defaultsAsYaml());
  expect(await everyPage(printed)).toEqual(await everyPage(textsOf('{}')));
  expect(everyMail(printed)).toEqual(everyMail(textsOf('{}')));
});

describe('a fault of the file is reported with its line and what to do', () => {
  const faults: [name: string, yaml: string, fault: RegExp][] = [
    [
      'an unknown key',
      'language: de\nshop.service_s: x\n',
      /^texts\.yaml:2:1 unknown key shop\.service_s\. Did you mean shop\.services\?$/,
    ],
    ['a key unlike any other', 'hello: x\n', /:1:1 unknown key hello\. List all keys with: sluice texts$/],
    ['a missing placeholder', '\nplans.from: ab\n', /:2:13 plans\.from lacks the placeholder \{amount\}$/],
    [
      'an unknown placeholder',
      'plans.from: "{amount} {amont}"\n',
      /:1:13 plans\.from has the unknown placeholder \{amont\}\. Did you mean \{amount\}\?$/,
    ],
    [
      'a placeholder where none is',
      'plans.title: "{amount}"\n',
      /placeholder \{amount\}\. This text has no placeholders\.$/,
    ],
    ['a stray brace', 'plans.title: "a { b"\n', /:1:14 plans\.title has a brace/],
    ['an empty text', 'plans.title: ""\n', /:1:14 plans\.title must be a text/],
    ['a number', 'plans.title: 5\n', /:1:14 plans\.title must be a text; write it in quotes/],
    ['a list', 'plans.title: [a]\n', /plans\.title must be a text/],
    [
      'two lines where there is one',
      'mail.claim.subject: "{shop}\\n\\nBcc: x"\n',
      /:1:21 mail\.claim\.subject must be one line$/,
    ],
    ['a key that occurs twice', 'plans.title: a\nplans.title: b\n', /:2:1 this key occurs twice: keep one$/],
    [
      'a plural form of another language',
      'plans.rate: { other: "{count}", few: "{count}" }\n',
      /:1:33 plans\.rate has the unknown plural form few: the plural forms of this language are/,
    ],
    ['a plural without other', 'plans.rate: { one: "one" }\n', /plans\.rate needs the plural form other$/],
    ['a plural of a text without a number', 'plans.title: { other: a }\n', /plans\.title must be one text/],
    ['an unknown language', 'language: xx\n', /:1:11 language must be the tag of a language/],
    ['a malformed language', 'language: de_DE!\n', /:1:11 language must be the tag of a language/],
    [
      'an unknown unit',
      'units: { resul: x }\n',
      /:1:10 units: the catalogue has no unit resul\. Did you mean result\?$/,
    ],
    ['another document', '- a\n', /:1:1 must be a mapping of keys to texts$/],
    ['broken YAML', 'plans.title: "a\n', /not readable as YAML/],
  ];

  test.each(faults)('%s', (_, yaml, fault) => {
    const parsed = parse(yaml, 'texts.yaml', ['result']);
    expect(parsed.ok ? [] : parsed.faults).toEqual(expect.arrayContaining([expect.stringMatching(fault)]));
  });

  test('all of them, in the order of the lines', () => {
    const parsed = parse('plans.title: 1\nplans.from: x\nnone: y\n', 'texts.yaml', []);
    expect(parsed.ok ? [] : parsed.faults.map((fault) => fault.split(':')[1])).toEqual(['1', '2', '3']);
  });

  test('a file that does not exist', async () => {
    await expect(read('/no/such/texts.yaml', [])).rejects.toThrow(
      '/no/such/texts.yaml:1:1 the file of TEXTS cannot be read (ENOENT)',
    );
  });
});
