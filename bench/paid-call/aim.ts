import type { Spread } from './contest.ts';

/** A target of the product, and the figure that was measured for it. */
export type Aim = { name: string; figure: Spread; limit: number; isFloor: boolean; met: boolean };

export function atMost(name: string, figure: Spread, limit: number): Aim {
  return { name, figure, limit, isFloor: false, met: figure.median <= limit };
}

export function atLeast(name: string, figure: Spread, limit: number): Aim {
  return { name, figure, limit, isFloor: true, met: figure.median >= limit };
}

/** Returns one line for a terminal. */
export function text({ name, figure, limit, isFloor, met }: Aim): string {
  const bound = `${isFloor ? 'at least' : 'at most'} ${round(limit)}`;
  return `${met ? 'met   ' : 'MISSED'}  ${name.padEnd(70)} ${spreadText(figure).padStart(22)}  ${bound}`;
}

/** Returns the median and the middle half of the rounds as text. */
export function spreadText({ median, low, high }: Spread): string {
  return `${round(median)} (${round(low)} to ${round(high)})`;
}

export function round(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
}
