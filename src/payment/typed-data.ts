import { keccak_256 } from '@noble/hashes/sha3.js';

/** Typed data that a wallet signs (EIP-712): one flat struct under a domain. All that payments need of it. */
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

/** The 32 bytes that are signed: `keccak256(0x1901 | domain | struct)`. The values are to be of their types' forms. */
export function digest({ domain, primaryType, fields }: TypedData): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain;
  const domainFields: Field[] = [
    { name: 'name', type: 'string', value: name },
    { name: 'version', type: 'string', value: version },
    { name: 'chainId', type: 'uint256', value: BigInt(chainId) },
  ];
  if (verifyingContract !== undefined)
    domainFields.push({ name: 'verifyingContract', type: 'address', value: verifyingContract });
  return keccak_256(
    Buffer.concat([
      Buffer.from('1901', 'hex'),
      hashStruct('EIP712Domain', domainFields),
      hashStruct(primaryType, fields),
    ]),
  );
}

function hashStruct(name: string, fields: readonly Field[]): Uint8Array {
  const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`;
  return keccak_256(Buffer.concat([keccak_256(Buffer.from(type)), ...fields.map(encode)]));
}

/** One member in its 32 bytes. */
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
