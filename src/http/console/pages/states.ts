import type { Html } from '../../pages/frame.ts';
import { type Mood, sign, words } from './figures.ts';

/** The colours of states, so that one word has one colour in all of the console. Every other state is neutral. */
const moods: Readonly<Record<Exclude<Mood, 'past'>, readonly string[]>> = {
  good: ['paid', 'active', 'succeeded', 'sent by hand', 'won', 'normal'],
  warn: [
    ...['being charged', 'pending', 'refund pending', 'requires action', 'open', 'under review'],
    ...['in review', 'elevated'],
  ],
  bad: [
    ...['failed', 'declined', 'disputed', 'needs response', 'lost', 'dispute lost'],
    ...['past due', 'needs attention', 'highest'],
  ],
};

/** The states of an inquiry, which the processor lists as one of disputes. */
const inquiryStates: Readonly<Record<string, string>> = {
  warning_needs_response: 'needs response',
  warning_under_review: 'under review',
  warning_closed: 'inquiry closed',
};

/** A state of a payment, refund, dispute or plan as a label in its colour. */
export function state(name: string): Html {
  const word = inquiryStates[name] ?? words(name);
  return sign(word, (['good', 'warn', 'bad'] as const).find((mood) => moods[mood].includes(word)) ?? 'past');
}
