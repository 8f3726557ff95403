import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as File from '../../src/catalog/file.ts';
import * as PricedRequest from '../../src/proxy/priced-request.ts';

const fixture = new URL('../fixtures/metered.yaml', import.meta.url);
const parsed = File.parse(readFileSync(fixture, 'utf8'), 'metered.yaml');
if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
const { operations } = parsed.catalog;

type Sent = { type?: string; query?: string; headers?: string[] };

function read(
  path: string,
  body: string | Buffer,
  { type = 'application/json', query = '', headers = [] }: Sent = {},
) {
  const units = operations.find((one) => one.path === path)?.units;
  if (units?.kind !== 'meters') throw new Error(path);
  const rawHeaders = ['content-type', type, ...headers];
  return PricedRequest.read(units.rule, { rawHeaders, body: Buffer.from(body), path, query });
}

const chat = '/v1/chat/completions';
const model = '"model":"small-1"';

describe('the price of a small model is not given', () => {
  const form = 'application/x-www-form-urlencoded';
  const multipart = 'multipart/form-data; boundary=b';
  const part = (name: string, value: string, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  test.each<[string, string | Buffer, Sent?]>([
    ['to a second model', `{${model},"model":"large-1"}`],
    ['to the same model twice', `{${model},${model}}`],
    ['to a model in another case', `{${model},"Model":"large-1"}`],
    ['to an escaped model', `{${model},"\\u006dodel":"large-1"}`],
    ['to an escaped model alone', '{"\\u006dodel":"small-1"}'],
    ['to a name with a NUL', `{${model},"model\\u0000":"large-1"}`],
    ['to a name with blanks', `{${model}," model ":"large-1"}`],
    ['to a wide letter', `{${model},"ｍodel":"large-1"}`],
    ['to a model in the query too', `{${model}}`, { query: '?model=large-1' }],
    ['to an escaped query twin', `{${model}}`, { query: '?x=1&%6dodel=large-1' }],
    ['to a query twin as a list', `{${model}}`, { query: '?model[]=large-1' }],
    ['to a query twin behind a semicolon', `{${model}}`, { query: '?x=1;model=large-1' }],
    ['to a content coding', `{${model}}`, { headers: ['Content-Encoding', 'gzip'] }],
    ['to another charset', `{${model}}`, { type: 'application/json; charset=utf-16' }],
    ['to a second content type', `{${model}}`, { headers: ['Content-Type', 'text/plain'] }],
    ['to bytes that are not UTF-8', Buffer.from(`{${model},"x":"\xff"}`, 'latin1')],
    ['to a batch', `[{${model}}]`],
    ['to JSON with a rest', `{${model}}{"model":"large-1"}`],
    ['to JSON with a comment', `{${model}/*"model":"large-1"*/}`],
    ['to JSON under the type of a form', `{${model}}`, { type: form }],
    ['to a form with two', 'model=small-1&model=large-1', { type: form }],
    ['to a form with a list', 'model=small-1&model[]=large-1', { type: form }],
    [
      'to parts with two',
      `${part('model', 'small-1')}${part('model', 'large-1')}--b--\r\n`,
      { type: multipart },
    ],
    [
      'to parts with a disguised one',
      `${part('model', 'small-1')}${part('x', 'large-1', "; name*=utf-8''model")}--b--\r\n`,
      { type: multipart },
    ],
    ['to a part behind the last one', `--b--\r\n${part('model', 'small-1')}--b--\r\n`, { type: multipart }],
    [
      'to a part behind the last one, and others before it',
      `${part('x', '1')}--b--\r\n${part('model', 'small-1')}--b--\r\n`,
      { type: multipart },
    ],
    [
      'to a part that begins at another boundary',
      `${part('x', '1')}${part('model', 'small-1').replace('--b', '--B')}--b--\r\n`,
      { type: multipart },
    ],
    ['to parts without an end', part('model', 'small-1'), { type: multipart }],
    [
      'to a boundary that some servers cut off',
      `${part('model', 'small-1').replace('--b', '--b,c')}--b,c--\r\n`,
      { type: `${multipart},c` },
    ],
    [
      'to parts with two boundaries',
      `${part('model', 'small-1')}--b--\r\n`,
      { type: 'multipart/form-data; boundary=b; boundary=c' },
    ],
  ])('%s', (_, body, sent) => {
    expect(read(chat, body, sent)).toMatchObject({ kind: 'price_unknown', isClear: false });
  });

  test.each(['LARGE-1', ' large-1', 'large-1\\u0000', 'large%2D1', 'large_1', 'large-1;x'])(
    'by a fallback to a disguised %s',
    (name) => {
      expect(read('/v1/open', `{"model":"${name}"}`)).toMatchObject({ kind: 'price_unknown' });
    },
  );

  test('by a header that is sent twice', () => {
    const headers = ['X-Voice', 'plain', 'x_voice', 'studio'];
    expect(read('/v1/speech', '{"characters":10}', { headers })).toMatchObject({ kind: 'price_unknown' });
  });

  test('by a query that names it twice', () => {
    expect(read('/v1/images', '{}', { query: '?quality=standard&Quality=high' })).toMatchObject({
      kind: 'price_unknown',
    });
  });
});

describe('a clear request', () => {
  test.each<[string, string, Sent?]>([
    ['JSON', `{${model},"messages":[{"role":"user","content":"model"}],"tools":[{"model":1}]}`],
    ['JSON with a byte order mark', `\ufeff{${model}}`],
    ['a form', 'model=small-1', { type: 'application/x-www-form-urlencoded' }],
    [
      'multipart',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n\xffmodel\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nsmall-1\r\n--b--\r\n',
      { type: 'multipart/form-data; boundary=b' },
    ],
    ['an unrelated query', `{${model}}`, { query: '?api-version=2' }],
  ])('has its price in %s', (_, body, sent) => {
    expect(read(chat, body, sent)).toMatchObject({ table: { key: 'small-1' } });
  });

  test('for an unknown model names the known ones', () => {
    const known = ['nano-1', 'small-1', 'large-1'];
    expect(read(chat, '{"model":"huge-1"}')).toMatchObject({
      kind: 'price_unknown',
      at: '/model',
      value: 'huge-1',
      isClear: true,
      known,
    });
    expect(read(chat, '{}')).toMatchObject({ kind: 'price_unknown', value: null, isClear: true, known });
    expect(read('/v1/open', '{"model":"huge-1"}')).toMatchObject({ table: { key: 'default' } });
  });

  test.each<[string, number, boolean]>([
    ['', 4096, true],
    [',"max_tokens":10', 10, true],
    [',"max_tokens":10,"max_completion_tokens":30', 30, true],
    [',"max_tokens":10,"n":3', 30, true],
    [',"max_tokens":null', 4096, true],
    [',"max_tokens":0', 1_024_000, false],
    [',"max_tokens":"10"', 1_024_000, false],
    [',"max_tokens":10,"maxTokens":20', 1_024_000, false],
    [',"max_tokens":10,"n":99', 1_024_000, false],
    [',"max_tokens":128001', 1_024_000, false],
  ])('with %s may cost %i output tokens', (more, output, isClear) => {
    const body = `{${model}${more}}`;
    expect(read(chat, body)).toMatchObject({ max: [body.length, body.length, output], isClear });
  });
});
