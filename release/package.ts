/**
 * Builds the package that is published, in dist/sluice: all programs as JavaScript, with their data, pinned dependencies and documentation.
 * The folders are those of the repository, so that every file finds its neighbours where it does in a checkout (docs/decisions/0042).
 *
 *   npm run package        builds dist/sluice and its bill of materials, dist/sluice.cdx.json
 *   npm pack ./dist/sluice
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

type Dependencies = Record<string, string>;
type Manifest = {
  name: string;
  version: string;
  exports?: Dependencies;
  dependencies?: Dependencies;
  optionalDependencies?: Dependencies;
} & Record<string, unknown>;
type Lock = {
  packages: Record<string, { dev?: boolean; link?: boolean } & Record<string, unknown>>;
} & Record<string, unknown>;

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist/sluice');
/** Folders and files that the programs read, and what their messages refer to. */
const assets = [
  'migrations',
  'openapi',
  'deploy',
  'docs',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
const packageAssets = ['data', 'migrations', 'openapi'];
/** Settings and secrets of somebody who runs the shop from this checkout. */
const isPrivate = (path: string) => path.endsWith('.env') || path.endsWith('deploy/compose/shop');
/** Fields of the repository's package.json that also hold for the published package. */
const published = ['name', 'version', 'description', 'keywords', 'license', 'type', 'bin', 'engines'];
const keywords = ['api-gateway', 'agents', 'billing', 'prepaid', 'stripe', 'mcp', 'x402'];

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
run('tsc', ['--project', join(root, 'release/tsconfig.json')], root);
const workspaces = await readWorkspaces();
await linkModules(workspaces);
await copyAssets([...workspaces.values()].map(({ folder }) => folder));
await writeManifests([...workspaces.values()].map(({ manifest }) => manifest));
const bill = run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev'], target);
await writeFile(join(root, 'dist/sluice.cdx.json'), bill);
console.log(relative(process.cwd(), target) || '.');

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

type Workspace = { folder: string; manifest: Manifest };

/** Returns the workspaces of this repository by name. */
async function readWorkspaces(): Promise<Map<string, Workspace>> {
  const found = new Map<string, Workspace>();
  for (const name of (await readdir(join(root, 'packages'))).sort()) {
    const folder = posix.join('packages', name);
    const manifest = await readJson<Manifest>(join(root, folder, 'package.json'));
    found.set(manifest.name, { folder, manifest });
  }
  return found;
}

/** Replaces imports of workspaces by name with relative paths: the package contains them, and no registry has them. */
async function linkModules(workspaces: ReadonlyMap<string, Workspace>): Promise<void> {
  const byName = /((?:from|import)\s*\(?\s*)(["'])(@sluice\/[a-z-]+)\/([^"']+)\2/g;
  for (const file of await filesIn(target, /\.(js|d\.ts)$/)) {
    const text = await readFile(file, 'utf8');
    const linked = text.replace(byName, (_, before: string, quote: string, name: string, path: string) => {
      const workspace = workspaces.get(name);
      if (workspace === undefined) throw new Error(`${file} imports ${name}, which is no workspace`);
      const module = join(target, workspace.folder, exported(workspace.manifest, path));
      const from = relative(dirname(file), module.replace(/\.ts$/, '.js'));
      return `${before}${quote}${from.startsWith('.') ? from : `./${from}`}${quote}`;
    });
    if (/["']@sluice\//.test(linked)) throw new Error(`${file} still imports a workspace by name`);
    if (linked !== text) await writeFile(file, linked);
  }
}

/** Returns the file of `path` by the `exports` of a workspace. */
function exported({ name, exports = {} }: Manifest, path: string): string {
  const file = exports[`./${path}`] ?? exports['./*']?.replace('*', path);
  if (file === undefined) throw new Error(`${name} does not export ${path}`);
  return file;
}

async function copyAssets(workspaceFolders: readonly string[]): Promise<void> {
  const copy = (path: string) =>
    cp(join(root, path), join(target, path), {
      recursive: true,
      filter: (file) => !isPrivate(file) && !file.endsWith('docs/images'),
    });
  for (const asset of assets) await copy(asset);
  for (const folder of workspaceFolders) {
    const present = await readdir(join(root, folder));
    for (const name of packageAssets.filter((name) => present.includes(name))) await copy(join(folder, name));
  }
  // Data beside the sources, such as WebAssembly and lists of words. The compiler has written the sources.
  for (const folder of ['src', ...workspaceFolders.map((folder) => join(folder, 'src'))])
    for (const file of await filesIn(join(root, folder), /\.(wasm|json)$/)) await copy(relative(root, file));
  const program = await readFile(join(root, 'bin/sluice.mjs'), 'utf8');
  await mkdir(join(target, 'bin'));
  await writeFile(join(target, 'bin/sluice.mjs'), program.replaceAll('sluice.ts', 'sluice.js'), {
    mode: 0o755,
  });
}

/** Writes package.json with the dependencies of all programs, and npm-shrinkwrap.json with the versions that were tested. */
async function writeManifests(workspaces: readonly Manifest[]): Promise<void> {
  const own = await readJson<Manifest>(join(root, 'package.json'));
  const outside = [own, ...workspaces].flatMap(({ dependencies = {} }) => Object.entries(dependencies));
  const dependencies = Object.fromEntries(
    outside.filter(([name]) => !name.startsWith('@sluice/')).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const manifest = {
    ...Object.fromEntries(published.map((name) => [name, own[name]])),
    keywords,
    dependencies,
    optionalDependencies: own.optionalDependencies,
  };
  await writeJson(join(target, 'package.json'), manifest);
  const { packages, ...lock } = await readJson<Lock>(join(root, 'package-lock.json'));
  const kept = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  await writeJson(join(target, 'npm-shrinkwrap.json'), {
    ...lock,
    packages: { '': manifest, ...Object.fromEntries(kept) },
  });
}

async function filesIn(folder: string, name: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => resolve(entry.parentPath, entry.name))
    .sort();
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8'));
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
