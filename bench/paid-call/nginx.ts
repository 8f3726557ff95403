import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Program from './program.ts';

/** Sizes of answers, in bytes, by the names of the paths that give them. */
export const sizes = { small: 1_500, middle: 10_000, large: 100_000 } as const;
export type Size = keyof typeof sizes;
/** Each size is there four times: a plan lets an account call one operation ten thousand times a second, and no more. */
export const names = (size: string): string[] => [size, ...[2, 3, 4].map((at) => `${size}-${at}`)];
/** How many results each answer says that it holds. */
export const units = 5;
/** What is not counted, and larger than anybody should hold. */
export const exportBytes = 100_000_000;

export type Nginx = Program.Program & { url: string };

/** The API that is resold: files by sendfile, so that it is never the bottleneck. */
export async function upstream(dir: string): Promise<Nginx> {
  const files = join(dir, 'files', 'v1');
  await mkdir(files, { recursive: true });
  for (const [size, bytes] of Object.entries(sizes))
    for (const name of names(size)) await writeFile(join(files, name), answer(bytes));
  const export_ = await open(join(files, 'export'), 'w');
  await export_.truncate(exportBytes);
  await export_.close();
  // A file is not there to be posted to: what nginx says of that is turned into the file.
  return start(
    dir,
    'upstream',
    1,
    `root ${join(dir, 'files')}; error_page 405 =200 $uri; open_file_cache max=8;`,
  );
}

/** The bare pass that everything is compared with. */
export function proxy(dir: string, upstreamUrl: string, processes: number): Promise<Nginx> {
  return start(
    dir,
    `proxy-${processes}`,
    processes,
    'proxy_pass http://upstream; proxy_http_version 1.1; proxy_set_header Connection "";',
    `upstream upstream { server ${new URL(upstreamUrl).host}; keepalive 64; keepalive_requests 1000000; }`,
  );
}

async function start(
  dir: string,
  name: string,
  processes: number,
  location: string,
  extra = '',
): Promise<Nginx> {
  const port = await Program.freePort();
  const folder = join(dir, name);
  await mkdir(folder, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const configuration = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')};
    worker_processes ${processes};
    events { worker_connections 4096; }
    http {
      ${temporary.join(' ')} ${extra}
      access_log off; default_type application/json; sendfile on; tcp_nodelay on;
      keepalive_requests 1000000000; keepalive_timeout 75s;
      server { listen 127.0.0.1:${port}${processes > 1 ? ' reuseport' : ''} backlog=4096; location / { ${location} } }
    }`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  const log = join(folder, 'log');
  const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  return { ...(await Program.server('nginx', args, port, log)), url: `http://127.0.0.1:${port}` };
}

/** A JSON answer of about so many bytes. */
function answer(bytes: number): string {
  const result = {
    id: 'job_0001',
    title: 'Staff engineer',
    company: { name: 'Northwind', size: 240 },
    remote: true,
  };
  const results: object[] = [];
  const text = () => JSON.stringify({ success: true, count: units, results });
  for (let at = text().length; at < bytes; at += JSON.stringify(result).length + 1) results.push(result);
  return text();
}
