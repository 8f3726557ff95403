/** The part of `GET /account` that buyers and their judge read. */
export type Shown = {
  id: string;
  plan: string;
  status: string;
  renews: boolean;
  period_start: string;
  period_end: string;
};
export type Overview = {
  plans: { id: string; included_remaining?: number; balance_usd?: string }[];
  subscriptions: Shown[];
};
