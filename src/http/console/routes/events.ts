import { eventDocument } from '../../../discovery/event-reference.ts';
import { can } from '../../../identity/operators/role.ts';
import type { EventFilter, EventRange } from '../../../payment/event.ts';
import * as EventEndpoint from '../../../payment/event-endpoint.ts';
import { parseTime, readRange } from '../../../payment/event-range.ts';
import type { Call } from '../../request-context.ts';
import type { Console } from '../console.ts';
import type { FormResult } from '../pages/account.ts';
import { event } from '../pages/event.ts';
import { path } from '../pages/event-states.ts';
import { eventTypesPage } from '../pages/event-types.ts';
import * as Page from '../pages/events.ts';
import { many } from '../pages/figures.ts';
import * as LoginPage from '../pages/login-page.ts';
import { type ConsoleResponse, done } from '../response.ts';
import type { Person } from '../sessions.ts';
import {
  addEndpointForms,
  changeEndpoints,
  type EventForm,
  type EventsContext,
  type Outcome,
  succeeded,
  unknown,
} from './event-endpoints.ts';

const pageSize = 25;
const textCharsMax = 100;
const dayMs = 86_400_000;

/** The seller's events: endpoints, the list, deliveries and their attempts. */
export function addEventSection(console: Console, shop: EventsContext): void {
  const { events } = shop.console;
  const page = async (c: Call, { role }: Person, { result, shown }: Outcome): Promise<ConsoleResponse> => {
    const filter = filterOf(c);
    const [found, endpoints] = await Promise.all([events.list(filter, pageSize + 1), events.endpoints()]);
    const listed = found.slice(0, pageSize);
    const deliveries = await events.deliveriesOf(listed);
    const shownEvents = listed.map((one) => ({ ...one, deliveries: deliveries.get(one.id) ?? [] }));
    const facts = {
      ...{ filter, events: shownEvents, endpoints, result, secret: null, draft: null, replay: null },
      nowMs: shop.clock(),
      next: found.length > pageSize ? (listed.at(-1)?.id ?? null) : null,
      canChange: can(role, 'endpoints'),
      canReplay: can(role, 'support'),
      ...shown,
    };
    const main = Page.events(facts);
    return { title: 'Events', status: result?.isBad ? 422 : 200, main, canCopy: facts.secret !== null };
  };
  console.addSection('Events', path, (c, person, flash) =>
    page(c, person, { result: flash, shown: { secret: flash?.secret ?? null } }),
  );
  console.addAction(path, async (c, form, person) => {
    const outcome = await act({ shop, form, who: person.who });
    return 'result' in outcome ? page(c, person, outcome) : outcome;
  });

  // These come before the page of an event, whose path would match them.
  console.addPage('/admin/console/events/openapi.json', async () => Response.json(eventDocument()));
  console.addPage('/admin/console/events/types', async () => ({
    title: 'Types of events',
    main: eventTypesPage('/admin/console/events/openapi.json'),
    canCopy: true,
  }));

  addEndpointForms(console, shop, page);

  const one = async (c: Call, { role }: Person, result: FormResult): Promise<ConsoleResponse> => {
    const found = await events.find(c.req.param('id') ?? '');
    if (found === null)
      return {
        ...{ title: 'Event not found', status: 404 },
        main: LoginPage.problem('Event not found', 'The shop has no event with this id, or it was deleted.', {
          path,
          name: 'All events',
        }),
      };
    const main = event(found, await events.endpoints(), can(role, 'support'), result, shop.clock());
    return { title: found.event.type, status: result?.isBad ? 422 : 200, main, canCopy: true };
  };
  console.addPage('/admin/console/events/:id', one);
  console.addAction('/admin/console/events/:id', async (c, form, person) => {
    const event = c.req.param('id') ?? '';
    const endpoint = form.get('id') ?? '';
    if (form.get('act') === 'now')
      return (await events.deliverNow(endpoint, event, person.who))
        ? done(c.req.path, 'The event is sent now.')
        : one(c, person, {
            text: 'Nothing was sent: the event does not wait for this attempt any more.',
            isBad: true,
          });
    const range = { from: event, to: event, sinceMs: null, untilMs: null, types: null };
    const again = await events.replay(endpoint, range, person.who);
    return again === null ? one(c, person, unknown.result) : done(c.req.path, 'The event is on its way.');
  });
}

async function act(sent: EventForm): Promise<Outcome | ConsoleResponse> {
  const { form, who } = sent;
  const { events } = sent.shop.console;
  const action = form.get('act');
  if (action !== 'review' && action !== 'replay') return changeEndpoints(sent);
  const range = rangeOf(form);
  if ('result' in range) return range;
  const id = form.get('id') ?? '';
  const draft = Object.fromEntries(form);
  const fault = (text: string, at: string) => unsent({ ...draft, fault: text, at }, at);
  if (action === 'review') {
    const [counted, endpoints] = await Promise.all([events.countReplay(id, range), events.endpoints()]);
    const endpoint = endpoints.find((one) => one.id === id);
    if (counted === null || endpoint === undefined) return fault(unknownEvent, 'from');
    if (counted.count === 0)
      return fault('The endpoint takes no such event, or all of them wait already.', 'since');
    return { title: 'Deliver again', main: Page.confirmReplay(endpoint, counted, new Map(form)) };
  }
  const again = await events.replay(id, range, who);
  if (again === null) return fault(unknownEvent, 'from');
  const more = again.next === null ? '' : ` There are more: continue from event ${again.next}.`;
  return succeeded(`${many(again.count, 'event')} will be delivered again.${more}`);
}

/** Reads the range of the form that delivers events again. */
function rangeOf(form: URLSearchParams): EventRange | Outcome {
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
  return { ...range, untilMs };
}

/** The refusal of the form that delivers events again, which keeps its input. */
function unsent(replay: NonNullable<Page.EventsFacts['replay']>, at: string): Outcome {
  const fix = { id: at === 'types' ? 'replay_types' : at, name: 'Go to the form' };
  return {
    result: { text: `Nothing is delivered again. ${replay.fault ?? ''}`, isBad: true, fix },
    shown: { replay },
  };
}

const unknownEvent = 'There is no such event or endpoint.';
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
    ...((state === 'delivered' || state === 'failed') && { state }),
    ...((state === 'waiting' || state === 'failing') && {
      ...{ state: 'waiting', isFailing: state === 'failing' },
    }),
    ...(before && { before }),
  };
}
