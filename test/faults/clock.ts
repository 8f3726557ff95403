/**
 * Loaded before a storefront (`--import`): sets its wall clock to any time, as if an administrator had set the machine's clock.
 * Monotonic time (performance.now, timers) is not affected, as on a real machine.
 */
const real = Date.now;
let aheadMs = 0;
Date.now = () => real() + aheadMs;
process.on('message', (message: { clockAheadMs?: number }) => {
  aheadMs = message.clockAheadMs ?? aheadMs;
});
