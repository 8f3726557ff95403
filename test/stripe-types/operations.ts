import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Project, ts } from 'ts-morph';

/** One operation of the pinned `stripe` client: its method and path, and the types of its parameters and of its response. */
export type Operation = {
  name: string;
  method: string;
  path: RegExp;
  params: ts.Type | null;
  response: ts.Type;
  isList: boolean;
};

export type Client = { checker: ts.TypeChecker; operations: readonly Operation[] };

const root = join(dirname(fileURLToPath(import.meta.resolve('stripe'))), 'resources');
const request =
  /^ {4}(\w+)\([^)]*\) \{\n(?:(?!^ {4}\}).*\n)*?.*?_makeRequest\('(\w+)', (?:'([^']+)'|`([^`]+)`)/gm;

/** Reads every operation of the client that is installed, from its program and its types. */
export function read(): Client {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  const project = new Project({
    compilerOptions: {
      strict: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    },
  });
  project.addSourceFilesAtPaths(files.map((name) => join(root, name)));
  const program = project.getProgram().compilerObject;
  const checker = program.getTypeChecker();
  const operations = files.flatMap((name) => {
    const source = program.getSourceFile(join(root, name));
    return source
      ? ofFile(checker, source, readFileSync(join(root, name.replace(/\.d\.ts$/, '.js')), 'utf8'))
      : [];
  });
  return { checker, operations };
}

function ofFile(checker: ts.TypeChecker, source: ts.SourceFile, script: string): Operation[] {
  const found: Operation[] = [];
  const classes = source.statements.filter(ts.isClassDeclaration);
  for (const part of script.split(/^export class /m).slice(1)) {
    const className = /^\w+/.exec(part)?.[0] ?? '';
    const declared = classes.find(({ name }) => name?.text === className);
    for (const [, name = '', method = '', plain, template] of part.matchAll(request)) {
      const member = declared?.members.find(
        (one): one is ts.MethodDeclaration => ts.isMethodDeclaration(one) && one.name.getText() === name,
      );
      const returned = member?.type;
      if (!member || !returned || !ts.isTypeReferenceNode(returned)) continue;
      const isList = returned.typeName.getText() === 'ApiListPromise';
      const inner = returned.typeArguments?.[0];
      const response = inner && ts.isTypeReferenceNode(inner) && !isList ? inner.typeArguments?.[0] : inner;
      const params = member.parameters.find(({ type }) => type?.getText().endsWith('Params'))?.type;
      if (!response) continue;
      found.push({
        name: `${className}.${name}`,
        method,
        path: pathOf(plain ?? template ?? ''),
        params: params ? checker.getTypeFromTypeNode(params) : null,
        response: checker.getTypeFromTypeNode(response),
        isList,
      });
    }
  }
  return found;
}

function pathOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\$\{[^}]*\}/g, '[^/]+')}$`);
}

/** The operation of a request; a path without a placeholder comes first. Null where the client has none. */
export function find({ operations }: Client, method: string, path: string): Operation | null {
  const fitting = operations.filter((one) => one.method === method && one.path.test(path));
  return fitting.find((one) => !one.path.source.includes('[^')) ?? fitting[0] ?? null;
}
