import { id as newId } from '@sluice/kernel/id';
import { eventDocument } from '../../../discovery/event-reference.ts';
import { can } from '../../../identity/operators/role.ts';
import type { SellerContext } from '../../../journeys/seller-context.ts';
import type { Endpoint, EventFilter, SellerEvents } from '../../../payment/event.ts';
import * as EventEndpoint from '../../../payment/event-endpoint.ts';
import { parseTime, readRange } from '../../../payment/event-range.ts';
import type { Html } from '../../pages/frame.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import { eventTypesPage } from '../pages/event-types.ts';
import * as Page from '../pages/events.ts';
import { many } from '../pages/figures.ts';
import * as LoginPage from '../pages/login-page.ts';
import { type ConsoleResponse, done } from '../response.ts';
import type { Person } from '../sessions.ts';

const pageSize = 25;
const textCharsMax = 100;
const dayMs = 86_400_000;

type EventsContext = Pick<SellerContext, 'console'>;
type Shown = Partial<Pick<Page.EventsFacts, 'secret' | 'draft' | 'replay'>>;
/** The fault of a form, and what the page shows of its input. */
type Outcome = { result: FormResult; shown?: Shown };

const succeeded = (text: string, secret?: string): ConsoleResponse => done(Page.path, text, secret);
const refused = (text: string, shown: Shown = {}): Outcome => ({ result: { text, isBad: true }, shown });
const unknown = refused('There is no such endpoint or event. Reload the page and try again.');

/** The seller's events: endpoints, the list, deliveries and their attempts. */
export function addEventSection(console: Console, shop: EventsContext): void {
  const { events } = shop.console;
  const page = async (c: Call, { role }: Person, { result, shown }: Outcome): Promise<ConsoleResponse> => {
    const filter = filterOf(c);
    const [found, endpoints] = await Promise.all([events.list(filter, pageSize + 1), events.endpoints()]);
    const listed = found.slice(0, pageSize);
    const facts = {
      ...{ filter, events: listed, endpoints, result, secret: null, draft: null, replay: null },
      next: found.length > pageSize ? (listed.at(-1)?.id ?? null) : null,
      canChange: can(role, 'endpoints'),
      canReplay: can(role, 'support'),
      ...shown,
    };
    const main = Page.events(facts);
    return { title: 'Events', status: result?.isBad ? 422 : 200, main, canCopy: facts.secret !== null };
  };
  console.addSection('Events', Page.path, (c, person, flash) =>
    page(c, person, { result: flash, shown: { secret: flash?.secret ?? null } }),
  );
  console.addAction(Page.path, async (c, form, person) => {
    const outcome = await act(shop, form, person.who);
    return 'result' in outcome ? page(c, person, outcome) : outcome;
  });

  // These come before the page of an event, whose path would match them.
  console.addPage('/admin/console/events/openapi.json', async () => Response.json(eventDocument()));
  console.addPage('/admin/console/events/types', async () => ({
    title: 'Types of events',
    main: eventTypesPage('/admin/console/events/openapi.json'),
    canCopy: true,
  }));

  const question = (title: string, main: (endpoint: Endpoint) => Html) => async (c: Call, person: Person) => {
    const endpoint = (await events.endpoints()).find(({ id }) => id === c.req.param('id'));
    return endpoint === undefined ? page(c, person, unknown) : { title, main: main(endpoint) };
  };
  console.addPage(
    '/admin/console/events/endpoints/:id/remove',
    question('Remove an endpoint', Page.confirmRemoval),
  );
  console.addPage('/admin/console/events/endpoints/:id/secret', question('New secret', Page.confirmSecret));

  const one = async (c: Call, { role }: Person, result: FormResult): Promise<ConsoleResponse> => {
    const found = await events.find(c.req.param('id') ?? '');
    if (found === null)
      return {
        ...{ title: 'Event not found', status: 404 },
        main: LoginPage.problem('Event not found', 'The shop has no event with this id, or it was deleted.', {
          path: Page.path,
          name: 'All events',
        }),
      };
    const main = Page.event(found, await events.endpoints(), can(role, 'support'), result);
    return { title: found.event.type, status: result?.isBad ? 422 : 200, main, canCopy: true };
  };
  console.addPage('/admin/console/events/:id', one);
  console.addAction('/admin/console/events/:id', async (c, form, person) => {
    const event = c.req.param('id') ?? '';
    const range = { from: event, to: event, sinceMs: null, untilMs: null, types: null };
    const again = await events.replay(form.get('id') ?? '', range, person.who);
    return again === null ? one(c, person, unknown.result) : done(c.req.path, 'The event is on its way.');
  });
}

async function act(
  shop: EventsContext,
  form: URLSearchParams,
  who: string,
): Promise<Outcome | ConsoleResponse> {
  const { events } = shop.console;
  const id = form.get('id') ?? '';
  switch (form.get('act')) {
    case 'add':
      return add(shop, form, who);
    case 'rotate':
      return rotate(events, id, false, who);
    case 'replace':
      return rotate(events, id, true, who);
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
    case 'replay':
      return replay(events, form, who);
    default:
      return refused('Unknown action. Reload the page and try again.');
  }
}

async function rotate(
  events: SellerEvents,
  id: string,
  endsNow: boolean,
  who: string,
): Promise<Outcome | ConsoleResponse> {
  if (events.secretFault !== null) return refused(`${events.secretFault}.`);
  const secret = EventEndpoint.newSecret();
  const text = endsNow
    ? 'New secret made. The former one signs no more events.'
    : 'New secret made. For a day, events are signed with the former one too.';
  return (await events.rotate(id, secret, endsNow, who)) ? succeeded(text, secret) : unknown;
}

async function replay(
  events: SellerEvents,
  form: URLSearchParams,
  who: string,
): Promise<Outcome | ConsoleResponse> {
  const said = (name: string) => form.get(name)?.trim();
  const range = readRange({
    ...{ from: said('from'), to: said('to'), since: said('since'), types: said('types') },
  });
  const lastDay = said('until') ? parseTime(said('until') ?? '') : null;
  const draft = Object.fromEntries(form);
  if ('fault' in range) return unsent({ ...draft, fault: rangeFaults[range.at], at: range.at }, range.at);
  // The form names the last day, the range the moment after it.
  const untilMs = lastDay == null ? null : lastDay + dayMs;
  if (lastDay === undefined || (untilMs !== null && untilMs <= (range.sinceMs ?? 0)))
    return unsent({ ...draft, fault: rangeFaults.until, at: 'until' }, 'until');
  const again = await events.replay(form.get('id') ?? '', { ...range, untilMs }, who);
  if (again === null)
    return unsent({ ...draft, fault: 'There is no such event or endpoint.', at: 'from' }, 'from');
  const more = again.next === null ? '' : ` There are more: continue from event ${again.next}.`;
  return succeeded(`${many(again.count, 'event')} will be delivered again.${more}`);
}

/** The refusal of the form that delivers events again, which keeps its input. */
function unsent(replay: NonNullable<Page.EventsFacts['replay']>, at: string): Outcome {
  const fix = { id: at === 'types' ? 'replay_types' : at, name: 'Go to the form' };
  return {
    result: { text: `Nothing is delivered again. ${replay.fault ?? ''}`, isBad: true, fix },
    shown: { replay },
  };
}

async function add(
  { console }: EventsContext,
  form: URLSearchParams,
  who: string,
): Promise<Outcome | ConsoleResponse> {
  if (console.events.secretFault !== null) return refused(`${console.events.secretFault}.`);
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
    return refused('Nothing was added. Correct the marked fields.', { draft: { ...draft, faults } });
  }
  const secret = EventEndpoint.newSecret();
  const endpoint = { id: newId('ep'), url: draft.url, types: read.types, secret };
  return (await console.events.add(endpoint, who))
    ? succeeded('Endpoint added. Events from now on are delivered to it.', secret)
    : refused(`There are ${EventEndpoint.endpointsMax} endpoints, the maximum. Remove one first.`);
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

const rangeFaults = {
  from: 'Choose the first day, or enter the first event.',
  since: 'Choose the first day, or enter the first event.',
  to: 'Enter the id of an event.',
  until: 'Choose a last day that is not before the first day.',
  types: 'Choose a type from the list.',
} as const;

function filterOf(c: Call): EventFilter {
  const said = (name: string) => c.req.query(name)?.trim().slice(0, textCharsMax) || undefined;
  const [type, account, state, before] = [said('type'), said('account'), said('state'), said('before')];
  return {
    ...(type && EventEndpoint.isType(type) && { type }),
    ...(account && { account }),
    ...((state === 'waiting' || state === 'delivered' || state === 'failed') && { state }),
    ...(before && { before }),
  };
}
