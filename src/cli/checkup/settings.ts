import * as Config from '../../config.ts';
import type * as Wiring from '../wiring.ts';
import * as Finding from './finding.ts';

type Env = NodeJS.ProcessEnv;
const { ok, problem, unproved } = Finding.of('settings');

/** All faults of the settings, as a start would find them, and what is stood in for. `env`: what the storefront is told. */
export function look(wiring: Wiring.Wiring, env: Env): Finding.Finding[] {
  const parsed = Config.parse(env);
  if (!parsed.ok) return parsed.faults.map((fault) => problem(fault, 'docs/operations.md has every setting'));
  const { config } = parsed;
  const standIns = [
    wiring.embedded && 'the database',
    wiring.direct && 'the API that is sold',
    wiring.sandbox && 'the card processor',
    wiring.mailbox && 'the mail server',
  ].filter((name) => typeof name === 'string');
  const findings = [
    ok(
      standIns.length === 0
        ? 'complete, and nothing is stood in for'
        : `complete; bundled stand-ins: ${standIns.join(', ')}`,
    ),
  ];
  const isLive = /^[sr]k_live_/.test(config.stripe.secretKey);
  if (isLive && !config.production)
    findings.push(
      problem(
        'the Stripe key is live, but NODE_ENV is not production',
        'set NODE_ENV=production: it refuses settings that money should not rest on',
      ),
    );
  if (config.adminTokenDigest === null && !wiring.embedded)
    findings.push(
      unproved(
        'there is no ADMIN_TOKEN, so there are no admin routes',
        'sluice start makes one at the first start; by hand: at least 24 characters',
      ),
    );
  return findings;
}
