import { afterAll, beforeAll, test } from 'vitest';
import { press, Studio, unfold } from './studio.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio?.close());

test('the reference', async () => {
  const page = await studio.visitor();
  await studio.visits(page, 'Reference', {
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
  await studio.shot(page, 'Reference', 'overview, all open', async () => {
    await studio.go(page, '/docs');
    await unfold(page);
  });
  for (const kind of ['purchase', 'keys', 'quote', 'usage'])
    await studio.shot(page, 'Reference', `route of the shop: ${kind}`, async () => {
      await studio.go(page, '/docs/storefront');
      await page.locator(`main a[href*="/docs/storefront/"][href*="${kind}"]`).first().click();
    });
  await studio.shot(page, 'Reference', 'operation with all open', async () => {
    await studio.go(page, '/docs/people-search');
    await unfold(page);
  });
  for (const language of ['Python', 'TypeScript'])
    await studio.shot(page, 'Reference', `sample in ${language}`, async () => {
      await studio.go(page, '/docs/work-email');
      await page.getByText(language, { exact: true }).first().click();
    });
  studio.expectAll();
});

test('requests from the reference', async () => {
  const page = await studio.visitor();
  const group = 'Request form';
  await studio.visits(page, group, {
    people: '/shop/request/people-search',
    'without fields': '/shop/request/current-date',
    'unknown operation': '/shop/request/nope',
  });
  await studio.shot(page, group, 'sent', async () => {
    await studio.go(page, '/shop/request/people-search');
    await press(page, 'Send request');
    await page.getByRole('status').waitFor();
  });
  await studio.shot(page, group, 'wrong key', async () => {
    await page.getByLabel('API key (optional)').fill('slk_wrong');
    await press(page, 'Send request');
    await page.getByText('This key is invalid').waitFor();
  });
  await studio.shot(page, group, 'body that is no JSON', async () => {
    await studio.go(page, '/shop/request/people-search');
    await page.locator('main textarea').first().fill('{"max_results":');
    await press(page, 'Send request');
  });
  await studio.shot(page, group, 'answer of the API with an error', async () => {
    await studio.go(page, '/shop/request/people-search');
    await page.locator('main textarea').first().fill('{"max_results":"many"}');
    await press(page, 'Send request');
  });
  studio.expectAll();
});

test('the document for programs that the footer links to', async () => {
  const page = await studio.visitor();
  await studio.visits(page, 'Documents', { 'for AI agents': '/llms.txt' });
  studio.expectAll();
});
