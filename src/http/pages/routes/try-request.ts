import { id as newId } from '@sluice/kernel/id';
import { jsonFault } from '@sluice/kernel/json-fault';
import { html } from 'hono/html';
import type { CatalogContext } from '../../../catalog/catalog-context.ts';
import * as ExampleRequest from '../../../catalog/example-request.ts';
import type { Operation } from '../../../catalog/operation.ts';
import type { DiscoveryContext } from '../../../discovery/discovery-context.ts';
import { schemaReader } from '../../../discovery/reference.ts';
import { highestPrice } from '../../../journeys/highest-price.ts';
import type { Texts } from '../../../text/texts.ts';
import type * as Frame from '../frame.ts';
import type { TryForm } from '../shop-facts.ts';
import * as TryFields from '../try-fields.ts';
import type * as TryIt from '../try-it.ts';

type TryContext = Pick<CatalogContext, 'description'> & Pick<DiscoveryContext, 'reference'>;

/** The initial form. */
export function example(shop: TryContext, operation: Operation): TryForm {
  const request = { path: operation.path, body: ExampleRequest.smallBody(operation, shop.description) };
  return formOf(shop, operation, { ...request, typed: null, faults: [], isRaw: false, isChecked: false });
}

/** The request of a form: of its fields, or of its path and JSON. `view` asks for the same request in the other form. */
export function readTyped(shop: TryContext, operation: Operation, form: URLSearchParams): TryForm {
  const view = form.get('view');
  if (view === 'raw') return asRaw(shop, operation, form);
  if (view === 'fields') return asFields(operation, readRaw(shop, operation, form));
  return (form.get('check') ?? form.get('as')) === 'fields'
    ? readFields(shop, operation, form)
    : readRaw(shop, operation, form);
}

/** The request of filled-in fields as JSON, unless one of them cannot be read. An empty field is no fault before the request is sent. */
function asRaw(shop: TryContext, operation: Operation, form: URLSearchParams): TryForm {
  const typed = readFields(shop, operation, form);
  const faults = typed.faults.filter(({ fault }) => fault !== 'required');
  return formOf(shop, operation, {
    ...typed,
    ...{ faults, typed: faults.length > 0 ? form : null, isRaw: faults.length === 0, isChecked: false },
  });
}

/** The request of a JSON text in fields, unless the text cannot be read or has values without a field. */
function asFields(operation: Operation, typed: TryForm): TryForm {
  const isRaw = typed.faults.length > 0 || !TryFields.holdsAll(typed.fields, operation, typed);
  return { ...typed, isRaw };
}

function readFields(shop: TryContext, operation: Operation, form: URLSearchParams): TryForm {
  const request = TryFields.requestOf(fieldsIn(shop, operation), operation, form);
  return formOf(shop, operation, { ...request, typed: form, isRaw: false, isChecked: form.has('check') });
}

function readRaw(shop: TryContext, operation: Operation, form: URLSearchParams): TryForm {
  const request = { path: form.get('path') ?? '', body: form.get('body') ?? '' };
  const isFaulty = request.body.trim() !== '' && jsonFault(request.body) !== null;
  const isTyped = form.has('as') || form.has('check') || isFaulty;
  return formOf(shop, operation, {
    ...request,
    typed: null,
    faults: isFaulty ? [{ field: TryFields.rawBody, fault: 'json' }] : [],
    // A request that the fields cannot hold is shown as it is.
    isRaw: isTyped || !TryFields.holdsAll(fieldsIn(shop, operation), operation, request),
    isChecked: form.has('check'),
  });
}

function formOf(
  shop: TryContext,
  operation: Operation,
  typed: Pick<TryForm, 'path' | 'body' | 'typed' | 'faults' | 'isRaw' | 'isChecked'>,
): TryForm {
  const fields = fieldsIn(shop, operation);
  const highest = typed.faults.length > 0 ? null : highestPrice(operation, typed);
  return { ...{ operation, fields, highest, ...typed }, key: newId('try'), answered: [], trial: null };
}

/** The faults that the API has found in fields of the form. */
export function answeredOf({ fields }: TryForm, trial: TryIt.TrialOutcome): TryForm['answered'] {
  if (trial.kind === 'refusal') return [];
  return trial.faults.flatMap(({ keys, message }) => {
    const field = TryFields.fieldAt(fields, keys);
    return field === null ? [] : { field: TryFields.nameOf(field), message };
  });
}

export function alert(message: string): Frame.Html {
  return html`<p class="note" role="alert">${message}</p>`;
}

/** Says that the form was filled in with a smaller request. */
export function filled(texts: Texts, { highest, operation }: TryForm): Frame.Html | null {
  if (highest?.units == null) return null;
  const quantity = texts.quantity(highest.units, operation.service.unit);
  return html`<p class="ok" role="status">${texts.text('try.filled', { quantity })}</p>`;
}

/** Says why the fields were asked for and are not shown. */
export function kept(texts: Texts, { isRaw, faults }: TryForm, form: URLSearchParams): Frame.Html | null {
  const isKept = form.get('view') === 'fields' && isRaw && faults.length === 0;
  return isKept ? alert(texts.text('try.no_field')) : null;
}

const knownFields = new WeakMap<Operation, TryFields.RequestField[]>();

/** The fields of an operation, read once. */
function fieldsIn({ reference }: TryContext, operation: Operation): TryFields.RequestField[] {
  const known = knownFields.get(operation);
  if (known !== undefined) return known;
  const fields = TryFields.fieldsOf(reference, schemaReader(reference), operation);
  knownFields.set(operation, fields);
  return fields;
}
