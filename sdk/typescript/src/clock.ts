/** Time, as a test would rather have it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after `ms`, or rejects with the reason of `signal` as soon as that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a timer of this language can hold: about 24 days. */
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
