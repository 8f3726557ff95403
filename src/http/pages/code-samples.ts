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
};

/** The bearer in code for visitors without an account. The page's script replaces it by a key that the visitor pastes. */
export const sampleKey = 'YOUR_API_KEY';

/** The operations that both SDKs have as methods, by method and path. */
const sdkMethods: Readonly<Record<string, string>> = {
  'POST /v2/search/people': 'search.people',
  'POST /v2/search/companies': 'search.companies',
  'POST /v2/search/employee-finder': 'search.employee_finder',
  'POST /v2/search/waterfall-icp-keyword': 'search.waterfall_icp',
  'POST /api/search/waterfall-icp-real-time': 'search.waterfall_icp_real_time',
  'POST /v2/company/tam-by-jobs': 'search.tam_by_jobs',
  'POST /v2/company/tam-by-people': 'search.tam_by_people',
  'POST /v2/jobs/search': 'jobs.search',
  'POST /v2/jobs/company': 'jobs.company',
  'POST /v2/enrichment/person': 'enrichment.person',
  'POST /v2/enrichment/email': 'enrichment.email',
  'POST /v2/enrichment/phone': 'enrichment.phone',
  'POST /v2/enrichment/email-to-person': 'enrichment.email_to_person',
  'POST /v2/enrichment/phone-to-person': 'enrichment.phone_to_person',
  'POST /v2/enrichment/company': 'enrichment.company',
  'POST /v2/enrichment/domain-to-network': 'enrichment.domain_to_network',
  'POST /v2/enrichment/network-to-domain': 'enrichment.network_to_domain',
  'POST /v2/enrichment/company-distribution-by-country': 'enrichment.company_distribution_by_country',
  'POST /v2/enrichment/company-distribution-by-department': 'enrichment.company_distribution_by_department',
  'POST /v2/utils/current-date': 'utils.current_date',
  'GET /v2/account/key-info': 'account.key_info',
};

/** The method of both SDKs for an operation, such as `search.people`; null when they have none. */
export function sdkMethod(method: string, path: string): string | null {
  return sdkMethods[`${method} ${path}`] ?? null;
}

/** The request in each language, in the order in which they are shown. */
export function samplesOf(request: SampleRequest): { language: string; code: string }[] {
  return [
    { language: 'curl', code: curlSample(request) },
    { language: 'TypeScript', code: typescriptSample(request) },
    { language: 'Python', code: pythonSample(request) },
  ];
}

function curlSample({ method, baseUrl, path, body, token }: SampleRequest): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(`${baseUrl}${path}`)}`,
    ...(token === null ? [] : [`-H 'Authorization: Bearer ${token}'`]),
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

function typescriptSample({ method, baseUrl, path, body, token }: SampleRequest): string {
  const sdk = sdkMethod(method, path);
  if (sdk !== null) {
    const fields = body?.kind === 'json' ? script(sent(body.value)) : '';
    return `import { Sluice } from 'sluice-client';

const sluice = new Sluice({
  access_token: '${token}',
  base_url: '${baseUrl}',
});
const answer = await sluice.${sdk}(${fields});
console.log(answer);`;
  }
  const headers = [
    ...(token === null ? [] : [`Authorization: 'Bearer ${token}'`]),
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

function pythonSample({ method, baseUrl, path, body, token }: SampleRequest): string {
  const sdk = sdkMethod(method, path);
  if (sdk !== null) {
    const fields = body?.kind === 'json' ? Object.entries(Object(sent(body.value))) : [];
    const written = fields.map(([name, value]) => indented(`${name}=${python(value)},`, 4));
    const args = written.length === 0 ? '' : `\n${written.join('\n')}\n`;
    return `from sluice import Sluice

client = Sluice(
    access_token="${token}",
    base_url="${baseUrl}",
)
answer = client.${sdk}(${args})
print(answer)`;
  }
  const args = [
    `"${method}"`,
    pythonQuoted(`${baseUrl}${path}`),
    ...(token === null ? [] : [`headers={"Authorization": "Bearer ${token}"}`]),
    ...(body === null ? [] : [pythonBody(body)]),
  ];
  return `import httpx

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

/** The fields of a JSON body without those that are null, which are the same as left out. */
function sent(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, it]) => it !== null));
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

/** A value as a literal of JavaScript. */
function script(value: unknown): string {
  return json(value).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, '$1$2:');
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
