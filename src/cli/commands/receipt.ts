import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createLocalJWKSet, createRemoteJWKSet } from 'jose';
import * as SignedManifest from '../../identity/signed-manifest.ts';
import * as SignedReceipt from '../../identity/signed-receipt.ts';
import * as Command from '../command.ts';

export const help = `Checks a receipt, or a signed manifest, with nothing but the shop's public keys, and prints what it says.

  sluice receipt verify <receipt> --jwks <url or file>

  <receipt>   the compact JWS: of a purchase (GET /account/receipts), of a call (header storefront-receipt), of the prices of a day
              (GET /manifest.jws); - for standard input
  --jwks      https://<shop>/.well-known/jwks.json, or a file that holds it
  --json      what it says, for programs

Exit code: 0 it is the shop's, 1 it is not, 2 it could not be checked.`;

const timeoutMs = 10_000;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = Command.read(args, {
    jwks: { type: 'string' },
    json: { type: 'boolean' },
  });
  const [verb, given, ...rest] = positionals;
  Command.choose(verb, ['verify']);
  Command.noMore(rest);
  if (given === undefined) throw new Command.Misuse('Which receipt?');
  if (!values.jwks) throw new Command.Misuse("--jwks is missing: the shop's public keys");
  const jws = (given === '-' ? await text(process.stdin) : given).trim();
  const ring = await keys(values.jwks);
  const signed = (await SignedReceipt.verify(ring, jws)) ?? (await SignedManifest.verify(ring, jws));
  if (signed === null)
    return Command.tell('This receipt was NOT signed by the shop, or was changed since.', 1);
  if (values.json) return Command.tell(JSON.stringify(signed, null, 2), 0);
  const { issuedMs, ...facts } = 'manifest' in signed ? { ...signed, manifest: prices(signed) } : signed;
  const lines = Object.entries({ ...facts, issued: new Date(issuedMs).toISOString() });
  return Command.tell(
    ['Signed by the shop.', ...lines.map(([name, value]) => `  ${name.padEnd(14)} ${value}`)].join('\n'),
    0,
  );
}

/** The prices of a manifest, each on a line. */
function prices({ manifest }: SignedManifest.Signed): string {
  const list = manifest.prices as readonly { service: string; unit: string; priceUsd: string }[];
  return list.map(({ service, unit, priceUsd }) => `\n    ${service}: ${priceUsd} USD a ${unit}`).join('');
}

/** The shop's keys. Every other key that a receipt may name itself is ignored. */
async function keys(where: string) {
  if (/^https?:\/\//.test(where)) return createRemoteJWKSet(new URL(where), { timeoutDuration: timeoutMs });
  return createLocalJWKSet(JSON.parse(await readFile(where, 'utf8')));
}
