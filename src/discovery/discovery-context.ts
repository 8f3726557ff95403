import type { Advisor } from '@sluice/advisor/advisor';
import type { Reference } from './reference.ts';

/** The shop's description of itself, for programs and for people. */
export type DiscoveryContext = {
  /** Describes the shop's operations. */
  readonly reference: Reference;
  /** Turns goals into requests. */
  readonly advisor: Advisor;
};
