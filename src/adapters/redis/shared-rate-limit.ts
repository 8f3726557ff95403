import { id } from '@sluice/kernel/id';
import { Redis } from 'ioredis';
import type { SharedCounter } from '../../proxy/distributed-rate-limit.ts';

export type SharedCountOptions = {
  /** redis:// or rediss:// */
  url: string;
  /** Called once when Redis becomes unavailable, and once when it is available again. */
  report(event: 'shared_limits_away' | 'shared_limits_back', detail: Readonly<Record<string, unknown>>): void;
};

/** Maximum wait for Redis. A call that would wait longer is counted by this process alone; after several in a row Redis is not used. */
const answerMsMax = 25;
const lateInARowMax = 3;
/** Interval at which an unavailable Redis is tried again. */
const retryEveryMs = 250;
const lookMsMax = 200;
const connectMsMax = 1_000;
const reconnectMsMax = 500;

/**
 * Keeps the times of the calls that passed in the last second, by the clock of Redis: exact over all processes, as the upstream
 * counts. `KEYS[1]`: account and operation. `ARGV`: calls per second, calls wanted, and a prefix that makes their names unique.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 1000000)
local room = math.max(0, ARGV[1] - redis.call('ZCARD', KEYS[1]))
local passed = math.min(room, tonumber(ARGV[2]))
for call = 1, passed do redis.call('ZADD', KEYS[1], now, ARGV[3] .. call) end
redis.call('PEXPIRE', KEYS[1], 1000)
return { passed, room - passed }`;

type Counting = Redis & {
  takeCalls(key: string, perSecond: number, calls: number, name: string): Promise<[number, number]>;
};

/** Opens the counter, which connects, and reconnects after a loss, by itself. */
export function openSharedCount({ url, report }: SharedCountOptions): SharedCounter & { close(): void } {
  const redis = new Redis(url, {
    connectTimeout: connectMsMax,
    retryStrategy: (attempt) => Math.min(attempt * 50, reconnectMsMax),
    // No offline queue and no resend: a rate-limit check that cannot be sent now is useless later.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    scripts: { takeCalls: { lua: script, numberOfKeys: 1 } },
  }) as Counting;
  const process = id('prc');
  let asked = 0;
  let lateInARow = 0;
  let isAway = false;
  let looking: NodeJS.Timeout | null = null;

  const lose = (reason: string) => {
    if (isAway) return;
    isAway = true;
    report('shared_limits_away', { reason });
    looking = setInterval(() => void look(), retryEveryMs);
  };
  const look = async () => {
    const pong = redis.status === 'ready' ? await within(lookMsMax, redis.ping()) : null;
    if (pong === null || looking === null) return;
    clearInterval(looking);
    looking = null;
    isAway = false;
    lateInARow = 0;
    report('shared_limits_back', {});
  };
  redis.on('error', ({ message }: Error) => lose(message));
  redis.on('close', () => lose('the connection was closed'));

  return {
    async take(key, perSecond, calls) {
      if (isAway || redis.status !== 'ready') return null;
      asked += 1;
      const name = `${process}:${asked}:`;
      const answer = await within(
        answerMsMax,
        redis.takeCalls(`sluice:calls:${key}`, perSecond, calls, name),
      );
      lateInARow = answer === null ? lateInARow + 1 : 0;
      if (lateInARow >= lateInARowMax) lose('no answer in time');
      if (answer === null) return null;
      const [passed, left] = answer;
      return { passed, left };
    },
    close() {
      redis.removeAllListeners('close');
      if (looking) clearInterval(looking);
      looking = null;
      redis.disconnect();
    },
  };
}

/** Resolves with the answer, or with null when it fails or takes longer than `msMax`. */
function within<T>(msMax: number, answer: Promise<T>): Promise<T | null> {
  return new Promise((resolve) => {
    // A response that arrived while the event loop was blocked is read before the timeout applies.
    const late = setTimeout(() => setImmediate(resolve, null), msMax);
    answer.then(
      (value) => {
        clearTimeout(late);
        resolve(value);
      },
      () => {
        clearTimeout(late);
        resolve(null);
      },
    );
  });
}
