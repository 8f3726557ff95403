import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModuleKind, ModuleResolutionKind, Project } from 'ts-morph';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as CatalogFile from '../../src/catalog/file.ts';
import { table } from '../../src/process/setting-table.ts';

const folder = join(import.meta.dirname, '../../deploy/kubernetes');

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked against Kubernetes's own types below.
type Resource = { apiVersion: string; kind: string; metadata: { name: string }; spec: any };

const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const kustomizations = ['base', 'shop'].map((name) => ({
  name,
  content: parse(read(`${name}/kustomization.yaml`)),
}));
const resources: Resource[] = ['base', 'shop'].flatMap((name) =>
  readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.yaml') && !/^(kustomization|catalog|openapi)/.test(file))
    .flatMap((file) => parseAllDocuments(read(`${name}/${file}`)).map((document) => document.toJSON())),
);
const one = (kind: string) => resources.find((resource) => resource.kind === kind)?.spec;
const podOf = (kind: string) => one(kind).template.spec;
const storefront = podOf('Deployment').containers[0];

/** The module with the official schema of a kind: of the Kubernetes API, or of the Prometheus operator. */
function moduleOf({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>): string {
  const isOperator = apiVersion.startsWith('monitoring.coreos.com/');
  return `${isOperator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${apiVersion}/${kind}`;
}

/** Returns what Kubernetes would refuse: wrong values by its OpenAPI schemas, and fields that do not exist by the types made from them. */
async function faultsOf(all: readonly Resource[]): Promise<string[]> {
  const faults: string[] = [];
  const lines: string[] = [];
  for (const [at, resource] of all.entries()) {
    const { kind } = resource;
    const { [kind]: Model } = await import(moduleOf(resource));
    try {
      new Model(resource).validate();
    } catch (fault) {
      faults.push(`${kind}: ${(fault as Error).message}`);
    }
    lines.push(
      `import type { I${kind} as T${at} } from '${moduleOf(resource)}';`,
      `export const r${at}: T${at} = ${JSON.stringify(resource)};`,
    );
  }
  const project = new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: {
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      types: [],
    },
  });
  const source = project.createSourceFile(join(import.meta.dirname, 'manifests.mts'), lines.join('\n'));
  for (const found of project.getProgram().getSemanticDiagnostics(source))
    faults.push(JSON.stringify(found.getMessageText()));
  return faults;
}

test('every manifest is valid by the official schemas, and has no unknown field', async () => {
  const planted = (fault: object) => {
    const deployment = structuredClone(resources.find(({ kind }) => kind === 'Deployment'));
    Object.assign(deployment?.spec, fault);
    return deployment;
  };
  const [wrongValue, unknownField] = [planted({ minReadySeconds: 'five' }), planted({ stratergy: {} })];
  const faults = await faultsOf([...resources, wrongValue, unknownField].filter((one) => one !== undefined));
  // The planted faults, each found once by every check that can see it, and nothing else.
  expect(faults).toEqual([
    'Deployment: data/spec/minReadySeconds must be integer',
    expect.stringContaining("'string' is not assignable to type 'number'"),
    expect.stringContaining('stratergy'),
  ]);
});

test('kustomize finds every file, and kubectl, where it is installed, builds them', () => {
  for (const { name, content } of kustomizations) {
    const files = content.resources.filter((path: string) => !path.startsWith('..'));
    for (const generated of content.configMapGenerator ?? []) files.push(...(generated.files ?? []));
    expect([...files, 'kustomization.yaml'].sort()).toEqual(
      readdirSync(join(folder, name))
        .filter((file) => !file.endsWith('.env'))
        .sort(),
    );
  }
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) return;
  const built = execFileSync('kubectl', ['kustomize', join(folder, 'shop')], { encoding: 'utf8' });
  const kinds = parseAllDocuments(built).map((document) => document.toJSON().kind);
  expect(kinds.filter((kind) => kind !== 'ConfigMap').sort()).toEqual(
    resources.map(({ kind }) => kind).sort(),
  );
  // The generated names have digests, so that a change replaces the processes.
  expect(built).toMatch(/name: sluice-shop-\w{10}\n/);
});

test('the example catalogue opens a shop', async () => {
  expect((await CatalogFile.load(join(folder, 'shop/catalog.yaml'))).operations).toHaveLength(1);
});

test('a pod has time to drain before it is killed', () => {
  const seconds = (name: string) =>
    Number(storefront.env.find((one: { name: string }) => one.name === name).value);
  const lastWrites = 15;
  const drain =
    seconds('DRAIN_SECONDS') + seconds('DRAIN_MAX_SECONDS') + storefront.lifecycle.preStop.sleep.seconds;
  expect(podOf('Deployment').terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + lastWrites);
  // The readiness probe fails before the listener closes.
  const { periodSeconds, failureThreshold } = storefront.readinessProbe;
  expect(seconds('DRAIN_SECONDS')).toBeGreaterThan(periodSeconds * failureThreshold);
});

test('every setting exists', () => {
  const literals = kustomizations
    .flatMap(({ content }) => content.configMapGenerator ?? [])
    .flatMap(({ literals = [] }: { literals?: string[] }) =>
      literals.map((line) => line.split('=')[0] ?? ''),
    );
  const named = storefront.env.map(({ name }: { name: string }) => name);
  const migrate = podOf('Job').containers[0].env.map(({ name }: { name: string }) => name);
  for (const name of [...literals, ...named, ...migrate]) expect(Object.keys(table)).toContain(name);
});

describe.each(['Deployment', 'Job'])('the pods of the %s', (kind) => {
  test('have no rights beyond their own', () => {
    const { securityContext: pod, containers, automountServiceAccountToken } = podOf(kind);
    expect(automountServiceAccountToken).toBe(false);
    expect(pod).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });
});

test('storefronts do not get the owner of the tables, and probes never restart them for their database', () => {
  expect(JSON.stringify(podOf('Deployment'))).not.toMatch(/owner/i);
  expect(storefront.livenessProbe.httpGet.path).toBe('/healthz');
  expect(storefront.readinessProbe.httpGet.path).toBe('/readyz');
  const labels = one('Deployment').template.metadata.labels;
  for (const selector of [one('Service').selector, one('PodDisruptionBudget').selector.matchLabels])
    expect(labels).toMatchObject(selector);
  // The migration's pod must not be served by the Service, nor counted by the disruption budget.
  expect(one('Job').template.metadata.labels).not.toMatchObject(one('Service').selector);
});
