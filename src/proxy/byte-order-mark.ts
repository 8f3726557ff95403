/** Returns the number of bytes of the UTF-8 byte order mark that some frameworks write before a text: 3, or 0 when there is none. */
export function lengthOf(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
}
