import type { Clock } from '@sluice/kernel/clock';
import type { DueEvent, Outcome, SellerEvents } from '../payment/event.ts';
import { type EventRequest, eventRequest, retryMs } from '../payment/event-endpoint.ts';

/** Requests under way to one endpoint, in one process. There is no limit for all of them, so that slow endpoints do not delay the others. */
const perEndpointMax = 6;

const statusGone = 410;

type Sender = { send(request: EventRequest): Promise<{ status: number } | { fault: string }> };

export type EventDeliveryContext = {
  readonly events: Pick<SellerEvents, 'publish' | 'take' | 'finish'>;
  readonly sender: Sender;
  readonly includesEmail: boolean;
  readonly clock: Clock;
  readonly report: (event: string, detail: Readonly<Record<string, unknown>>) => void;
};

/** Delivers the seller's events, in order per account. Create one instance per process; processes share the work. */
export class EventDelivery {
  readonly #underWay = new Map<Promise<void>, string>();
  readonly #context: EventDeliveryContext;
  readonly #retryMs: typeof retryMs;
  #filling: Promise<void> | null = null;
  #isStopped = false;

  constructor(context: EventDeliveryContext, retry: typeof retryMs = retryMs) {
    this.#context = context;
    this.#retryMs = retry;
  }

  /** Publishes new events and starts deliveries that are due, without waiting for the endpoints. Rejects while the database is unavailable. */
  async run(): Promise<void> {
    while (!(await this.#context.events.publish()));
    await this.#fill();
  }

  /** Starts no further delivery, and waits at most `ms` for those under way. Other processes continue. */
  async drain(ms: number): Promise<void> {
    this.#isStopped = true;
    const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([Promise.all(this.#underWay.keys()), late]);
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#start().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #start(): Promise<void> {
    while (!this.#isStopped) {
      const due = await this.#context.events.take(this.#busy());
      if (due === null) return;
      const sending: Promise<void> = this.#deliver(due)
        .then(() => true)
        .catch((fault: unknown) => {
          this.#context.report('event_not_recorded', { event_id: due.id, fault: String(fault) });
          return false;
        })
        .then((isDone) => {
          this.#underWay.delete(sending);
          // The next event of the account is due now.
          if (isDone) void this.#fill().catch(() => undefined);
        });
      this.#underWay.set(sending, due.endpoint);
    }
  }

  #busy(): string[] {
    const counts = new Map<string, number>();
    for (const endpoint of this.#underWay.values()) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= perEndpointMax).map(([endpoint]) => endpoint);
  }

  async #deliver(due: DueEvent): Promise<void> {
    const { events, sender, includesEmail, clock, report } = this.#context;
    const startMs = clock();
    const sent =
      'fault' in due.secrets
        ? due.secrets
        : await sender.send(eventRequest(due, due.secrets, includesEmail, startMs));
    const status = 'status' in sent ? sent.status : null;
    const outcome = this.#outcome(status, due.tries);
    const fault = 'fault' in sent ? sent.fault : outcome.state === 'delivered' ? null : `status ${status}`;
    const attempt = { at: new Date(startMs).toISOString(), ms: clock() - startMs, status, fault };
    const { recorded, disabled } = await events.finish(due, attempt, outcome);
    const detail = { event_id: due.id, type: due.type, endpoint: due.endpoint, fault };
    if (recorded && outcome.state === 'failed') report('event_given_up', detail);
    if (disabled) report('event_endpoint_disabled', detail);
  }

  #outcome(status: number | null, tries: number): Outcome {
    if (status !== null && status >= 200 && status < 300)
      return { state: 'delivered', waitMs: 0, isGone: false };
    const waitMs = this.#retryMs(tries);
    // The events of an endpoint that is gone wait until the seller enables or removes it.
    if (status === statusGone) return { state: 'waiting', waitMs: waitMs ?? 0, isGone: true };
    return waitMs === null
      ? { state: 'failed', waitMs: 0, isGone: false }
      : { state: 'waiting', waitMs, isGone: false };
  }
}
