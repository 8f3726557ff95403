import { style as pageStyle } from '@sluice/kernel/page-style';
import { expect, test } from 'vitest';
import { layout } from '../../src/http/console/pages/frame.ts';
import { statusOf } from '../../src/http/console/pages/orders.ts';
import { state } from '../../src/http/console/pages/states.ts';
import { standingOf } from '../../src/payment/reversal.ts';
import { orderOf, usd } from './console-fixtures.ts';

const kindOf = (label: unknown) => /class="sign ?(\w*)"/.exec(String(label))?.[1];

test('a state has one colour in all of the console', () => {
  const kinds: Record<string, string[]> = {
    good: ['paid', 'active', 'succeeded', 'won', 'normal'],
    warn: ['being charged', 'pending', 'under review', 'open', 'refund pending', 'elevated'],
    bad: ['failed', 'declined', 'disputed', 'needs response', 'lost', 'dispute lost', 'past due', 'highest'],
    past: [
      'refunded',
      'partly refunded',
      'not paid',
      'ended',
      'canceled',
      'used up',
      'warning_closed',
      'merged',
    ],
  };
  for (const [kind, words] of Object.entries(kinds))
    for (const word of words) expect([word, kindOf(state(word))]).toEqual([word, kind]);
  expect(kindOf(state('needs_response'))).toBe('bad');
  expect(kindOf(state('a state that is not known'))).toBe('past');
});

test('a refunded purchase is neutral, not a warning', () => {
  const listed = { order: orderOf(), reversed: usd(5), ...standingOf([]) };
  expect(kindOf(statusOf(listed))).toBe('past');
  expect(kindOf(statusOf({ ...listed, reversed: usd(0) }))).toBe('good');
});

/** The relative luminance of a colour (WCAG 2). */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/\w/g, '$&$&') : hex;
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test('labels of states are legible in light and dark, and a brand does not change them', () => {
  const style = pageStyle + (layout('Shop', [], null, null).style ?? '');
  const roots = (dark: boolean) =>
    [...style.matchAll(/(@media\(prefers-color-scheme:dark\)\{)?:root\{([^}]*)\}/g)]
      .filter(([, isDark]) => dark || isDark === undefined)
      .flatMap(([, , body = '']) => body.split(';').map((pair) => pair.split(':') as [string, string]));
  for (const dark of [false, true]) {
    const values = new Map(roots(dark));
    for (const kind of ['good', 'warn', 'bad', 'past']) {
      const [, ground = '', text = ''] =
        new RegExp(`\\.sign\\.${kind}\\{background:var\\((--[\\w-]+)\\);color:var\\((--[\\w-]+)\\)`).exec(
          style,
        ) ?? [];
      expect(['--tint', '--accent', '--on-accent']).not.toContain(ground);
      const [one = 0, other = 0] = [ground, text]
        .map((name) => luminance(values.get(name) ?? ''))
        .toSorted((a, b) => b - a);
      expect([kind, dark, (one + 0.05) / (other + 0.05) >= 4.5]).toEqual([kind, dark, true]);
    }
  }
});
