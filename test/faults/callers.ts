import type { Dice } from '../purchase/dice.ts';
import * as Attempt from './attempt.ts';
import type { Gateway } from './gateway.ts';
import type { Record } from './record.ts';
import { streamActs, streamPaths } from './stream-upstream.ts';
import { type Asked, acts } from './upstream.ts';

/** An account and the keys that its callers use: one without a budget, which is used twice as often, and one with a budget. */
export type Account = { id: string; open: string; capped: string };

/** The most units that one call asks for (test/fixtures/chaos.yaml). */
const unitsMax = 50;
const hugeBytes = 1_500_000;
const streamedBytes = 60_000;
/** The share of streams that their callers leave, and the bytes of one whose caller stops reading. */
const leftShare = 0.15;
const longBytes = 14_000_000;
/** The bytes of a request that starts a job choose how it ends. */
const jobKinds = 100;
const triesMax = 4;
/** An upstream that fails by its script fails again, so retries end here. */
const failingTriesMax = 2;
const againMsMax = 300;
const lookMs = 50;

/** The shares of metered streams among the calls, and of jobs among the others. */
export type Shares = { streams: number; jobs: number };

/** Makes random calls: most of them succeed, many are small, some are huge, some have an idempotency key. */
export class Callers {
  readonly #dice: Dice;
  readonly #gateways: readonly Gateway[];
  readonly #accounts: readonly Account[];
  readonly #record: Record;
  readonly #tell: (gateway: Gateway, moment: Attempt.ClientMoment) => void;
  readonly #shares: Shares;
  /** The process that each request was sent to last. */
  readonly at = new Map<string, Gateway>();
  #asked = 0;
  attempts = 0;

  constructor(
    dice: Dice,
    gateways: readonly Gateway[],
    accounts: readonly Account[],
    record: Record,
    tell: (gateway: Gateway, moment: Attempt.ClientMoment) => void,
    shares: Shares,
  ) {
    this.#dice = dice;
    this.#gateways = gateways;
    this.#accounts = accounts;
    this.#record = record;
    this.#tell = tell;
    this.#shares = shares;
  }

  /** Makes one call until its final response. With a key it is retried repeatedly, sometimes at two processes at once. */
  async call(): Promise<void> {
    const dice = this.#dice;
    const account = dice.int(this.#accounts.length);
    const asked = this.#draw();
    const { open, capped } = this.#accounts[account] as Account;
    const bearer = dice.pick([open, open, capped]);
    if (!dice.chance(0.3)) {
      const leaves = this.#leaving(asked);
      await this.#try(account, bearer, await this.#someProcess(), asked, null, leaves);
      return;
    }
    const key = `key of ${asked.id}`;
    const isTwice = dice.chance(0.2);
    const isAgain = dice.chance(0.4);
    const most = asked.act === 'right' ? triesMax : failingTriesMax;
    for (let tries = 0; tries < most; tries++) {
      const twin =
        isTwice && tries === 0
          ? this.#try(account, bearer, await this.#someProcess(), asked, key, null)
          : null;
      const isOver = await this.#try(account, bearer, await this.#someProcess(), asked, key, null);
      await twin;
      if (isOver && (!isAgain || tries > 0)) return;
      if (!isOver) await new Promise((resolve) => setTimeout(resolve, 50 + tries * againMsMax));
    }
  }

  /** Returns a process that listens now; it may be paused or about to end. */
  async #someProcess(): Promise<Gateway> {
    for (;;) {
      const there = this.#gateways.filter(({ isThere }) => isThere);
      if (there.length > 0) return this.#dice.pick(there);
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  async #try(
    account: number,
    bearer: string,
    gateway: Gateway,
    asked: Asked,
    key: string | null,
    leaves: Attempt.Sent['leaves'],
  ): Promise<boolean> {
    this.attempts += 1;
    this.at.set(asked.id, gateway);
    const attempt = await ask(gateway, bearer, asked, key, leaves, (moment) => this.#tell(gateway, moment));
    this.at.delete(asked.id);
    return this.#record.take(account, asked, key, attempt);
  }

  /** Decides where the caller of a request leaves, if it does. */
  #leaving({ path, bytes }: Asked): Attempt.Leaving | null {
    const dice = this.#dice;
    const isStreamed = path === '/v1/stream' || path === '/v1/lines';
    if (isStreamed && bytes === longBytes) return { afterBytes: 1 + dice.int(bytes >> 1), stalls: true };
    if (isStreamed && dice.chance(leftShare)) return { afterBytes: 1 + dice.int(bytes >> 1), stalls: false };
    if (!dice.chance(0.02)) return null;
    return dice.chance(0.5) ? dice.int(200) : 'as it begins';
  }

  #drawStream(): Asked {
    const dice = this.#dice;
    const path = dice.pick(streamPaths);
    const max = dice.chance(0.1) ? unitsMax : 1 + dice.int(12);
    const act = dice.chance(0.7) ? 'right' : dice.pick(streamActs);
    const bytes =
      dice.chance(0.003) && act === 'right' ? longBytes : dice.chance(0.02) ? streamedBytes * 4 : 400;
    this.#asked += 1;
    return { id: `call ${this.#asked}`, path, max, act, count: dice.int(max + 1), bytes };
  }

  #drawJob(): Asked {
    const dice = this.#dice;
    const max = 1 + dice.int(12);
    const act = dice.chance(0.7) ? 'right' : dice.pick(acts);
    this.#asked += 1;
    return {
      id: `call ${this.#asked}`,
      path: '/v1/job',
      max,
      act,
      count: dice.int(max + 1),
      bytes: dice.int(jobKinds),
    };
  }

  #draw(): Asked {
    const dice = this.#dice;
    if (dice.chance(this.#shares.streams)) return this.#drawStream();
    if (dice.chance(this.#shares.jobs)) return this.#drawJob();
    const path = dice.chance(0.15) ? '/v1/file' : '/v1/list';
    const max = dice.chance(0.1) ? unitsMax : 1 + dice.int(12);
    const act = dice.chance(0.75) ? 'right' : dice.pick(acts);
    const count = path === '/v1/file' ? 1 : dice.int(max + 1);
    const bytes = dice.chance(0.01)
      ? hugeBytes
      : path === '/v1/file' && dice.chance(0.5)
        ? streamedBytes
        : 200;
    this.#asked += 1;
    return { id: `call ${this.#asked}`, path, max, act, count, bytes };
  }
}

/** Sends a request to a process. */
export function ask(
  gateway: Gateway,
  bearer: string,
  asked: Asked,
  key: string | null,
  leaves: Attempt.Sent['leaves'] = null,
  tell: (moment: Attempt.ClientMoment) => void = () => {},
): Promise<Attempt.Attempt> {
  const headers = {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    ...(key !== null && { 'idempotency-key': key }),
  };
  return Attempt.make({ url: gateway.url + asked.path, headers, body: JSON.stringify(asked), leaves }, tell);
}
