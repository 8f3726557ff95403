/** Loaded before a process (`--import`): sets its wall clock CLOCK_AHEAD_MS ahead, as on a host whose clock is wrong. */
const real = Date.now;
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
Date.now = () => real() + aheadMs;
