import { describe, expect, test } from 'vitest';
import * as File from '../../src/catalog/file.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { breaches } from './schema.ts';
import { shop } from './todo.ts';

const context = { baseUrl: 'https://shop.example', rails: ['card', 'mpp'] };

describe('the manifest', () => {
  test('fits its schema, for the shipped catalogue and for one with every kind of plan', async () => {
    const shipped = await File.load('openapi/catalog.yaml');
    const dollars = shop(
      ['included: 25', 'included_usd: "5.00", included_usd_when_claimed: "1.50"'],
      ['included: 200000', 'included_usd: "20.00"'],
    );
    for (const catalog of [shipped, shop(), dollars]) {
      expect(breaches('manifest.schema.json', manifest(catalog, context))).toEqual([]);
    }
  });

  test('has a schema that misses nothing and takes nothing more', () => {
    const sound = manifest(shop(), context);
    const unsound = [
      { ...sound, extra: 1 },
      { ...sound, prices: [{ ...sound.prices[0], priceUsd: 0.001 }] },
      { ...sound, plans: [{ ...sound.plans[0], colour: 'red' }] },
      { ...sound, plans: [{ ...sound.plans[1], purchase: null }] },
      { ...sound, plans: [{ ...sound.plans[2], every: undefined }] },
      { ...sound, links: {} },
    ];
    for (const each of unsound) expect(breaches('manifest.schema.json', each)).not.toEqual([]);
  });

  test('prices each service by its meter, with the free units of a trial that covers it', () => {
    const { prices, meters, pools } = manifest(shop(), context);
    expect(pools).toEqual([{ id: 'trial', units: 25, services: ['todos', 'account'] }]);
    expect(prices).toEqual([
      {
        service: 'todos',
        meter: 'todo',
        unit: 'todo',
        unitSize: 1,
        priceUsd: '0.002',
        includedUnits: 25,
        includedPool: 'trial',
      },
      {
        service: 'writing',
        meter: 'call',
        unit: 'call',
        unitSize: 1,
        priceUsd: '0.01',
        includedUnits: 0,
        includedPool: null,
      },
      {
        service: 'account',
        meter: 'call',
        unit: 'call',
        unitSize: 1,
        priceUsd: '0.00',
        includedUnits: 25,
        includedPool: 'trial',
      },
    ]);
    expect(meters.map(({ id }) => id)).toEqual(['todo', 'call']);
  });

  test('sells a result of the shipped catalogue for 0.001 USD and credit from 0.50 USD', async () => {
    const { prices, payment, currency } = manifest(await File.load('openapi/catalog.yaml'), context);
    expect(prices.find(({ service }) => service === 'tam-by-jobs')).toMatchObject({
      priceUsd: '0.001',
      unitSize: 1,
    });
    expect(payment).toEqual({ rails: ['card', 'mpp'], minimumUsd: '0.50' });
    expect(currency).toBe('USD');
  });

  test('says how each plan is bought, and that a trial is not', () => {
    const { plans, identity } = manifest(shop(), context);
    expect(plans.map(({ id, price_usd, included }) => [id, price_usd, included])).toEqual([
      ['trial', '0.00', 25],
      ['credit', '5.00', null],
      ['start', '99.00', 200_000],
      ['scale', '499.00', 5_000_000],
    ]);
    expect(plans[0]?.purchase).toBeNull();
    expect(plans[1]?.purchase).toEqual({
      method: 'POST',
      url: 'https://shop.example/plans/credit/purchase',
      headers: { 'content-type': 'application/json' },
      body: { amount_usd: '5.00' },
    });
    expect(plans[3]?.covers).toEqual(['todos']);
    expect(identity.register).toMatchObject({
      url: 'https://shop.example/agent/auth',
      body: { type: 'anonymous' },
    });
  });

  test('links only to what it is told is served', () => {
    expect(manifest(shop(), context).links).toEqual({
      self: 'https://shop.example/manifest.json',
      services: 'https://shop.example/services',
    });
    const { links } = manifest(shop(), { ...context, links: { openapi: '/openapi.json' } });
    expect(links.openapi).toBe('https://shop.example/openapi.json');
  });

  test('has no least amount where nothing is for sale', () => {
    const catalog = shop();
    const trialOnly = { ...catalog, plans: catalog.plans.filter(({ kind }) => kind === 'trial') };
    expect(manifest(trialOnly, context).payment.minimumUsd).toBeNull();
    const subscriptions = { ...catalog, plans: catalog.plans.filter(({ kind }) => kind === 'subscription') };
    expect(manifest(subscriptions, context).payment.minimumUsd).toBe('99.00');
  });

  test('never names the upstream, its key or its file', () => {
    const text = JSON.stringify(manifest(shop(), context));
    for (const secret of ['Bearer {key}', 'authorization"', 'upstream']) expect(text).not.toContain(secret);
  });
});
