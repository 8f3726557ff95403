import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { type AnySchema, Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as Customer from '../support/customer.ts';
import * as Shop from '../support/shop.ts';

let shop: Shop.Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop?.stop());

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  Customer.send({ method: 'GET', url: shop.url + path, headers });
