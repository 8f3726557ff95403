/**
 * Loaded before a storefront (`--import`): its wall clock stands wherever the test says, as on a machine whose clock is set.
 * What counts time by itself (performance.now, timers) goes on as on such a machine.
 */
const real = Date.now;
let aheadMs = 0;
Date.now = () => real() + aheadMs;
process.on('message', (message: { clockAheadMs?: number }) => {
  aheadMs = message.clockAheadMs ?? aheadMs;
});
