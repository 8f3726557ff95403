import { keccak_256 } from '@noble/hashes/sha3.js';

/** Typed data that a wallet signs (EIP-712): one flat struct under a domain, the subset that payments need. */
export type TypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract?: string };
  primaryType: string;
  fields: readonly Field[];
};

/** A member of the struct. An `address` and `bytes32` are `0x` and hex in any case, a `uint256` is below 2^256. */
export type Field = { name: string } & (
  | { type: 'address' | 'bytes32' | 'string'; value: string }
  | { type: 'uint256'; value: bigint }
);

/** Returns the 32 bytes that are signed: `keccak256(0x1901 | domain | struct)`. Each value must have the form of its type. */
export function digest({ domain, primaryType, fields }: TypedData): Uint8Array {
  return keccak_256(
    Buffer.concat([Buffer.from('1901', 'hex'), domainSeparator(domain), hashStruct(primaryType, fields)]),
  );
}

/** Returns the hash of a domain, as contracts publish it under `DOMAIN_SEPARATOR()`. */
export function domainSeparator({
  name,
  version,
  chainId,
  verifyingContract,
}: TypedData['domain']): Uint8Array {
  const domainFields: Field[] = [
    { name: 'name', type: 'string', value: name },
    { name: 'version', type: 'string', value: version },
    { name: 'chainId', type: 'uint256', value: BigInt(chainId) },
  ];
  if (verifyingContract !== undefined)
    domainFields.push({ name: 'verifyingContract', type: 'address', value: verifyingContract });
  return hashStruct('EIP712Domain', domainFields);
}

function hashStruct(name: string, fields: readonly Field[]): Uint8Array {
  const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
  return keccak_256(Buffer.concat([keccak_256(Buffer.from(type)), ...fields.map(encode)]));
}

/** Encodes one member as 32 bytes. */
function encode(field: Field): Uint8Array {
  switch (field.type) {
    case 'string':
      return keccak_256(Buffer.from(field.value));
    case 'uint256':
      return Buffer.from(field.value.toString(16).padStart(64, '0'), 'hex');
    case 'address':
    case 'bytes32':
      return Buffer.from(field.value.slice(2).padStart(64, '0'), 'hex');
  }
}
