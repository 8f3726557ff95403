import { keyMode } from '../../adapters/stripe/key-mode.ts';
import * as Config from '../../config.ts';
import type * as Compose from '../compose.ts';
import * as Finding from './finding.ts';

type Env = NodeJS.ProcessEnv;
const { ok, problem, unproved } = Finding.findingsOf('settings');

/** Reports all faults of the settings, as a start would find them, and the bundled stand-ins. `env`: the environment of the storefront. */
export function checkSettings(wiring: Compose.Composition, env: Env): Finding.Finding[] {
  const parsed = Config.parse(env);
  if (!parsed.ok) return parsed.faults.map((fault) => problem(fault, 'docs/settings.md has every setting'));
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
        ? 'complete, without bundled stand-ins'
        : `complete; bundled stand-ins: ${standIns.join(', ')}`,
    ),
  ];
  if (keyMode(config.stripe.secretKey) === 'live' && !config.production)
    findings.push(
      problem(
        'the Stripe key is live, but NODE_ENV is not production',
        'set NODE_ENV=production: it refuses settings that are unsafe for real money',
      ),
    );
  if (config.production && config.clientAddressHeader === null)
    findings.push(
      problem(
        'CLIENT_ADDRESS_HEADER is not set: behind a proxy all callers share the limits of one address',
        'name the header that your proxy writes, such as x-forwarded-for, and let it overwrite what callers send',
      ),
    );
  if (config.adminTokenDigest === null && !wiring.embedded)
    findings.push(
      unproved(
        'ADMIN_TOKEN is not set, so there are no admin routes',
        'sluice start creates one at the first start; set your own with at least 24 characters',
      ),
    );
  return findings;
}
