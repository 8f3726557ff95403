import { formOf, json, objectOf, type Request, type Response } from './http.ts';
import { failure, notJson } from './openai.ts';

const created = 1_767_225_600;
/** An image of one pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const none = { model: '', input: 0, cached: 0, output: 0 };

type StoredFile = {
  id: string;
  object: 'file';
  bytes: number;
  created_at: number;
  filename: string;
  purpose: string;
};

/** POST /v1/images/generations: `n` images as base64. */
export function images(request: Request): Response {
  const body = objectOf(request);
  if (body === null) return notJson();
  const n = Number(body.n ?? 1);
  if (!Number.isInteger(n) || n < 1 || n > 10) return failure(400, null, 'n must be from 1 to 10.');
  const all = Array.from({ length: n }, () => ({ b64_json: png }));
  return json(200, { created, data: all }, { ...none, api: 'images', items: n });
}

/** POST /v1/audio/transcriptions: the text states how long the file was. */
export async function transcription(request: Request): Promise<Response> {
  const file = (await formOf(request))?.get('file');
  if (!(file instanceof File)) return failure(400, null, 'The form has no file.');
  return json(200, { text: `${file.size} bytes of audio` }, { ...none, api: 'transcriptions', items: 1 });
}

/** The files of one account of this upstream. */
export class Files {
  readonly #files = new Map<string, { file: StoredFile; bytes: Uint8Array }>();

  /** POST /v1/files. */
  async create(request: Request, id: number): Promise<Response> {
    const form = await formOf(request);
    const upload = form?.get('file');
    if (!(upload instanceof File)) return failure(400, null, 'The form has no file.');
    const file: StoredFile = {
      id: `file-${id}`,
      object: 'file',
      bytes: upload.size,
      created_at: created,
      filename: upload.name,
      purpose: String(form?.get('purpose') ?? ''),
    };
    this.#files.set(file.id, { file, bytes: new Uint8Array(await upload.arrayBuffer()) });
    return json(200, file, { ...none, api: 'files', items: 1 });
  }

  /** GET /v1/files. */
  list(): Response {
    const all = [...this.#files.values()].map(({ file }) => file);
    const ends = { first_id: all[0]?.id ?? null, last_id: all.at(-1)?.id ?? null };
    return json(200, { object: 'list', data: all, ...ends, has_more: false });
  }

  /** GET and DELETE /v1/files/{id}, GET /v1/files/{id}/content. */
  one(method: string, id: string, isContent: boolean): Response {
    const found = this.#files.get(id);
    if (found === undefined) return failure(404, null, `No such File object: ${id}`);
    if (method === 'DELETE') {
      this.#files.delete(id);
      return json(200, { id, object: 'file', deleted: true });
    }
    if (!isContent) return json(200, found.file);
    return { status: 200, type: 'application/octet-stream', body: Buffer.from(found.bytes), usage: null };
  }
}
