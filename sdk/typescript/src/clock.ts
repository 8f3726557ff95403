/** Source of time; tests can replace it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or rejects with the reason of `signal` as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay of a JavaScript timer: about 24 days. */
export const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
        Math.min(ms, timerMsMax),
      );
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave, { once: true });
    }),
};
