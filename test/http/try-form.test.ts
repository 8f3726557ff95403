import { html } from 'hono/html';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/catalog/operation.ts';
import { faultsOf, saysMissing } from '../../src/http/pages/answer-faults.ts';
import type { RequestField } from '../../src/http/pages/try-fields.ts';
import { requestForm, type TryFormFacts } from '../../src/http/pages/try-form.ts';
import { tryStatus } from '../../src/http/pages/try-status.ts';
import { english } from '../../src/text/texts.ts';

const service = { unit: 'result', name: 'People' };
const operation = { id: 'POST /v1/find', method: 'POST', path: '/v1/find', service } as Operation;

function form(field: Partial<RequestField>, more: Partial<TryFormFacts> = {}): string {
  const url: RequestField = {
    ...{ place: 'body', keys: ['person_network_url'], description: '', isRequired: true },
    ...{ input: { kind: 'text', charsMax: null }, ...field },
  };
  const facts = { path: '/v1/find', body: '{}', key: 'k', typed: null, faults: [], answered: [] };
  const state = { operation, highest: null, isRaw: false, isChecked: false, fields: [url] };
  const price = { price: html`free`, included: null };
  return String(requestForm(english, { ...facts, ...state, ...more }, html``, price));
}

test.each([
  'Required.',
  'Field required',
  'is required',
  'This field is required.',
  "can't be blank",
  'Missing',
])('a value that the API misses (%s) is asked for by the name of its field', (message) => {
  const body = JSON.stringify({ errors: [{ field: 'person_network_url', message }] });
  const figures = { time: '', size: '' } as never;
  const trial = { kind: 'whole' as const, status: 400, body, figures, faults: faultsOf(body) };
  expect(String(tryStatus(english, trial))).toContain('Enter a value for “Person network url”.');
  const answered = [{ field: 'body.person_network_url', message }];
  expect(form({}, { answered })).toContain(
    'class="fault" id="try-body.person_network_url-fault">Fill in this field.',
  );
});

test('other reasons of an API stay in its words', () => {
  for (const message of ['Required when name is empty', 'Must be a URL', 'Missing permissions'])
    expect([message, saysMissing(message)]).toEqual([message, false]);
});

test('a long description of a field shows its first sentence, and the rest when asked for', () => {
  const rest =
    'It may also be a URN. Forms:\n- urn:li:person:1\n- urn:li:member:1, and many more such names.';
  const long = form({ description: `The address of the profile. ${rest}` });
  const help = /<p class="help"[^>]*>(.*?)<\/p>/s.exec(long)?.[1];
  expect(help).toBe('The address of the profile.');
  expect(/<details class="help">.*?<\/details>/s.exec(long)?.[0]).toContain('urn:li:member:1, and many more');
  expect(form({ description: 'The address of the profile.' })).not.toContain('<details class="help">');
  const endless = form({ description: 'word '.repeat(80) });
  expect(/<p class="help"[^>]*>(.*?)<\/p>/s.exec(endless)?.[1]?.length).toBeLessThan(160);
});
