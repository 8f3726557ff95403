import type { Edit } from '../../catalog/catalog-edit.ts';
import { valueAt } from '../../catalog/catalog-edit.ts';
import * as Source from '../../catalog/source.ts';
import { capitalized } from '../../text/capitalized.ts';
import { type FieldGroup, fieldOf, type Shape } from './catalogue-field.ts';

/** The numbers of units that a price can be for. */
const perChoices = ['1', '1000', '1000000'];

/** The numbers of units in words, with the last word that the units of all meters share: `1,000 tokens`. */
function perNames(service: Members): string[] {
  const units = pricedMeters(service).map((meter) =>
    String(membersOf(membersOf(service.meters)[meter]).unit ?? 'unit')
      .split(' ')
      .at(-1),
  );
  const unit = new Set(units).size === 1 ? units[0] : 'unit';
  return perChoices.map((per) => `${Number(per).toLocaleString('en')} ${unit}${per === '1' ? '' : 's'}`);
}

type Members = Readonly<Record<string, unknown>>;

/** The prices of a service with meters: a part for each value of `price_by`. A meter that counts a cost has no price. */
export function pricesOf(root: unknown, at: number, service: Members): Omit<FieldGroup, 'parts'>[] {
  const meters = pricedMeters(service);
  const shapes: Shape[] = [
    ['per', 'Prices are for', 'choice', perChoices],
    ...meters.map((meter) => [meter, `${priceOf(meter)} (USD)`, 'usd'] as const),
  ];
  return Object.keys(membersOf(service.prices)).map((key) => ({
    title: key,
    about: '',
    fields: [
      ...shapes
        .map((shape) => fieldOf(root, ['services', at, 'prices', key], shape))
        .map((one) => (one.kind === 'choice' ? { ...one, choiceNames: perNames(service) } : one)),
      ...(key === 'default'
        ? []
        : [fieldOf(root, ['services', at, 'prices'], [key, 'Remove these prices', 'remove'])]),
    ],
  }));
}

/** The field names of a new entry of `prices`, for the service at an index. */
export function newPriceFields(
  text: string,
  at: number,
): {
  name: string;
  label: string;
  member: string | null;
  choices?: readonly string[];
  choiceNames?: readonly string[];
}[] {
  const service = membersOf(valueAt(Source.read(text).value, ['services', at]));
  if (service.price_by === undefined) return [];
  const name = (member: string) => `new[${at}].${member}`;
  return [
    { name: name('key'), label: keyLabel(String(service.price_by)), member: null },
    {
      ...{ name: name('per'), label: 'Prices are for', member: 'per' },
      ...{ choices: perChoices, choiceNames: perNames(service) },
    },
    ...pricedMeters(service).map((meter) => ({
      ...{ name: name(meter), label: `${priceOf(meter)} (USD)`, member: meter },
    })),
  ];
}

/** The label of the values that choose a price where their place has no name. */
export const anyKey = 'Prices for';

/** `/model` as `Model`. */
function keyLabel(priceBy: string): string {
  const name = priceBy.split('/').at(-1)?.replaceAll('_', ' ') ?? '';
  return name === '' ? anyKey : capitalized(name);
}

/** `input` as `Input price`. */
function priceOf(meter: string): string {
  return `${capitalized(meter.replaceAll('_', ' '))} price`;
}

/** Returns the edits that add the new prices of a form. */
export function newPrices(text: string, services: number, form: URLSearchParams): Edit[] {
  return Array.from({ length: services }, (_, at) => at).flatMap((at) => {
    const fields = newPriceFields(text, at);
    const key = form.get(`new[${at}].key`)?.trim() ?? '';
    if (key === '') return [];
    return fields.flatMap(({ name, member }) => {
      const typed = form.get(name)?.trim() ?? '';
      if (member === null || typed === '') return [];
      const value = member === 'per' && /^\d{1,9}$/.test(typed) ? Number(typed) : typed;
      return [{ path: ['services', at, 'prices', key, member], value }];
    });
  });
}

/** Returns the slugs of the services that are paid by meter. */
export function meteredServices(text: string): string[] {
  const services = valueAt(Source.read(text).value, ['services']);
  return (Array.isArray(services) ? services : [])
    .map(membersOf)
    .flatMap(({ slug, meters }) => (meters === undefined ? [] : [String(slug)]));
}

function pricedMeters({ meters }: Members): string[] {
  return Object.entries(membersOf(meters))
    .filter(([, meter]) => membersOf(membersOf(meter).count).cost === undefined)
    .map(([name]) => name);
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
