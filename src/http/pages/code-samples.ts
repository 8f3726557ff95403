/** A body as it is sent: JSON, the fields of a form or of an upload, or the bytes of a file. */
export type SampleBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'form' | 'upload'; fields: readonly [name: string, value: string][] }
  | { kind: 'file'; type: string };
/** A request to show as code. `token`: the bearer, null for an operation without one. */
export type SampleRequest = {
  method: string;
  baseUrl: string;
  /** Path and query. */
  path: string;
  body: SampleBody | null;
  token: string | null;
  /** A header with another credential, such as the signature of a wallet. */
  proof?: readonly [name: string, value: string];
};

/** The bearer in code for visitors without an account. The page's script replaces it by a key that the visitor pastes. */
export const sampleKey = 'YOUR_API_KEY';

/** The credential of a request as a header; none for an open operation. */
function credential({ token, proof }: SampleRequest): (readonly [name: string, value: string])[] {
  if (proof !== undefined) return [proof];
  return token === null ? [] : [['Authorization', `Bearer ${token}`]];
}

/** The request in each language, in the order in which they are shown. */
export function samplesOf(request: SampleRequest): { language: string; code: string }[] {
  return [
    { language: 'curl', code: curlSample(request) },
    { language: 'TypeScript', code: typescriptSample(request) },
    { language: 'Python', code: pythonSample(request) },
  ];
}

function curlSample(request: SampleRequest): string {
  const { method, baseUrl, path, body } = request;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(`${baseUrl}${path}`)}`,
    ...credential(request).map(([name, value]) => `-H '${name}: ${value}'`),
  ];
  switch (body?.kind) {
    case 'json':
      lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(json(body.value))}`);
      break;
    case 'form':
      for (const [name, value] of body.fields)
        lines.push(`--data-urlencode ${shellQuoted(`${name}=${value}`)}`);
      break;
    case 'upload':
      for (const [name, value] of body.fields) lines.push(`-F ${shellQuoted(`${name}=${value}`)}`);
      break;
    case 'file':
      lines.push(`-H 'Content-Type: ${body.type}'`, '--data-binary @file');
  }
  return lines.join(' \\\n  ');
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function typescriptSample(request: SampleRequest): string {
  const { method, baseUrl, path, body } = request;
  const headers = [
    ...credential(request).map(([name, value]) => `${scriptName(name)}: '${value}'`),
    ...(body?.kind === 'json' ? [`'Content-Type': 'application/json'`] : []),
    ...(body?.kind === 'file' ? [`'Content-Type': '${body.type}'`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === null ? [] : [`body: ${scriptBody(body)}`]),
  ];
  const rest =
    options.length === 0 ? '' : `, {\n${options.map((option) => indented(`${option},`, 2)).join('\n')}\n}`;
  const upload = body?.kind === 'upload' ? uploadScript(body.fields) : '';
  return `${upload}const response = await fetch(${scriptQuoted(`${baseUrl}${path}`)}${rest});
console.log(response.status, await response.json());`;
}

function scriptBody(body: SampleBody): string {
  switch (body.kind) {
    case 'json':
      return `JSON.stringify(${script(body.value)})`;
    case 'form':
      return `new URLSearchParams(${script(Object.fromEntries(body.fields))})`;
    case 'upload':
      return 'form';
    case 'file':
      return "await openAsBlob('file')";
  }
}

function uploadScript(fields: readonly [string, string][]): string {
  const lines = fields.map(([name, value]) =>
    value.startsWith('@')
      ? `form.append('${name}', await openAsBlob('${value.slice(1)}'), '${value.slice(1)}');`
      : `form.append('${name}', ${scriptQuoted(value)});`,
  );
  return `import { openAsBlob } from 'node:fs';\n\nconst form = new FormData();\n${lines.join('\n')}\n`;
}

function pythonSample(request: SampleRequest): string {
  const { method, baseUrl, path, body } = request;
  const args = [
    `"${method}"`,
    pythonQuoted(`${baseUrl}${path}`),
    ...credential(request).map(([name, value]) => `headers={"${name}": "${value}"}`),
    ...(body === null ? [] : [pythonBody(body)]),
  ];
  return `import httpx  # pip install httpx

response = httpx.request(
${args.map((arg) => indented(arg, 4)).join(',\n')},
)
print(response.status_code, response.json())`;
}

function pythonBody(body: SampleBody): string {
  switch (body.kind) {
    case 'json':
      return `json=${python(body.value)}`;
    case 'form':
      return `data=${python(Object.fromEntries(body.fields))}`;
    case 'upload': {
      const files = body.fields.filter(([, value]) => value.startsWith('@'));
      const opened = files.map(([name, value]) => `"${name}": open("${value.slice(1)}", "rb")`);
      const rest = body.fields.filter(([, value]) => !value.startsWith('@'));
      const data = rest.length === 0 ? '' : `,\ndata=${python(Object.fromEntries(rest))}`;
      return `files={${opened.join(', ')}}${data}`;
    }
    case 'file':
      return 'content=open("file", "rb")';
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

/** A value as a literal of JavaScript. */
function script(value: unknown): string {
  return json(value).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
}

/** The name of a member of an object literal. */
function scriptName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function scriptQuoted(text: string): string {
  return /['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}

/** A value as a literal of Python. */
function python(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return value.every((item) => typeof item !== 'object' || item === null)
      ? `[${value.map(python).join(', ')}]`
      : `[\n${value.map((item) => indented(`${python(item)},`, 4)).join('\n')}\n]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, it]) =>
      indented(`${pythonQuoted(name)}: ${python(it)},`, 4),
    );
    return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n}`;
  }
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? pythonQuoted(value) : String(value);
}

function pythonQuoted(text: string): string {
  return JSON.stringify(text);
}

function indented(text: string, spaces: number): string {
  return text.replace(/^/gm, ' '.repeat(spaces));
}
