import { setupIntents as table } from '../objects/setup-intent.ts';
import { retrieval } from '../protocol/reading.ts';
import type { Route } from '../protocol/route.ts';

export const setupIntents: readonly Route[] = [retrieval('/v1/setup_intents', 'setup_intent', table)];
