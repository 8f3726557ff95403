import * as Schema from '@sluice/kernel/json-schema';
import type { AuditedOperation } from './audit-openapi.ts';
import { type Finding, finding, type HttpClient, why } from './http-client.ts';

const tokenAskedMax = 3;
const paymentAskedMax = 3;

/** Checks the responses to requests without a token or a payment. These requests have no effect. */
export async function checkResponses(
  client: HttpClient,
  origin: string,
  operations: readonly AuditedOperation[],
): Promise<Finding[]> {
  const priced = operations.filter(({ payment }) => payment !== null);
  const isPaid = ({ payment }: AuditedOperation) =>
    Schema.list(payment?.protocols).some((it) => 'x402' in Schema.node(it) || 'mpp' in Schema.node(it));
  const byToken = priced.filter((it) => !isPaid(it) && Schema.list(it.operation.security).length > 0);
  const findings: Finding[] = [];
  for (const seen of byToken.slice(0, tokenAskedMax))
    findings.push(...(await withoutToken(client, origin, seen)));
  for (const seen of priced.filter(isPaid).slice(0, paymentAskedMax))
    findings.push(...(await withoutPayment(client, origin, seen)));
  return findings;
}

async function withoutToken(client: HttpClient, origin: string, seen: AuditedOperation): Promise<Finding[]> {
  const answer = await client(request(origin, seen));
  const say = (severity: Finding['severity'], code: string, says: string, fix: string) => [
    finding(severity, code, seen.at, says, fix),
  ];
  if (answer.status >= 200 && answer.status < 300)
    return say('error', 'given_away', `answered ${answer.status} without a token`, 'Ask who calls.');
  if (answer.status !== 401)
    return say('error', 'refusal_unclear', `${why(answer)} without a token`, 'Answer 401.');
  const challenge = answer.headers.get('www-authenticate') ?? '';
  if (challenge === '')
    return say(
      'error',
      'challenge_missing',
      'its 401 has no WWW-Authenticate',
      'Name the scheme (RFC 9110).',
    );
  return /resource_metadata=/.test(challenge)
    ? []
    : say('warning', 'metadata_unlinked', 'its 401 leads nowhere', 'Add resource_metadata (RFC 9728).');
}

async function withoutPayment(
  client: HttpClient,
  origin: string,
  seen: AuditedOperation,
): Promise<Finding[]> {
  const answer = await client(request(origin, seen));
  if (answer.status !== 402)
    return [
      finding(
        'error',
        'payment_not_asked',
        seen.at,
        `${why(answer)} without a payment`,
        'Answer 402 with the price.',
      ),
    ];
  const offers = [answer.headers.get('www-authenticate'), answer.headers.get('payment-required')].join(' ');
  const names = Schema.list(seen.payment?.protocols).flatMap((it) => Object.keys(Schema.node(it)));
  const isThere = (name: string) =>
    name === 'mpp' ? /\bPayment\s/.test(offers) : answer.headers.has('payment-required');
  return names
    .filter((name) => (name === 'mpp' || name === 'x402') && !isThere(name))
    .map((name) =>
      finding(
        'error',
        'challenge_missing',
        seen.at,
        `its 402 has no ${name} challenge`,
        `Send one, or leave ${name} out.`,
      ),
    );
}

/** Builds a request from the description: its examples, and the first allowed value of each path parameter. */
function request(origin: string, { method, path, operation }: AuditedOperation) {
  const parameters = Schema.list(operation.parameters).map(Schema.node);
  const filled = path.replace(/\{([^}]+)\}/g, (_, name) => {
    const own = parameters.find((it) => it.name === name);
    const schema = Schema.node(own?.schema);
    return encodeURIComponent(String(own?.example ?? Schema.list(schema.enum)[0] ?? 'x'));
  });
  const body = Schema.node(Schema.node(Schema.node(operation.requestBody).content)['application/json']);
  const isSent = !['GET', 'HEAD', 'DELETE'].includes(method);
  return {
    url: origin + filled,
    method,
    ...(isSent && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body.example ?? {}),
    }),
  };
}
