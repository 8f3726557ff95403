/** The facts by which a trial is given once (`once_per` in the catalogue). */
export const trialProofs = ['email', 'card', 'wallet', 'address'] as const;
export type TrialProof = (typeof trialProofs)[number];
