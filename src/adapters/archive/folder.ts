import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveStore } from '../../ledger/usage-archive.ts';

/** Archives in a folder, which is created if it does not exist. A file appears under its name when it is complete and on the disk. */
export function folder(path: string): ArchiveStore {
  return {
    place: path,
    async put(name, from) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      const part = join(path, `.${name}.${randomUUID()}`);
      try {
        await copyFile(from, part);
        await sync(part);
        await link(part, join(path, name)).catch((fault: NodeJS.ErrnoException) => {
          if (fault.code !== 'EEXIST') throw fault;
        });
        await sync(path);
      } finally {
        await rm(part, { force: true });
      }
    },
    async get(name) {
      const file = await open(join(path, name)).catch((fault: NodeJS.ErrnoException) => {
        if (fault.code === 'ENOENT') return null;
        throw fault;
      });
      return file && createReadStream('', { fd: file });
    },
  };
}

/** Waits until a file or folder is on the disk. */
async function sync(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
