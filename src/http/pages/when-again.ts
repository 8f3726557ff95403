import type { IdentityContext } from '../../identity/identity-context.ts';
import type { TextsContext } from '../../text/texts-context.ts';

const minuteMs = 60_000;

/** Returns the time from which a limited action is possible again, as a full minute. */
export function againMs({ clock }: Pick<IdentityContext, 'clock'>, { waitMs }: { waitMs: number }): number {
  return Math.ceil((clock() + waitMs) / minuteMs) * minuteMs;
}

/** The minute, in UTC and rounded up, from which a limited action is possible again, for a text that names it. */
export function whenAgain(
  shop: Pick<IdentityContext, 'clock'> & TextsContext,
  { retryAfterSeconds }: { retryAfterSeconds: number },
): { when: string } {
  return { when: shop.texts.minute(againMs(shop, { waitMs: retryAfterSeconds * 1_000 })) };
}
