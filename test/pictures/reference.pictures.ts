import { beforeAll, test } from 'vitest';
import { Studio } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
  return () => studio.close();
});

test('the reference', async () => {
  const reader = await studio.visitor('Reference');
  await reader.visits({
    overview: '/docs',
    'service with one operation': '/docs/people-search',
    'job search': '/docs/job-search',
    'work email': '/docs/work-email',
    'operation without a body': '/docs/current-date',
    'free operation of the shop': '/docs/account',
    'found by a word': '/docs?q=work+email',
    'found by a field': '/docs?q=max_results',
    'nothing found': '/docs?q=zebra+crossing',
    'routes of the shop': '/docs/storefront',
  });
  for (const [state, path] of [
    ['overview, all open', '/docs'],
    ['operation with all open', '/docs/people-search'],
  ] as const) {
    await reader.open(path);
    await reader.shot(state, () => reader.unfoldAll());
  }
  for (const kind of ['purchase', 'keys', 'quote', 'usage']) {
    await reader.open('/docs/storefront');
    const link = reader.page.locator(`main a[href*="/docs/storefront/"][href*="${kind}"]`).first();
    await reader.shot(`route of the shop: ${kind}`, () => link.click());
  }
  await reader.open('/docs/work-email');
  for (const language of ['Python', 'TypeScript'])
    await reader.shot(`sample in ${language}`, () =>
      reader.page.getByText(language, { exact: true }).first().click(),
    );
  await reader.in('Documents').see('/llms.txt', 'for AI agents');
});

test('requests from the reference', async () => {
  const caller = await studio.visitor('Request form');
  const [people, send] = ['/shop/request/people-search', 'Send request'];
  await caller.visits({
    people,
    'without fields': '/shop/request/current-date',
    'unknown operation': '/shop/request/nope',
  });
  await caller.submit(people, {}, 'Check the price', 'price');
  await caller.submit(people, {}, send, 'sent');
  await caller.submit(null, { 'API key (optional)': 'slk_wrong' }, send, 'wrong key');
  await caller.submit(people, { '#body': '{"max_results":' }, send, 'body that is no JSON');
  const wrong = { '#body': '{"max_results":"many"}' };
  await caller.submit(people, wrong, send, 'answer of the API with an error');
});
