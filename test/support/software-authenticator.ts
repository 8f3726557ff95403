import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const url64 = (data: Buffer) => data.toString('base64url');

/** The changes of a forger to a response. */
export type Forgery = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  counter?: number;
  userHandle?: string;
  isVerified?: boolean;
  crossOrigin?: boolean;
};

const present = 0x01;
const verified = 0x04;
const attested = 0x40;

/** A passkey of a browser under the control of a test, honest or not: it signs ES256 as the specification of WebAuthn says. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32);
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #origin: string;
  counter = 0;
  userHandle = '';

  constructor(origin: string) {
    this.#origin = origin;
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    [this.#key, this.#publicKey] = [pair.privateKey, pair.publicKey];
  }

  /** Answers the options of a registration form. */
  create(options: string, forgery: Forgery = {}): string {
    const { challenge, user } = JSON.parse(options) as { challenge: string; user: { id: string } };
    this.userHandle = user.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#cose()]);
    const data = Buffer.concat([this.#authData(forgery, attested), credential]);
    const map = Buffer.concat([
      Buffer.from([0xa3]),
      ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0])],
      ...[cborText('authData'), cborBytes(data)],
    ]);
    const clientDataJSON = this.#clientData('webauthn.create', challenge, forgery);
    return this.#credential({ clientDataJSON, attestationObject: url64(map), transports: ['internal'] });
  }

  /** Answers the options of the sign-in form. */
  get(options: string, forgery: Forgery = {}): string {
    const { challenge } = JSON.parse(options) as { challenge: string };
    const clientDataJSON = this.#clientData('webauthn.get', challenge, forgery);
    const data = this.#authData(forgery, 0);
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: url64(data),
      signature: url64(sign('sha256', signed, this.#key)),
      userHandle: forgery.userHandle ?? this.userHandle,
    });
  }

  #credential(response: object): string {
    const id = url64(this.id);
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  #clientData(type: string, challenge: string, forgery: Forgery): string {
    const { origin = this.#origin, crossOrigin = false } = forgery;
    const data = { type, challenge: forgery.challenge ?? challenge, origin, crossOrigin };
    return url64(Buffer.from(JSON.stringify(data)));
  }

  #authData({ rpId, counter, isVerified = true }: Forgery, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.counter);
    const hash = sha256(rpId ?? new URL(this.#origin).hostname);
    return Buffer.concat([hash, Buffer.from([present | (isVerified ? verified : 0) | flags]), count]);
  }

  /** The public key in COSE. */
  #cose(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const [xs, ys] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]);
    return Buffer.concat([head, Buffer.from([0x21]), cborBytes(xs), Buffer.from([0x22]), cborBytes(ys)]);
  }
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(data: Buffer): Buffer {
  const head = data.length < 256 ? [0x58, data.length] : [0x59, data.length >> 8, data.length & 255];
  return Buffer.concat([Buffer.from(head), data]);
}
