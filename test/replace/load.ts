import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import * as Upstream from './upstream.ts';

/** The calls of one run, made through the balancer at a fixed rate, with streams beside them. */
export type Result = {
  calls: number;
  streams: number;
  /** Micro-dollars that the responses said they cost. */
  cost: number;
  errors: string[];
  /** Calls that were not made in time, because too many were under way. */
  skipped: number;
  latencyMs: number[];
};

const tickMs = 10;
const underWayMax = 1_000;
const slowShare = 50;
const slowMs = 300;
const eventsMin = 10;
const eventsSpread = 30;
const errorsShownMax = 20;

/** Makes calls until `stop`, which resolves when all of them have ended. */
export class Load {
  readonly result: Result = { calls: 0, streams: 0, cost: 0, errors: [], skipped: 0, latencyMs: [] };
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: underWayMax, maxFreeSockets: underWayMax });
  readonly #streams: Promise<void>[];
  readonly #ticking: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;
  #made = 0;

  constructor(url: string, token: string, rate: number, streams: number) {
    this.#url = url;
    this.#token = token;
    const startedMs = performance.now();
    let due = 0;
    this.#ticking = setInterval(() => {
      const until = ((performance.now() - startedMs) / 1_000) * rate;
      for (; due < until; due++) this.#start();
    }, tickMs);
    this.#streams = Array.from({ length: streams }, (_, index) => this.#keepStreaming(index));
  }

  async stop(): Promise<Result> {
    this.#isOver = true;
    clearInterval(this.#ticking);
    await Promise.all([...this.#streams, ...this.#underWay]);
    this.#agent.destroy();
    return this.result;
  }

  #start(): void {
    if (this.#underWay.size >= underWayMax) {
      this.result.skipped += 1;
      return;
    }
    const call = this.#call().finally(() => this.#underWay.delete(call));
    this.#underWay.add(call);
  }

  async #call(): Promise<void> {
    const made = this.#made++;
    const asked = { id: String(made), count: 1 + (made % 10), delayMs: made % slowShare === 0 ? slowMs : 0 };
    const startedMs = performance.now();
    const body = await this.#send('/v1/list', asked);
    if (body === null) return;
    this.result.latencyMs.push(performance.now() - startedMs);
    this.result.calls += 1;
    if (body !== JSON.stringify({ id: asked.id, count: asked.count }))
      this.#fail(`call ${made} got ${body.slice(0, 200)}`);
  }

  async #keepStreaming(index: number): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const events = eventsMin + ((index * 7 + round * 11) % eventsSpread);
      const body = await this.#send('/v1/chat', { stream: true, events });
      if (body === null) continue;
      this.result.streams += 1;
      this.result.cost += Upstream.streamUnits;
      if (!Upstream.isWhole(body, events))
        this.#fail(`a stream got ${body.length} characters: ${body.slice(-200)}`);
    }
  }

  /** Returns the body of a response that arrived whole with 200, or records why it did not. */
  async #send(path: string, body: unknown): Promise<string | null> {
    try {
      const sent = JSON.stringify(body);
      const outgoing = request(`${this.#url}${path}`, {
        method: 'POST',
        agent: this.#agent,
        headers: {
          authorization: `Bearer ${this.#token}`,
          'content-type': 'application/json',
          'content-length': sent.length,
        },
      });
      outgoing.end(sent);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      const received = await text(incoming);
      if (incoming.statusCode !== 200) throw new Error(`${incoming.statusCode} ${received.slice(0, 200)}`);
      const cost = Number(incoming.headers['storefront-cost-usd'] ?? 0);
      this.result.cost += Math.round(cost * 1e6);
      return received;
    } catch (fault) {
      this.#fail(`${path}: ${fault}`);
      return null;
    }
  }

  #fail(text: string): void {
    if (this.result.errors.length < errorsShownMax)
      this.result.errors.push(`${new Date().toISOString()} ${text}`);
    else this.result.errors[errorsShownMax] = 'and more';
  }
}
