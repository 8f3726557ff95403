import { type Addition, type Edit, type EditValue, valueAt } from '../../catalog/catalog-edit.ts';
import * as Source from '../../catalog/source.ts';
import type * as SourceLocation from '../../catalog/source-location.ts';
import { type CatalogueField, type FieldGroup, fieldOf, type Shape } from './catalogue-field.ts';
import * as Meters from './meter-fields.ts';

export type CatalogueForm = 'plans' | 'prices' | 'brand';

const planShapes: readonly Shape[] = [
  ['name', 'Name (by default its id)', 'text'],
  ['description', 'Description (by default its terms)', 'lines'],
  ['requests_per_second', 'Calls per second (10 if empty)', 'count'],
];
const includedUnits: Shape = ['included', 'Included units', 'count'];
const includedUsd: Shape = ['included_usd', 'Included usage, USD', 'usd'];
const retired: Shape = ['retired', 'Stop selling this plan', 'switch'];

const brandShapes: readonly (readonly [path: readonly string[], ...Shape])[] = [
  [['storefront'], 'name', 'Name of the shop', 'text'],
  [['storefront'], 'description', 'Description', 'lines'],
  [['storefront'], 'contact', 'Contact: email or URL', 'text'],
  [['storefront'], 'seller', 'Seller on receipts', 'lines'],
  [['storefront'], 'tax_note', 'Note about tax on receipts', 'text'],
  [['storefront', 'brand'], 'colour', 'Colour, such as #0b5f52', 'colour'],
  [['storefront', 'brand'], 'font', 'Font', 'choice', ['sans', 'serif', 'rounded', 'mono']],
  [['storefront', 'brand'], 'logo', 'Logo: path of an SVG or PNG file', 'logo'],
  [['storefront', 'links'], 'terms', 'Terms of service (URL)', 'text'],
  [['storefront', 'links'], 'privacy', 'Privacy policy (URL)', 'text'],
  [['storefront', 'links'], 'imprint', 'Legal notice (URL)', 'text'],
  [['storefront', 'links'], 'status', 'Status page (URL)', 'text'],
];

type Item = Readonly<Record<string, unknown>>;

/** Returns the fields of a form for the source of a catalogue. */
export function groupsOf(form: CatalogueForm, text: string): FieldGroup[] {
  const root = Source.read(text).value;
  const listed = (list: string) => {
    const items = valueAt(root, [list]);
    return Array.isArray(items) ? items.map((item: unknown) => (item ?? {}) as Item) : [];
  };
  switch (form) {
    case 'plans':
      return listed('plans').map((plan, at) => ({
        title: String(plan.name ?? defaultName(String(plan.id ?? ''))),
        about: aboutPlan(plan),
        fields: [...planShapes, ...termsOf(plan), retired, coveredServices(listed('services'))].map((shape) =>
          fieldOf(root, ['plans', at], shape),
        ),
      }));
    case 'prices':
      return listed('services').map((service, at) => {
        const isMetered = service.meters !== undefined || service.prices !== undefined;
        const shapes: Shape[] = [
          ['name', 'Name', 'text'],
          ['description', 'Description', 'lines'],
          ...(isMetered
            ? []
            : [['price_usd', `Price of one ${String(service.unit ?? 'result')}, USD`, 'usd'] as const]),
        ];
        return {
          title: String(service.name ?? service.slug ?? ''),
          about: String(service.slug),
          fields: shapes.map((shape) => fieldOf(root, ['services', at], shape)),
          ...(isMetered && { parts: Meters.pricesOf(root, at, service) }),
        };
      });
    case 'brand':
      return [
        {
          title: 'Shop',
          about: '',
          fields: brandShapes.map(([path, ...shape]) => fieldOf(root, path, shape)),
        },
      ];
  }
}

/** The name of a plan that has none in the file (src/catalog/draft.ts). */
function defaultName(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

/** The kind and the price of a plan, as its folded part of the form shows them. */
function aboutPlan({ kind, price_usd, every, retired: isRetired, id }: Item): string {
  const price = price_usd === undefined ? [] : [`${String(price_usd)} USD per ${String(every ?? 'month')}`];
  return [id, kind, ...price, ...(isRetired === true ? ['retired'] : [])].map(String).join(' · ');
}

/** The terms of a plan by its kind. A plan includes units or dollars, whichever it has now. */
function termsOf(plan: Item): Shape[] {
  const isInUsd = plan.included_usd !== undefined;
  switch (plan.kind) {
    case 'trial':
      return isInUsd
        ? [includedUsd, ['included_usd_when_claimed', 'More once a person claims the account, USD', 'usd']]
        : [includedUnits, ['included_when_claimed', 'More units once a person claims the account', 'count']];
    case 'credit':
      return [
        ['min_usd', 'Smallest purchase, USD (0.50 if empty)', 'usd'],
        ['max_usd', 'Largest purchase, USD (1000.00 if empty)', 'usd'],
      ];
    default:
      return [
        ['price_usd', 'Price, USD', 'usd'],
        ['every', 'Every', 'choice', ['month', 'year']],
        isInUsd ? includedUsd : includedUnits,
        ['rollover', 'Unused units stay for one more period', 'switch'],
        ['grace_days', 'Days of grace for an unpaid renewal (3 if empty)', 'count'],
      ];
  }
}

function coveredServices(services: readonly Item[]): Shape {
  return ['covers', 'Services that it covers', 'services', services.map(({ slug }) => String(slug))];
}

/** Returns what was typed into each field, by its name; the choices of one field in one text. */
export function typedIn(form: URLSearchParams): Map<string, string> {
  return new Map(
    [...new Set(form.keys())].map((name) => [name, form.getAll(name).filter(Boolean).join(', ')]),
  );
}

/** Returns the edits of a form: the fields whose text differs from the file. An empty field removes its key. */
export function editsOf(groups: readonly FieldGroup[], form: URLSearchParams): Edit[] {
  const typedText = typedIn(form);
  const all = groups.flatMap(({ fields, parts = [] }) => [
    ...fields,
    ...parts.flatMap((part) => part.fields),
  ]);
  const removed = all.filter(({ kind, name }) => kind === 'remove' && typedText.get(name) === 'true');
  return all
    .filter(({ kind, path }) => kind === 'remove' || !removed.some((one) => isBelow(path, one.path)))
    .flatMap(({ path, name, value, kind }) => {
      // Browsers send line breaks as CRLF.
      const sent = typedText.get(name)?.replaceAll('\r\n', '\n').trim();
      // A checked box is sent after the hidden field of the same name.
      const typed = kind === 'switch' && sent?.endsWith(', true') ? 'true' : sent;
      if (kind === 'remove') return typed === 'true' ? [{ path, value: undefined }] : [];
      // A switch that is off is the same as no key.
      const isSame = typed === value.trim() || (kind === 'switch' && value === '' && typed === 'false');
      if (typed === undefined || isSame) return [];
      return [{ path, value: typedValue(kind, typed) }];
    });
}

function isBelow(path: SourceLocation.Path, top: SourceLocation.Path): boolean {
  return top.every((step, at) => path[at] === step);
}

/** A text that does not have the form of its kind stays a text: the schema's message says what is wrong with it. */
function typedValue(kind: CatalogueField['kind'], typed: string): EditValue | undefined {
  if (typed === '') return undefined;
  if (kind === 'services') {
    const slugs = typed.split(', ');
    return slugs.includes('*') ? '*' : slugs;
  }
  if (kind === 'count') return /^\d{1,15}$/.test(typed) ? Number(typed) : typed;
  return kind === 'switch' ? typed === 'true' : typed;
}

/** The fields of a new subscription, and its id. */
export const newPlanFields = ['id', 'name', 'price_usd', 'every', 'included'] as const;

/** Returns the new plan of a form; null when its id is empty. */
export function additionOf(form: URLSearchParams): Addition | null {
  const said = (name: (typeof newPlanFields)[number]) => form.get(`new.${name}`)?.trim() ?? '';
  if (said('id') === '') return null;
  const members: [string, EditValue | undefined][] = [
    ['id', said('id')],
    ['kind', 'subscription'],
    ['name', said('name') || undefined],
    ['covers', '*'],
    ['price_usd', said('price_usd')],
    ['every', said('every')],
    ['included', typedValue('count', said('included'))],
  ];
  const item = Object.fromEntries(members.filter((one): one is [string, EditValue] => one[1] !== undefined));
  return { list: ['plans'], item };
}
