// Packs the package, installs it in a folder of its own, and compiles and runs a consumer there under the strictest settings.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-consumer-'));
const expected = 'Ada Ito null 1 400\n';
const strict = {
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  // The declarations themselves are checked, too.
  skipLibCheck: false,
};
/** Each consumer has another resolution and another source of `fetch`. */
const consumers = {
  node: { module: 'nodenext', lib: ['es2022'], types: ['node'] },
  browser: {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  },
};

try {
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const installed = join(folder, 'node_modules/sluice-client');
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  mkdirSync(installed);
  run('tar', '-xzf', filename, '-C', installed, '--strip-components=1');
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  cpSync(join(root, 'test/consumer/consumer.ts'), join(folder, 'consumer.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
  for (const [name, settings] of Object.entries(consumers)) {
    const compilerOptions = { ...strict, ...settings, rootDir: '.', outDir: name };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
    run(join(root, 'node_modules/.bin/tsc'), '-p', '.');
    const printed = run(process.execPath, join(name, 'consumer.js'));
    if (printed !== expected) throw new Error(`The consumer for ${name} printed ${printed}`);
  }
} catch (fault) {
  console.error(fault.stdout || fault);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
