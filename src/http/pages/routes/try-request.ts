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

/** The request of a form: of its fields, or of its path and JSON. */
export function readTyped(shop: TryContext, operation: Operation, form: URLSearchParams): TryForm {
  if ((form.get('check') ?? form.get('as')) !== 'fields') {
    const request = { path: form.get('path') ?? '', body: form.get('body') ?? '' };
    const isFaulty = request.body.trim() !== '' && jsonFault(request.body) !== null;
    return formOf(shop, operation, {
      ...request,
      // The fields keep what they had, until the body can be read.
      typed: isFaulty ? form : null,
      faults: isFaulty ? [{ field: TryFields.rawBody, fault: 'json' }] : [],
      isRaw: form.has('as') || form.has('check'),
      isChecked: form.has('check'),
    });
  }
  const request = TryFields.requestOf(fieldsIn(shop, operation), operation, form);
  return formOf(shop, operation, { ...request, typed: form, isRaw: false, isChecked: form.has('check') });
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

const knownFields = new WeakMap<Operation, TryFields.RequestField[]>();

/** The fields of an operation, read once. */
function fieldsIn({ reference }: TryContext, operation: Operation): TryFields.RequestField[] {
  const known = knownFields.get(operation);
  if (known !== undefined) return known;
  const fields = TryFields.fieldsOf(reference, schemaReader(reference), operation);
  knownFields.set(operation, fields);
  return fields;
}
