/** A mail as a person reads it. */
export type Message = {
  number: number;
  receivedAt: string;
  /** Of the envelope: who it was really sent by and to. */
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
};

/**
 * Reads a message (RFC 5322) with a body in plain text, in whatever transfer encoding (RFC 2045). A body of several
 * parts stays as it came: who wants to see it sees its source.
 */
export function read(source: Buffer): Pick<Message, 'subject' | 'text'> {
  const raw = source.toString('latin1').replace(/\r\n/g, '\n');
  const end = raw.indexOf('\n\n');
  const headers = new Map<string, string>();
  for (const line of raw
    .slice(0, end < 0 ? raw.length : end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const body = end < 0 ? '' : raw.slice(end + 2);
  const encoding = (headers.get('content-transfer-encoding') ?? '').toLowerCase();
  return { subject: words(headers.get('subject') ?? ''), text: decode(body, encoding) };
}

function decode(body: string, encoding: string): string {
  switch (encoding) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable':
      return quoted(body.replace(/=[ \t]*\n/g, ''));
    default:
      return Buffer.from(body, 'latin1').toString();
  }
}

/** Encoded words (RFC 2047) in UTF-8; blanks between two of them are no part of the text. */
function words(text: string): string {
  return text
    .replace(/(\?=)\s+(=\?)/g, '$1$2')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, data: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(data, 'base64').toString() : quoted(data.replaceAll('_', ' ')),
    );
}

function quoted(text: string): string {
  const bytes = text.replace(/=([\dA-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
