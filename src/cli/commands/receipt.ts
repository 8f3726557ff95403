import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import * as CommandLine from '@sluice/kernel/command-line';
import { createLocalJWKSet, createRemoteJWKSet } from 'jose';
import * as PriceWords from '../../catalog/price-words.ts';
import * as SignedManifest from '../../identity/signed-manifest.ts';
import * as SignedReceipt from '../../identity/signed-receipt.ts';
import * as Command from '../command.ts';

export const help = `Verifies a receipt or a signed price list with the shop's public keys, and prints its content.

  sluice receipt verify <receipt> --jwks <URL or file>

  <receipt>   a compact JWS: of a purchase (GET /account/receipts), of a call (header storefront-receipt), or of the prices of a day
              (GET /manifest.jws); - reads it from standard input
  --jwks      https://<shop>/.well-known/jwks.json, or a file with its content
  --json      prints the content as JSON

Exit code: 0 the shop signed it, 1 it did not, 2 it could not be checked.`;

const timeoutMs = 10_000;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = CommandLine.read(args, {
    jwks: { type: 'string' },
    json: { type: 'boolean' },
  });
  const [verb, given, ...rest] = positionals;
  CommandLine.choose(verb, ['verify']);
  CommandLine.noMore(rest);
  if (given === undefined) throw new CommandLine.Misuse('The receipt is missing');
  if (!values.jwks) throw new CommandLine.Misuse("--jwks is missing: the shop's public keys");
  const jws = (given === '-' ? await text(process.stdin) : given).trim();
  const ring = await keys(values.jwks);
  const signed = (await SignedReceipt.verify(ring, jws)) ?? (await SignedManifest.verify(ring, jws));
  if (signed === null)
    return Command.tell('NOT valid: the shop did not sign this receipt, or it was changed afterwards.', 1);
  if (values.json) return Command.tell(JSON.stringify(signed, null, 2), 0);
  const { issuedMs, ...facts } = 'manifest' in signed ? { ...signed, manifest: prices(signed) } : signed;
  const lines = Object.entries({ ...facts, issued: new Date(issuedMs).toISOString() });
  return Command.tell(
    [
      'Signed by the shop.',
      ...lines.map(
        ([name, value]) =>
          `  ${name.padEnd(14)} ${name === 'quantities' ? quantities(value as Record<string, number>) : value}`,
      ),
    ].join('\n'),
    0,
  );
}

function quantities(measured: Readonly<Record<string, number>>): string {
  return Object.entries(measured)
    .map(([meter, quantity]) => `${meter} ${quantity}`)
    .join(', ');
}

/** Formats the prices of a manifest, one per line. */
function prices({ manifest }: SignedManifest.VerifiedManifest): string {
  const list = manifest.prices as readonly { service: string; unit: string; priceUsd: string }[];
  const services = (manifest.services ?? []) as readonly { slug: string; price?: string }[];
  return [
    ...list.map(({ service, unit, priceUsd }) => `${service}: ${priceUsd} USD ${PriceWords.aUnit(unit)}`),
    ...services.flatMap(({ slug, price }) => (price === undefined ? [] : [`${slug}: ${price}`])),
  ]
    .map((line) => `\n    ${line}`)
    .join('');
}

/** Loads the shop's keys. Keys that a receipt itself contains are ignored. */
async function keys(where: string) {
  if (/^https?:\/\//.test(where)) return createRemoteJWKSet(new URL(where), { timeoutDuration: timeoutMs });
  return createLocalJWKSet(JSON.parse(await readFile(where, 'utf8')));
}
