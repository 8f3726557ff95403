import { withinBudget } from '@sluice/kernel/statement-deadline';
import type { LedgerContext } from '../ledger/ledger-context.ts';
import type { ProxyContext } from '../proxy/proxy-context.ts';
import type { SellerContext } from './seller-context.ts';

/** The dependencies of the checks. */
export type ReadinessContext = Pick<ProxyContext, 'upstream'> &
  Pick<SellerContext, 'schemaProblem' | 'chargeProblem'> & {
    readonly writer: Pick<LedgerContext['writer'], 'ready'>;
  };

type Readiness = {
  /** Only `serving` while the process stops: the other checks would delay the response. */
  checks: { serving: boolean } & Partial<Record<'ledger' | 'schema' | 'upstream', boolean>>;
  /** Instructions for the operator, for the checks that no retry resolves. */
  problems: string[];
  /** The database's reason for a charge that could not be booked; for operators only. */
  chargeProblem: string | null;
  /** The state of each upstream, where there are several. */
  upstreams: Readonly<Record<string, boolean>> | null;
};

/** Health checks of load balancers often give up after two seconds. */
const databaseWaitMsMax = 1_500;

/** Returns the conditions for this process to take calls, each with its current state. */
export async function read(shop: ReadinessContext, isDraining: () => boolean): Promise<Readiness> {
  if (isDraining()) return { checks: { serving: false }, problems: [], chargeProblem: null, upstreams: null };
  const database = withinBudget(databaseWaitMsMax, () =>
    Promise.all([shop.chargeProblem(), shop.schemaProblem()]),
  );
  const [[chargeProblem, problem], upstream] = await Promise.all([database, probe(shop)]);
  const ledger = chargeProblem === null && shop.writer.ready;
  return {
    checks: { serving: true, ledger, schema: problem === null, upstream: upstream.isReady },
    problems: problem === null ? [] : [problem],
    chargeProblem,
    upstreams: upstream.states,
  };
}

/** An outage of one of several upstreams must not take the others out of the shop. */
async function probe({ upstream }: Pick<ProxyContext, 'upstream'>) {
  if (upstream.probeAll === undefined) return { isReady: await upstream.probe(), states: null };
  const states = await upstream.probeAll();
  return { isReady: [...states.values()].includes(true), states: Object.fromEntries(states) };
}

/** Returns true when every condition holds. */
export function isReady({ checks }: Pick<Readiness, 'checks'>): boolean {
  return Object.values(checks).every(Boolean);
}
