/**
 * Skips values of a JSON text (RFC 8259): the part of ../src/json-scan.ts that reads every byte. In AssemblyScript, as strings
 * are read here sixteen bytes at a time. `npm run build` in this folder makes ../src/json-skip.wasm of it.
 *
 * The text lies in memory from some place to `end`, and sixteen bytes behind it may be read. Every function gives the place
 * behind what it reads, or `none` where that is no JSON.
 */
const none: i32 = -1;

/**
 * All of the value that begins at `start`.
 * @param depths where a bit can be kept for each container that is open within the value: whether it is an object
 */
export function after(start: i32, end: i32, depths: i32): i32 {
  let at = start;
  let depth = 0;
  let inObject = false;
  let isName = false;
  while (true) {
    const first = byteAt(at, end);
    if (isName) {
      if (first !== 0x22) return none;
      at = afterString(at + 1, end);
      if (at === none) return none;
      at = afterBlanks(at, end);
      if (byteAt(at, end) !== 0x3a) return none;
      at = afterBlanks(at + 1, end);
      isName = false;
      continue;
    }
    if (first === 0x7b || first === 0x5b) {
      at = afterBlanks(at + 1, end);
      // Either closes two code points above where it opens.
      if (byteAt(at, end) !== first + 2) {
        keep(depths, depth, inObject);
        depth += 1;
        inObject = first === 0x7b;
        isName = inObject;
        continue;
      }
      at += 1;
    } else {
      at = first === 0x22 ? afterString(at + 1, end) : afterScalar(at, end, first);
      if (at === none) return none;
    }

    while (true) {
      if (depth === 0) return at;
      at = afterBlanks(at, end);
      const next = byteAt(at, end);
      at += 1;
      if (next === 0x2c) {
        at = afterBlanks(at, end);
        isName = inObject;
        break;
      }
      if (next !== (inObject ? 0x7d : 0x5d)) return none;
      depth -= 1;
      inObject = kept(depths, depth);
    }
  }
}

/** 0, which no JSON has outside of its strings, behind the text. */
function byteAt(at: i32, end: i32): i32 {
  return at < end ? load<u8>(at) : 0;
}

function keep(bits: i32, index: i32, isSet: bool): void {
  const cell = bits + (index >>> 3);
  const bit = 1 << (index & 7);
  store<u8>(cell, isSet ? load<u8>(cell) | bit : load<u8>(cell) & ~bit);
}

function kept(bits: i32, index: i32): bool {
  return ((load<u8>(bits + (index >>> 3)) >>> (index & 7)) & 1) === 1;
}

function afterBlanks(start: i32, end: i32): i32 {
  let at = start;
  while (at < end) {
    const byte: i32 = load<u8>(at);
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return at;
    at += 1;
  }
  return at;
}

/** A string, from behind its first quote. */
function afterString(start: i32, end: i32): i32 {
  let at = start;
  while (at < end) {
    const bytes = v128.load(at);
    const quotes = i8x16.eq(bytes, i8x16.splat(0x22));
    const slashes = i8x16.eq(bytes, i8x16.splat(0x5c));
    const controls = i8x16.lt_u(bytes, i8x16.splat(0x20));
    const stops = i8x16.bitmask(v128.or(v128.or(quotes, slashes), controls));
    if (stops === 0) {
      at += 16;
      continue;
    }
    at += ctz(stops);
    const stop = byteAt(at, end);
    at += 1;
    if (stop === 0x22) return at;
    if (stop !== 0x5c) return none;
    at = afterEscape(at, end);
    if (at === none) return none;
  }
  return none;
}

/** An escape, from behind its backslash. */
function afterEscape(at: i32, end: i32): i32 {
  const byte = byteAt(at, end);
  if (byte !== 0x75) return isEscaped(byte) ? at + 1 : none;
  for (let digit = 1; digit <= 4; digit++) if (!isHex(byteAt(at + digit, end))) return none;
  return at + 5;
}

/** One of `"\/bfnrt`. */
function isEscaped(byte: i32): bool {
  if (byte === 0x22 || byte === 0x5c || byte === 0x2f || byte === 0x62) return true;
  return byte === 0x66 || byte === 0x6e || byte === 0x72 || byte === 0x74;
}

function afterScalar(at: i32, end: i32, first: i32): i32 {
  if (first === 0x74) return at + 4 <= end && load<u32>(at) === 0x65757274 ? at + 4 : none;
  if (first === 0x6e) return at + 4 <= end && load<u32>(at) === 0x6c6c756e ? at + 4 : none;
  if (first === 0x66) return at + 5 <= end && load<u32>(at + 1) === 0x65736c61 ? at + 5 : none;
  return afterNumber(at, end);
}

function afterNumber(start: i32, end: i32): i32 {
  const whole = byteAt(start, end) === 0x2d ? start + 1 : start;
  let at = afterDigits(whole, end);
  if (at === whole || (byteAt(whole, end) === 0x30 && at > whole + 1)) return none;
  if (byteAt(at, end) === 0x2e) {
    const fraction = at + 1;
    at = afterDigits(fraction, end);
    if (at === fraction) return none;
  }
  const mark = byteAt(at, end);
  if (mark === 0x65 || mark === 0x45) {
    const sign = byteAt(at + 1, end);
    const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    at = afterDigits(exponent, end);
    if (at === exponent) return none;
  }
  return at;
}

function afterDigits(start: i32, end: i32): i32 {
  let at = start;
  while (isDigit(byteAt(at, end))) at += 1;
  return at;
}

function isHex(byte: i32): bool {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
}

function isDigit(byte: i32): bool {
  return byte >= 0x30 && byte <= 0x39;
}
