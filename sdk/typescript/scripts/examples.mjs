// Makes a module of every example: those of README.md, of the sources' comments, and the programs of examples/.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const out = new URL('.examples/', root);
mkdirSync(out, { recursive: true });

const read = (path) => readFileSync(new URL(path, root), 'utf8');
const sources = readdirSync(new URL('src/', root), { recursive: true }).filter((name) =>
  name.endsWith('.ts'),
);
const programs = readdirSync(new URL('examples/', root));

for (const name of programs) write(`program-${name}`, read(`examples/${name}`));
for (const [index, block] of blocks(read('README.md')).entries())
  write(`readme-${index + 1}.ts`, complete(block));
for (const name of sources) {
  const comments = read(`src/${name}`).replaceAll(/^ *\* ?/gm, '');
  for (const [index, block] of blocks(comments).entries()) {
    write(`source-${name.replaceAll(/\W/g, '-')}-${index + 1}.ts`, complete(block));
  }
}

function blocks(text) {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block);
}

/** What an example takes for granted: the class, and a client. */
function complete(block) {
  const client = /new Sluice\b/.test(block) ? '' : 'const sluice = new Sluice();\n';
  const header = /^import /m.test(block) ? '' : `import { Sluice } from 'sluice-client';\n${client}`;
  return `${header}${block}\nexport {};\n`;
}

/** The addresses in the examples are those of a shop and an interface at home; here both are the test's. */
function write(name, text) {
  writeFileSync(
    new URL(name, out),
    text.replaceAll(/'https?:\/\/(localhost:\d+|api\.example\.com)'/g, 'process.env.SLUICE_BASE_URL!'),
  );
}
