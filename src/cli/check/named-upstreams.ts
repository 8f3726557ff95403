import { type CredentialedOptions, openCredentialed } from '../../adapters/upstream/credentialed-upstream.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { NamedUpstream } from '../../catalog/named-upstream.ts';
import * as UpstreamValues from '../../process/upstream-values.ts';
import { SecretSet } from '../../proxy/secret-set.ts';
import * as Finding from './finding.ts';
import { harmless } from './upstream.ts';

const { ok, problem, unproved } = Finding.findingsOf('upstream');

/**
 * Checks the variables that the catalogue names, and that each named upstream answers and accepts its credentials. Only a GET is sent: one
 * that is free in the catalogue, or one for a resource that does not exist.
 */
export async function checkNamedUpstreams(
  catalog: Catalog,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding.Finding[]> {
  const read = UpstreamValues.read(catalog, env);
  if (!read.ok) return read.faults.map((fault) => problem(fault, 'docs/upstreams.md describes every key'));
  const checks = [...catalog.upstreams.values()].map((upstream) => {
    const values = read.values.get(upstream.name);
    return values === undefined ? [] : check(catalog, upstream, values);
  });
  return (await Promise.all(checks)).flat();
}

async function check(
  catalog: Catalog,
  upstream: NamedUpstream,
  values: UpstreamValues.UpstreamValues,
): Promise<Finding.Finding[]> {
  const { name } = upstream;
  let reason = '';
  const report: CredentialedOptions['report'] = (_, detail) => {
    reason = String(detail.reason ?? '');
  };
  const client = openCredentialed({
    ...upstream,
    baseUrl: values.url,
    keys: values.keys,
    oauth: values.oauth && upstream.oauth && { ...upstream.oauth, ...values.oauth },
    caller: null,
    timeoutMs: Finding.answerMsMax,
    secrets: new SecretSet(),
    report,
  });
  try {
    if (!(await client.probe()))
      return [problem(`${name} at ${values.url} does not respond or is not ready`, 'check its url')];
    const reached = ok(`${name} at ${values.url} answers`);
    const own = catalog.operations.filter(({ service }) => service.route?.upstream === name);
    const path = harmless(own);
    if (path === null)
      return [
        reached,
        unproved(`whether ${name} accepts its credentials: no GET of its services is certain to be free`),
      ];
    const target = { path, query: '' };
    const sent = client.send({ method: 'GET', target, rawHeaders: [], body: null, metered: false });
    const response = await sent.response;
    sent.abandon();
    if (!('status' in response)) {
      const why = reason || ('reason' in response ? response.reason : response.kind);
      return [
        reached,
        problem(`${name} gives no usable response to GET ${path}: ${why}`, 'check its credentials'),
      ];
    }
    const { status } = response;
    const said = `GET ${path} answers ${status}`;
    return [
      reached,
      status === 401 || status === 403
        ? problem(
            `${name} rejects its credentials: ${said}`,
            'check the variables that its key or oauth names',
          )
        : ok(`${name} takes a request with its credentials: ${said}`),
    ];
  } finally {
    await client.close();
  }
}
