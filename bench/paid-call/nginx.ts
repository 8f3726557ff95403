import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Program from './program.ts';

/** Sizes of responses in bytes, by the names of their paths. */
export const sizes = { small: 1_500, middle: 10_000, large: 100_000 } as const;
export type Size = keyof typeof sizes;
/** Each size has four paths, because a plan allows an account at most ten thousand calls per second of one operation. */
export const names = (size: string): string[] => [size, ...[2, 3, 4].map((at) => `${size}-${at}`)];
/** Number of results that each response reports. */
export const units = 5;
/** Length of an uncounted response that is too large to be buffered. */
export const exportBytes = 100_000_000;

export type Nginx = Program.Program & { url: string };

/** Starts the API that is resold. It serves files with sendfile, so it is never the bottleneck. */
export async function upstream(dir: string): Promise<Nginx> {
  const files = join(dir, 'files', 'v1');
  await mkdir(files, { recursive: true });
  for (const [size, bytes] of Object.entries(sizes))
    for (const name of names(size)) await writeFile(join(files, name), answer(bytes));
  const export_ = await open(join(files, 'export'), 'w');
  await export_.truncate(exportBytes);
  await export_.close();
  // nginx refuses a POST to a file with 405, which is mapped to the file.
  return start(
    dir,
    'upstream',
    1,
    `root ${join(dir, 'files')}; error_page 405 =200 $uri; open_file_cache max=8;`,
  );
}

/** Starts the bare proxy that everything is compared with. */
export function proxy(dir: string, upstreamUrl: string, processes: number): Promise<Nginx> {
  return start(
    dir,
    `proxy-${processes}`,
    processes,
    'proxy_pass http://upstream; proxy_http_version 1.1; proxy_set_header Connection "";',
    `upstream upstream { server ${new URL(upstreamUrl).host}; keepalive 64; keepalive_requests 1000000; }`,
  );
}

/** Starts nginx with one location and further directives of its `http` block. */
export async function start(
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

/** Returns a JSON response of about `bytes` bytes. */
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
