import type { Clock } from '@sluice/kernel/clock';
import { id as newId } from '@sluice/kernel/id';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { Endpoint, EventType } from '../../../payment/event.ts';
import * as EventEndpoint from '../../../payment/event-endpoint.ts';
import type { Html } from '../../pages/frame.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import * as Page from '../pages/event-endpoints.ts';
import { path } from '../pages/event-states.ts';
import type { EventsFacts } from '../pages/events.ts';
import { type ConsoleResponse, done } from '../response.ts';
import type { Person } from '../sessions.ts';

export type EventsContext = Pick<SellerContext, 'console'> & { readonly clock: Clock };
type Shown = Partial<Pick<EventsFacts, 'secret' | 'draft' | 'replay'>>;
/** The fault of a form, and what the page shows of its input. */
export type Outcome = { result: FormResult; shown?: Shown };

/** A form of the events, and the person who sent it. */
export type EventForm = { shop: EventsContext; form: URLSearchParams; who: string };

export const succeeded = (text: string, secret?: string): ConsoleResponse => done(path, text, secret);
const refused = (text: string, shown: Shown = {}): Outcome => ({ result: { text, isBad: true }, shown });
export const unknown = refused('There is no such endpoint or event. Reload the page and try again.');

/** Adds the pages that edit an endpoint, or ask before something ends. `list` shows all endpoints. */
export function addEndpointForms(
  console: Console,
  { console: { events } }: EventsContext,
  list: (c: Call, person: Person, outcome: Outcome) => Promise<ConsoleResponse>,
): void {
  const page = (title: string, main: (endpoint: Endpoint) => Html) => async (c: Call, person: Person) => {
    const endpoint = (await events.endpoints()).find(({ id }) => id === c.req.param('id'));
    return endpoint === undefined ? list(c, person, unknown) : { title, main: main(endpoint) };
  };
  const edit = (endpoint: Endpoint) => Page.editEndpoint(endpoint, null, null);
  console.addPage('/admin/console/events/endpoints/:id/edit', page('Edit endpoint', edit));
  console.addPage(
    '/admin/console/events/endpoints/:id/remove',
    page('Remove an endpoint', Page.confirmRemoval),
  );
  console.addPage(
    '/admin/console/events/endpoints/:id/secret',
    page('Replace the secret', Page.confirmSecret),
  );
}

/** Performs a form of the endpoints. */
export async function changeEndpoints(sent: EventForm): Promise<Outcome | ConsoleResponse> {
  const { form, who } = sent;
  const { events } = sent.shop.console;
  const id = form.get('id') ?? '';
  switch (form.get('act')) {
    case 'add':
      return add(sent);
    case 'change':
      return change(sent);
    case 'rotate':
      return rotate(sent, false);
    case 'replace':
      return rotate(sent, true);
    case 'enable':
      return (await events.enable(id, true, who))
        ? succeeded('Endpoint enabled. Waiting events are delivered now.')
        : unknown;
    case 'disable':
      return (await events.enable(id, false, who))
        ? succeeded('Endpoint disabled. New events wait until you enable it.')
        : unknown;
    case 'remove':
      return (await events.remove(id, who)) ? succeeded('Endpoint removed, with its deliveries.') : unknown;
    case 'test':
      return (await events.test(id, who)) === null ? unknown : succeeded('A test event is on its way.');
    default:
      return refused('Unknown action. Reload the page and try again.');
  }
}

async function rotate({ shop, form, who }: EventForm, endsNow: boolean): Promise<Outcome | ConsoleResponse> {
  const { events } = shop.console;
  if (events.secretFault !== null) return refused(`${events.secretFault}.`);
  const secret = EventEndpoint.newSecret();
  const text = endsNow
    ? 'New secret made. The old one signs no more events.'
    : 'New secret made. For a day, events are signed with the old one too.';
  return (await events.rotate(form.get('id') ?? '', secret, endsNow, who))
    ? succeeded(text, secret)
    : unknown;
}

/** Reads the address and the types of a form; its faults, beside their fields. */
function readEndpoint(
  { console }: EventsContext,
  form: URLSearchParams,
): { url: string; types: EventType[] | null } | { draft: Page.EndpointDraft } {
  const isAll = form.get('which') === 'all';
  const types = isAll ? '' : form.getAll('types').filter(Boolean).join(',');
  const draft = { url: form.get('url')?.trim() ?? '', types, isSome: form.get('which') === 'some' };
  const urlFault = EventEndpoint.urlFault(draft.url, console.endpointRules);
  const read = EventEndpoint.parseTypes(draft.types);
  const typesFault =
    'fault' in read
      ? read.fault
      : draft.isSome && read.types === null
        ? 'Tick at least one type, or choose all types.'
        : null;
  if (urlFault !== null || typesFault !== null || 'fault' in read) {
    const faults = {
      ...(urlFault !== null && { url: urlFaultInWords(urlFault) }),
      ...(typesFault !== null && { types: typesFault }),
    };
    return { draft: { ...draft, faults } };
  }
  return { url: draft.url, types: read.types };
}

async function add({ shop, form, who }: EventForm): Promise<Outcome | ConsoleResponse> {
  const { events } = shop.console;
  if (events.secretFault !== null) return refused(`${events.secretFault}.`);
  const read = readEndpoint(shop, form);
  if ('draft' in read) return refused(`Nothing was added. ${correct(read.draft)}`, read);
  const secret = EventEndpoint.newSecret();
  return (await events.add({ id: newId('ep'), ...read, secret }, who))
    ? succeeded('Endpoint added. Events from now on are delivered to it.', secret)
    : refused(`There are ${EventEndpoint.endpointsMax} endpoints, the maximum. Remove one first.`);
}

/** Changes an endpoint. A refused form is shown again on its own page. */
async function change({ shop, form, who }: EventForm): Promise<Outcome | ConsoleResponse> {
  const { events } = shop.console;
  const endpoint = (await events.endpoints()).find(({ id }) => id === form.get('id'));
  if (endpoint === undefined) return unknown;
  const read = readEndpoint(shop, form);
  if ('draft' in read) {
    const result = { text: `Nothing was changed. ${correct(read.draft)}`, isBad: true };
    const main = Page.editEndpoint(endpoint, read.draft, result);
    return { title: 'Edit endpoint', status: 422, main };
  }
  return (await events.change({ id: endpoint.id, ...read }, who))
    ? succeeded('Endpoint changed. Its secret is the same as before.')
    : unknown;
}

function correct({ faults }: Page.EndpointDraft): string {
  return `Correct the marked ${Object.keys(faults).length === 1 ? 'field' : 'fields'}.`;
}

/** A fault of an address as a sentence of the form. */
function urlFaultInWords(fault: string): string {
  if (fault.startsWith('must be a URL'))
    return 'Enter an address of at most 500 characters, such as https://example.com/events.';
  if (fault.startsWith('must be a public'))
    return 'Enter a public https:// address. For others, set EVENTS_PRIVATE_ADDRESSES=on.';
  if (fault === 'must start with https://') return 'Enter an address that starts with https://.';
  return `The address ${fault}.`;
}
