import { expect, test } from 'vitest';
import * as Vectors from '../../../test/conformance/vectors.ts';
import * as JsonScan from '../src/json-scan.ts';

/** Returns true when `JSON.parse` accepts the bytes; invalid UTF-8 is replaced first. */
function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

test('every text of the JSON test suite is taken or refused as by JSON.parse', () => {
  expect(Vectors.jsonTexts.length).toBeGreaterThan(300);
  for (const { name, base64 } of Vectors.jsonTexts) {
    const bytes = Buffer.from(base64, 'base64');
    for (const pointer of [[], ['a'], ['0']])
      expect(JsonScan.find(bytes, 0, pointer) !== null, name).toBe(isJson(bytes));
  }
});
