import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launch, look, type Screen, screens } from '../../../test/support/chromium.ts';
import * as PeopleService from './support/people-service.ts';

const names = Object.keys(screens) as Screen[];
let service: PeopleService.PeopleService;
let browser: Browser;

beforeAll(async () => {
  const emails = [{ email: 'ada@shop.example', jobOrder: 0, verifiedAtMs: PeopleService.startMs }];
  [service, browser] = await Promise.all([PeopleService.start([{ slug: 'ada', emails }]), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function signIn(page: Page, credential: string): Promise<void> {
  await page.goto(`${service.url}/dashboard`);
  await page.getByLabel('API key or admin token').fill(credential);
  await press(page, 'Sign in');
}

/** A month of calls, of which some days have none. */
async function use(secret: string): Promise<void> {
  const { id } = (await service.keyInfo(secret)).body;
  for (let day = 0; day < 30; day++) {
    const at = new Date(service.clock.nowMs - day * 86_400_000);
    await service.sql`
      insert into direct.usage (request_id, key_id, operation, period, reserved, used, reserved_at)
      select ${`${id}-${day}-`} || n, ${id}, 'jobs.company', 0, 50, ${(day * 13) % 50}, ${at}
      from generate_series(1, ${(day * 7) % 5}::int) n`;
  }
}

test.each(names)(
  'on a %s screen the operator creates, changes, rotates and revokes a key, and its holder sees the plan',
  async (screen) => {
    const context = await browser.newContext({ ...screens[screen], bypassCSP: true });
    const page = await context.newPage();
    const label = `Acme on ${screen}`;
    try {
      await page.goto(`${service.url}/dashboard`);
      await look(page, 'dashboard-sign-in', screen);
      await signIn(page, 'wrong');
      expect(await page.getByRole('alert').textContent()).toContain(
        'neither a valid API key nor the admin token',
      );
      await signIn(page, PeopleService.adminToken);
      await look(page, 'dashboard-keys', screen);
      await page.getByText('Create a key', { exact: true }).click();
      await page.getByLabel('Label, such as').fill(label);
      await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('Start');
      await press(page, 'Create the key');
      const secret = (await page.getByLabel('API key').textContent()) ?? '';
      await look(page, 'dashboard-key-created', screen);
      await use(secret);

      await page.getByRole('link', { name: 'Data API: keys and plans' }).click();
      await page.getByRole('link', { name: label }).click();
      await look(page, 'dashboard-key', screen);
      await page.getByText('Change the plan', { exact: true }).click();
      await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('custom');
      await page.getByText('Limits of a custom plan').click();
      await page.getByLabel('Name', { exact: true }).fill('Big');
      await page.getByLabel('Requests per second, on each endpoint').fill('50');
      await page.getByLabel('Records per month').fill('1,000,000');
      await page.getByRole('combobox', { name: 'Status' }).selectOption('past_due');
      await press(page, 'Save the plan');
      expect(await page.getByRole('status').textContent()).toBe('The plan was changed.');
      await page.getByText('Limit the operations', { exact: true }).click();
      await page.getByLabel('Only these:').check();
      await page.getByLabel('/jobs/company').check();
      await press(page, 'Save the operations');
      expect(await page.getByRole('status').textContent()).toBe('The operations were changed.');
      await press(page, 'Sign out');

      await signIn(page, secret);
      await page.getByText('This plan is past due').waitFor();
      await page.getByText('By day').click();
      await look(page, 'dashboard-holder', screen);
      await page.getByText('Rotate the key', { exact: true }).click();
      await press(page, 'Create a new key');
      const fresh = (await page.getByLabel('API key').textContent()) ?? '';
      expect(fresh).not.toBe(secret);
      await look(page, 'dashboard-holder-rotated', screen);
      await press(page, 'Sign out');

      await signIn(page, PeopleService.adminToken);
      await page.getByRole('link', { name: label }).click();
      await page.getByText('Revoke the key', { exact: true }).first().click();
      await page.getByLabel('I want to revoke this key').check();
      await press(page, 'Revoke the key');
      expect(await page.getByRole('status').textContent()).toBe('The key is revoked.');
      await look(page, 'dashboard-revoked', screen);
      expect((await service.keyInfo(fresh)).status).toBe(401);
    } finally {
      await context.close();
    }
  },
);
