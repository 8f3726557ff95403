import * as Connection from '../../adapters/postgres/connection.ts';
import * as Endpoints from '../../adapters/postgres/event-endpoints.ts';
import { openStoredSecrets, type StoredSecrets } from '../../identity/stored-secret.ts';
import * as Settings from '../../process/settings.ts';
import * as Finding from './finding.ts';

const { ok, problem, unproved } = Finding.findingsOf('events');
const page = 'docs/events.md, Secrets';

/** Checks that the secrets of event endpoints are encrypted, and that the keys decrypt them. A shop without endpoints has no finding. */
export async function checkEvents(databaseUrl: string, env: Settings.Env): Promise<Finding.Finding[]> {
  const sql = Connection.openConnection(databaseUrl, 1, Finding.answerMsMax);
  try {
    // A fault of the setting is reported with those of all settings.
    return judge(
      await Endpoints.storedSecrets(sql),
      openStoredSecrets(Settings.reader(env, [])('ENCRYPTION_KEYS') ?? []),
    );
  } catch {
    // A database that cannot be read, or has no tables yet, has a finding of its own.
    return [];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function judge(
  endpoints: Awaited<ReturnType<typeof Endpoints.storedSecrets>>,
  secrets: StoredSecrets,
): Finding.Finding[] {
  if (endpoints.length === 0) return [];
  const faults = endpoints.flatMap(({ id, secret }) => {
    const fault = Endpoints.unreadable(secrets, id, secret);
    return fault === null
      ? []
      : [problem(`endpoint ${id}: ${fault}`, `add that key, or make a new secret (${page})`)];
  });
  if (faults.length > 0) return faults;
  const old = endpoints.filter(({ secret }) => !secrets.isCurrent(secret)).length;
  if (old === 0) return [ok(`the secrets of ${endpoints.length} endpoints are encrypted`)];
  return [
    secrets.fault === null
      ? unproved(
          `${old} secrets of endpoints are not encrypted by the first key yet`,
          'restart a process, which encrypts them again',
        )
      : problem(`${old} secrets of endpoints are stored unencrypted`, secrets.fault),
  ];
}
