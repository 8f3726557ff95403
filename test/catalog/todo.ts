import type { Catalog } from '../../src/catalog/catalog.ts';
import * as Fault from '../../src/catalog/fault.ts';
import * as File from '../../src/catalog/file.ts';

/** A small shop with every kind of plan, unit and limit. Tests replace a part of it to create faults. */
export const todoYaml = `storefront:
  name: Todo Shop
  description: Todos by the piece.
  contact: sales@example.com
upstream:
  key: { header: authorization, value: "Bearer {key}" }
services:
  - slug: todos
    name: Todos
    unit: todo
    price_usd: "0.002"
    operations:
      - call: GET /v1/todos
        units: /todos
        units_max: { pointer: /limit, default: 20, ceiling: 100 }
      - call: GET /v1/todos/{id}
        units: 1
      - call: POST /v1/todos/search
        units: /found
        units_max: 5
  - slug: writing
    name: Writing
    unit: call
    price_usd: "0.01"
    operations:
      - call: PUT /v1/todos/{id}
        units: 1
      - call: DELETE /v1/todos/{id}
        units: 0
  - slug: account
    name: Account
    unit: call
    price_usd: "0"
    operations:
      - call: GET /v1/account/key-info
        units: 0
        answered_by: storefront
plans:
  - { id: trial, kind: trial, covers: [todos, account], included: 25 }
  - { id: credit, kind: credit, covers: "*", min_usd: "5.00", max_usd: "100.00" }
  - { id: start, kind: subscription, covers: "*", price_usd: "99.00", every: month, included: 200000 }
  - { id: scale, kind: subscription, covers: [todos], price_usd: "499.00", every: year, included: 5000000,
      requests_per_second: 25, rollover: true, name: Scale up, description: For the busy. }
`;

/** Returns the shop with replaced parts. Throws when the file is rejected. */
export function shop(...changes: [string, string][]): Catalog {
  const parsed = File.parse(changed(...changes), 'shop/catalog.yaml');
  if (!parsed.ok) throw new Error(parsed.faults.map(Fault.format).join('\n'));
  return parsed.catalog;
}

/** Returns the faults of the shop with replaced parts, as `line:column path | reason`. */
export function faults(...changes: [string, string][]): string[] {
  const parsed = File.parse(changed(...changes), 'catalog.yaml');
  return parsed.ok ? [] : parsed.faults.map((it) => `${it.line}:${it.column} ${it.path} | ${it.reason}`);
}

function changed(...changes: [string, string][]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the shop has no ${from}`);
    return text.replace(from, to);
  }, todoYaml);
}
