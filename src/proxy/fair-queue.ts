import type { Limits } from '../catalog/upstream-limits.ts';
import type { Outbound, Sending, Upstream } from './upstream.ts';
import type { StreamedResponse, UpstreamResult } from './upstream-response.ts';
import { UpstreamWaits } from './upstream-waits.ts';

/**
 * Puts fair queueing in front of an upstream client: each account has a share of the connections, and waiting calls are sent in turn by
 * account, so that one account cannot occupy the upstream. A call leaves its place when its response has been read or abandoned. While
 * the whole queue is full, the newest call of the account with the longest queue gives way to an account with a shorter one.
 * @param waits counts each wait
 */
export function fairQueue(upstream: Upstream, limits: Limits, waits = new UpstreamWaits(() => 0)): Upstream {
  const queue = new FairQueue(upstream, limits, waits);
  return {
    send: (outbound) => queue.send(outbound),
    // A WebSocket has its own limits, and would occupy a place for hours.
    ...(upstream.dial && { dial: upstream.dial.bind(upstream) }),
    probe: () => upstream.probe(),
    close: () => queue.close(),
  };
}

/** Accounts without a call are kept up to this number, because adding and removing one for each call costs more than the call's share. */
const idleAccountsMax = 1_000;

/** The calls of one account that are under way or waiting. `isInTurns`: the account is in the list of turns. */
type Account = { name: string; underWay: number; waiting: Call[]; isInTurns: boolean };

/**
 * Calls and turns wait in arrays. A `Set` with an entry for each call would make every call survive until the next full garbage
 * collection: each of its former tables refers to the next one.
 */
class FairQueue {
  readonly waits: UpstreamWaits;
  readonly #upstream: Upstream;
  readonly #limits: Limits;
  readonly #accounts = new Map<string, Account>();
  /** Contains all accounts that have a waiting call and are below their share; the first is next. Others in it are skipped. */
  readonly #turns: Account[] = [];
  #underWay = 0;
  #waiting = 0;
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(upstream: Upstream, limits: Limits, waits: UpstreamWaits) {
    this.#upstream = upstream;
    this.#limits = limits;
    this.waits = waits;
  }

  send(outbound: Outbound): Sending {
    if (this.#closing !== null) return refused({ kind: 'busy' });
    const account = this.#account(outbound.share ?? outbound.account ?? '');
    const { connectionsMax, accountConnectionsMax } = this.#limits;
    const isFree = this.#underWay < connectionsMax && account.underWay < accountConnectionsMax;
    // Waiting calls go first. They wait only while all connections, or their account's share of them, are in use.
    if (isFree && account.waiting.length === 0) {
      const call = new Call(this, account, outbound);
      this.#start(call);
      return call;
    }
    const refusal = this.#makeRoom(account);
    if (refusal !== null) return refused(refusal);
    const call = new Call(this, account, outbound);
    account.waiting.push(call);
    this.#waiting += 1;
    call.waitFor(this.#limits.waitMsMax);
    this.#addTurn(account);
    return call;
  }

  /** Refuses new calls, lets the waiting ones be sent, then closes the upstream. */
  close(): Promise<void> {
    if (this.#closing === null) {
      this.#closing = Promise.withResolvers();
      this.#closeWhenSent();
    }
    return this.#closing.promise;
  }

  /** Takes a call out of the queue. */
  leave(call: Call): void {
    const { account } = call;
    account.waiting.splice(account.waiting.indexOf(call), 1);
    this.#waiting -= 1;
    this.#forgetIfUnused(account);
    this.#closeWhenSent();
  }

  /** Frees the place of a call that has ended. */
  ended({ account }: Call): void {
    this.#underWay -= 1;
    account.underWay -= 1;
    this.#addTurn(account);
    this.#sendNext();
    this.#forgetIfUnused(account);
    this.#closeWhenSent();
  }

  /** Refuses a call that has waited too long. */
  overdue(call: Call): void {
    call.refuse(this.#reason(call.account));
  }

  /** Distinguishes an account whose own calls use up its share from one that waits for other accounts. */
  #reason(account: Account): UpstreamResult {
    return { kind: account.underWay >= this.#limits.accountConnectionsMax ? 'account_busy' : 'busy' };
  }

  #account(name: string): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = { name, underWay: 0, waiting: [], isInTurns: false };
      this.#accounts.set(name, account);
    }
    return account;
  }

  /** Returns null when one more call of `account` may wait, otherwise the refusal. */
  #makeRoom(account: Account): UpstreamResult | null {
    if (account.waiting.length >= this.#limits.accountWaitingMax) {
      this.#forgetIfUnused(account);
      return this.#reason(account);
    }
    if (this.#waiting < this.#limits.waitingMax) return null;
    const longest = this.#longestQueue();
    if (longest === null || longest.waiting.length <= account.waiting.length + 1) {
      this.#forgetIfUnused(account);
      return { kind: 'busy' };
    }
    longest.waiting.at(-1)?.refuse({ kind: 'account_busy' });
    return null;
  }

  #longestQueue(): Account | null {
    let longest: Account | null = null;
    for (const account of this.#accounts.values())
      if (longest === null || account.waiting.length > longest.waiting.length) longest = account;
    return longest;
  }

  #sendNext(): void {
    while (this.#underWay < this.#limits.connectionsMax) {
      const account = this.#turns.shift();
      if (account === undefined) return;
      account.isInTurns = false;
      if (!this.#mayStart(account)) continue;
      const call = account.waiting.shift();
      if (call === undefined) continue;
      this.#waiting -= 1;
      this.#start(call);
      // The account goes to the end of the line: each turn serves one of its calls.
      this.#addTurn(account);
    }
  }

  #start(call: Call): void {
    this.#underWay += 1;
    call.account.underWay += 1;
    call.start(this.#upstream);
  }

  #addTurn(account: Account): void {
    if (account.isInTurns || !this.#mayStart(account)) return;
    account.isInTurns = true;
    this.#turns.push(account);
  }

  #mayStart({ waiting, underWay }: Account): boolean {
    return waiting.length > 0 && underWay < this.#limits.accountConnectionsMax;
  }

  #forgetIfUnused({ name, underWay, waiting }: Account): void {
    if (this.#accounts.size > idleAccountsMax && underWay === 0 && waiting.length === 0)
      this.#accounts.delete(name);
  }

  #closeWhenSent(): void {
    if (this.#closing === null || this.#waiting > 0) return;
    this.#upstream.close().then(this.#closing.resolve, this.#closing.reject);
  }
}

/** One call in the queue or under way; it frees its place exactly once. */
class Call implements Sending {
  readonly response: Promise<UpstreamResult>;
  readonly account: Account;
  readonly #queue: FairQueue;
  readonly #outbound: Outbound;
  #state: 'waiting' | 'under way' | 'over' = 'waiting';
  #sending: Sending | null = null;
  #resolve: (response: UpstreamResult) => void = ignore;
  #reject: (error: unknown) => void = ignore;
  #overdue: NodeJS.Timeout | null = null;
  #sinceMs = 0;

  constructor(queue: FairQueue, account: Account, outbound: Outbound) {
    this.#queue = queue;
    this.account = account;
    this.#outbound = outbound;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  waitFor(waitMsMax: number): void {
    this.#sinceMs = this.#queue.waits.start();
    this.#overdue = setTimeout(() => this.#queue.overdue(this), waitMsMax);
  }

  /** Ends the wait without sending anything. */
  refuse(response: UpstreamResult): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'over';
    this.#endWait();
    this.#queue.leave(this);
    this.#resolve(response);
  }

  start(upstream: Upstream): void {
    this.#endWait();
    this.#state = 'under way';
    this.#sending = upstream.send(this.#outbound);
    this.#sending.response.then((response) => this.#resolve(this.#isAnswered(response)), this.#reject);
  }

  get isSent(): boolean {
    return this.#sending === null ? false : (this.#sending.isSent ?? true);
  }

  abandon(): void {
    if (this.#state === 'waiting') {
      this.refuse({ kind: 'abandoned' });
      return;
    }
    this.#sending?.abandon();
    this.#end();
  }

  /** A streamed response keeps its connection until its body has been read. */
  #isAnswered(response: UpstreamResult): UpstreamResult {
    if (response.kind !== 'stream') {
      this.#end();
      return response;
    }
    const pipeTo: StreamedResponse['pipeTo'] = (destination) =>
      response.pipeTo(destination).finally(() => this.#end());
    return { ...response, pipeTo };
  }

  #end(): void {
    if (this.#state !== 'under way') return;
    this.#state = 'over';
    this.#queue.ended(this);
  }

  #endWait(): void {
    if (this.#overdue === null) return;
    clearTimeout(this.#overdue);
    this.#overdue = null;
    this.#queue.waits.end(this.#sinceMs);
  }
}

/** Refuses at once; nothing was sent. */
function refused(response: UpstreamResult): Sending {
  return { response: Promise.resolve(response), isSent: false, abandon: ignore };
}

function ignore(): void {}
