import { fonts } from '../../catalog/brand.ts';
import { type Edit, type EditValue, valueAt } from '../../catalog/catalog-edit.ts';
import * as Source from '../../catalog/source.ts';
import type * as SourceLocation from '../../catalog/source-location.ts';
import { type CatalogueField, type FieldGroup, fieldOf, type Shape } from './catalogue-field.ts';
import * as Meters from './meter-fields.ts';

export type CatalogueForm = 'plans' | 'prices' | 'brand';

/** Also the hint of the form for a new plan. */
export const planDescriptionHint = 'Empty: written from the price and what is included, and kept up to date';
const planShapes: readonly Shape[] = [
  ['name', 'Name', 'text', [], 'Empty: made from the id'],
  ['description', 'Description', 'lines', [], planDescriptionHint],
];
const speed: Shape = ['requests_per_second', 'Calls per second', 'count', [], '10 if empty'];
const includedUnits: Shape = ['included', 'Included results', 'count'];
const includedUsd: Shape = ['included_usd', 'Included usage (USD)', 'usd'];
const insteadUsd: Shape = [
  'included_usd',
  'Included usage (USD)',
  'usd',
  [],
  'In place of results, for services paid by meter',
];
const retired: Shape = ['retired', 'Stop selling this plan', 'switch', [], 'Accounts that have it keep it.'];

const recommended: Shape = [
  'recommended',
  'Highlight this plan',
  'switch',
  [],
  'Only one plan can be highlighted.',
];

type BrandShape = readonly [path: readonly string[], ...Shape];
const brandGroups: readonly { title: string; shapes: readonly BrandShape[] }[] = [
  {
    title: 'Shop',
    shapes: [
      [['storefront'], 'name', 'Name', 'text'],
      [['storefront'], 'contact', 'Contact', 'text', [], 'An email address or a URL'],
      [['storefront'], 'description', 'Description', 'lines'],
    ],
  },
  {
    title: 'Look',
    shapes: [
      [
        ['storefront', 'brand'],
        'colour',
        'Colour of links and buttons',
        'colour',
        [],
        'Empty: the default green',
      ],
      [['storefront', 'brand'], 'font', 'Font', 'choice', fonts],
      [['storefront', 'brand'], 'logo', 'Logo', 'logo'],
    ],
  },
  {
    title: 'Receipts',
    shapes: [
      [['storefront'], 'seller', 'Seller', 'lines', [], 'Name, address, registration number'],
      [['storefront'], 'tax_note', 'Note about tax', 'text'],
    ],
  },
  {
    title: 'Links in the footer',
    shapes: [
      [['storefront', 'links'], 'terms', 'Terms of service (URL)', 'text'],
      [['storefront', 'links'], 'privacy', 'Privacy (URL)', 'text'],
      [['storefront', 'links'], 'imprint', 'Imprint (URL)', 'text'],
      [['storefront', 'links'], 'status', 'Status page (URL)', 'text'],
    ],
  },
];

type Item = Readonly<Record<string, unknown>>;

/** The name and description of a plan or service as buyers see them, also where the file leaves them out. */
export type ShownTexts = { name: string; description: string };
export type Shown = {
  plan(id: string): ShownTexts | undefined;
  service(slug: string): ShownTexts | undefined;
};

/** Returns the fields of a form for the source of a catalogue. */
export function groupsOf(form: CatalogueForm, text: string, shown: Shown): FieldGroup[] {
  const root = Source.read(text).value;
  const listed = (list: string) => {
    const items = valueAt(root, [list]);
    return Array.isArray(items) ? items.map((item: unknown) => (item ?? {}) as Item) : [];
  };
  const services = listed('services');
  switch (form) {
    case 'plans': {
      const hasMeters = services.some(({ meters }) => meters !== undefined);
      const sold = services.filter(({ price_usd: price }) => Number(price ?? 1) > 0);
      const units = new Set(sold.map(unitOf));
      const unit = units.size === 1 ? [...units][0] : 'unit';
      const names = services.map((service) => nameOf(service, shown));
      return listed('plans').map((plan, at) => {
        const texts = inUnit(shown.plan(String(plan.id)), unit ?? 'unit');
        const shapes = [
          ...planShapes,
          ...termsOf(plan, hasMeters),
          speed,
          coveredServices(services),
          recommended,
          retired,
        ];
        return {
          title: String(plan.name ?? texts?.name ?? plan.id ?? ''),
          about: saleOf(plan, `${unit}s`),
          id: String(plan.id),
          fields: shapes
            .map((shape) => withTexts(fieldOf(root, ['plans', at], shape), texts))
            .map((one) => (one.kind === 'services' ? { ...one, choiceNames: names } : one)),
        };
      });
    }
    case 'prices':
      return services.map((service, at) => serviceGroup(root, service, at, shown));
    case 'brand':
      return brandGroups.map(({ title, shapes }) => ({
        title,
        about: '',
        fields: shapes.map(([path, ...shape]) => fieldOf(root, path, shape)),
      }));
  }
}

function serviceGroup(root: unknown, service: Item, at: number, shown: Shown): FieldGroup {
  const isMetered = service.meters !== undefined || service.prices !== undefined;
  const texts = shown.service(String(service.slug));
  const title = nameOf(service, shown);
  const shapes: Shape[] = [
    ['name', 'Name', 'text'],
    ['description', 'Description', 'lines'],
    ...(isMetered
      ? []
      : [['price_usd', `Price of one ${unitOf(service)} of ${title} (USD)`, 'usd'] as const]),
  ];
  return {
    title,
    about: isMetered ? 'prices by meter' : `per ${unitOf(service)}`,
    id: String(service.slug),
    fields: shapes.map((shape) => withTexts(fieldOf(root, ['services', at], shape), texts)),
    ...(isMetered && { parts: Meters.pricesOf(root, at, service) }),
  };
}

function nameOf(service: Item, shown: Shown): string {
  return String(service.name ?? shown.service(String(service.slug))?.name ?? service.slug ?? '');
}

function unitOf(service: Item): string {
  return String(service.unit ?? 'result');
}

/** The texts of a plan with the unit of its services, as the labels of the form have it. */
function inUnit(texts: ShownTexts | undefined, unit: string): ShownTexts | undefined {
  return texts && { ...texts, description: texts.description.replace(/\bunits\b/g, `${unit}s`) };
}

/** Adds what buyers see while the file says nothing. */
function withTexts(one: CatalogueField, texts: ShownTexts | undefined): CatalogueField {
  const key = one.path.at(-1);
  const isText = key === 'name' || key === 'description';
  return isText && one.value === '' && texts?.[key] ? { ...one, usual: texts[key] } : one;
}

/** A plan in a line: `99.00 USD per month, 200,000 results`. */
function saleOf(plan: Item, units: string): string {
  const some = (key: string) => (plan[key] === undefined ? '' : String(plan[key]));
  const included =
    some('included_usd') !== ''
      ? `${some('included_usd')} USD of usage`
      : some('included') === ''
        ? ''
        : `${Number(some('included')).toLocaleString('en')} ${units}`;
  const price = {
    trial: 'Free',
    credit: `From ${some('min_usd') || '0.50'} USD`,
    subscription: `${some('price_usd')} USD per ${some('every') || 'month'}`,
  }[some('kind')];
  return [price ?? some('kind'), included, plan.retired === true ? 'no longer sold' : '']
    .filter((part) => part !== '')
    .join(', ');
}

/** The terms of a plan by its kind. A plan includes units or dollars, whichever it has now. */
function termsOf(plan: Item, hasMeters: boolean): Shape[] {
  const isInUsd = plan.included_usd !== undefined;
  switch (plan.kind) {
    case 'trial':
      return isInUsd
        ? [includedUsd, ['included_usd_when_claimed', 'More with an email address (USD)', 'usd']]
        : [includedUnits, ['included_when_claimed', 'More with an email address', 'count']];
    case 'credit':
      return [
        ['min_usd', 'Smallest purchase (USD)', 'usd', [], '0.50 if empty'],
        ['max_usd', 'Largest purchase (USD)', 'usd', [], '1,000.00 if empty'],
      ];
    default:
      return [
        ['price_usd', 'Price (USD)', 'usd'],
        ['every', 'Per', 'choice', ['month', 'year']],
        ...(isInUsd ? [includedUsd] : hasMeters ? [includedUnits, insteadUsd] : [includedUnits]),
        ['rollover', 'Unused results roll over', 'switch', [], 'What is unused stays for one more period.'],
        ['grace_days', 'Days of grace for an unpaid renewal', 'count', [], '3 if empty'],
      ];
  }
}

function coveredServices(services: readonly Item[]): Shape {
  return ['covers', 'Services', 'services', services.map(({ slug }) => String(slug))];
}

/** The services of the form that are sold by the same unit, at least two of them; `name` is the field for the price of all. */
export function pricedTogether(
  groups: readonly FieldGroup[],
): { unit: string; name: string; services: CatalogueField[] }[] {
  const priced = groups.flatMap(({ about, fields }) =>
    fields.flatMap((one) =>
      one.kind === 'usd' && Number(one.value || 1) > 0 ? [{ unit: about.replace(/^per /, ''), one }] : [],
    ),
  );
  return [...Map.groupBy(priced, ({ unit }) => unit)]
    .map(([unit, all]) => ({ unit, name: `all[${unit}]`, services: all.map(({ one }) => one) }))
    .filter(({ services }) => services.length > 1);
}

/** Writes the price of all services of a unit into their fields, except those that were changed themselves. Returns the fields that are no amounts. */
export function spreadPrices(groups: readonly FieldGroup[], form: URLSearchParams): string[] {
  return pricedTogether(groups).flatMap(({ name, services }) => {
    const typed = form.get(name)?.trim() ?? '';
    if (typed === '') return [];
    if (!/^\d{1,9}(\.\d{1,6})?$/.test(typed)) return [name];
    for (const { name: own, value } of services)
      if ((form.get(own) ?? value).trim() === value.trim()) form.set(own, typed);
    return [];
  });
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
      const said = textOf(typedText.get(name) ?? null);
      const typed = kind === 'services' && said?.split(', ').includes('*') ? '*' : said;
      if (kind === 'remove' || kind === 'logo') return typed === 'true' ? [{ path, value: undefined }] : [];
      // A switch that is off is the same as no key.
      const isOff = kind === 'switch' && (value === '' || value === 'false') && typed !== 'true';
      if (typed === undefined || typed === value.trim() || isOff) return [];
      return [{ path, value: typedValue(kind, typed) }];
    });
}

/** A typed text without blanks around it. Browsers send line breaks as CRLF. */
export function textOf(typed: string | null): string | undefined {
  return typed?.replaceAll('\r\n', '\n').trim();
}

function isBelow(path: SourceLocation.Path, top: SourceLocation.Path): boolean {
  return top.every((step, at) => path[at] === step);
}

/** `500,000` and `500 000` as `500000`. */
function withoutSeparators(typed: string): string {
  return /^\d{1,3}([,\u00a0\u202f ])\d{3}(?:\1\d{3})*$/.test(typed) ? typed.replace(/\D/g, '') : typed;
}

/** Reads the text of a field. A text that does not have the form of its kind stays a text: the schema's message says what is wrong with it. */
export function typedValue(kind: CatalogueField['kind'], typed: string): EditValue | undefined {
  if (typed === '') return undefined;
  if (kind === 'services') return typed === '*' ? typed : typed.split(', ');
  if (kind === 'count') {
    const digits = withoutSeparators(typed);
    return /^\d{1,15}$/.test(digits) ? Number(digits) : typed;
  }
  // A choice of numbers, such as the unit of a price.
  if (kind === 'choice' && /^\d{1,9}$/.test(typed)) return Number(typed);
  return kind === 'switch' ? typed === 'true' : typed;
}
