import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import solc from 'solc';
import {
  createPublicClient,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  hashTypedData as hashOf,
  http,
  keccak256,
  publicActions,
  serializeErc6492Signature,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { freePort } from '../support/free-port.ts';

/** USDC's own address on Base Sepolia: the shop and all clients take the chain for that network. */
export const usdc = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
/** The binary of a package for this kind of machine; on another one, ANVIL names it. */
const anvil =
  process.env.ANVIL || join(import.meta.dirname, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil');
const startMsMax = 30_000;
/** viem's own limit of three minutes keeps the process running after the last test. */
const minedMsMax = 20_000;
const blockSeconds = 1;

/** A chain of its own on this machine, with Base Sepolia's id and the contracts of contracts/Payments.sol. */
export async function open() {
  const contracts = await compile();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = [
    '--silent',
    '--chain-id',
    baseSepolia.id,
    '--block-time',
    blockSeconds,
    '--mixed-mining',
    '--port',
    port,
  ];
  const child = spawn(anvil, options.map(String), { stdio: 'ignore' });
  child.on('error', () => {});
  // Where a test fails before it can close the chain, the chain ends with the process.
  const end = () => {
    child.kill('SIGKILL');
  };
  child.unref();
  process.once('exit', end);
  const transport = http(url);
  const chain = { ...baseSepolia, rpcUrls: { default: { http: [url] } } };
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 });
  await ready(reader, child);
  // Accounts whose keys the node keeps.
  const [sender, settler] = await reader.request({ method: 'eth_accounts' });
  const of = (account) => {
    const client = createWalletClient({ account, chain, transport, pollingInterval: 100 }).extend(
      publicActions,
    );
    const waitForTransactionReceipt = (wanted) =>
      client.waitForTransactionReceipt({ ...wanted, timeout: minedMsMax });
    const ordered = inOrder(waitForTransactionReceipt);
    return {
      ...client,
      waitForTransactionReceipt,
      deployContract: ordered(client.deployContract),
      writeContract: ordered(client.writeContract),
      sendTransaction: ordered(client.sendTransaction),
    };
  };
  const node = of(sender);
  await reader.request({ method: 'anvil_setCode', params: [usdc, contracts.Usdc.deployed] });
  const deploy = async (name, args = []) => {
    const { abi, bytecode } = contracts[name];
    const hash = await node.deployContract({ abi, bytecode, args });
    return (await node.waitForTransactionReceipt({ hash })).contractAddress;
  };
  const [factory, batch] = await Promise.all([deploy('WalletFactory'), deploy('Batch')]);
  const write = async (address, name, functionName, args) => {
    const hash = await node.writeContract({ address, abi: contracts[name].abi, functionName, args });
    return node.waitForTransactionReceipt({ hash });
  };
  const read = (address, name, functionName, args = []) =>
    reader.readContract({ address, abi: contracts[name].abi, functionName, args });

  return {
    url,
    /** Signs and sends for a facilitator. */
    settler: of(settler),
    abi: contracts.Usdc.abi,
    factory,
    mint: (to, value = 10_000_000n) => write(usdc, 'Usdc', 'mint', [to, value]),
    balance: (of) => read(usdc, 'Usdc', 'balanceOf', [of]),
    /** Puts a signed transfer on the chain without any facilitator. */
    transfer: ({ authorization, signature }) =>
      write(usdc, 'Usdc', 'transferWithAuthorization', [...terms(authorization), signature]),
    async cancel(key, nonce) {
      const signature = await key.signTypedData({
        domain: { name: 'USDC', version: '2', chainId: baseSepolia.id, verifyingContract: usdc },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: key.address, nonce },
      });
      return write(usdc, 'Usdc', 'cancelAuthorization', [key.address, nonce, signature]);
    },
    /** Settles several payments in one transaction. */
    settleTogether(payments) {
      const calls = payments.map(({ authorization, signature }) =>
        encodeFunctionData({
          abi: contracts.Usdc.abi,
          functionName: 'transferWithAuthorization',
          args: [...terms(authorization), signature],
        }),
      );
      return write(batch, 'Batch', 'run', [usdc, calls]);
    },
    /** A contract wallet, on the chain already or not; it signs typed data as clients ask their signers to. */
    async wallet(isDeployed) {
      const owner = privateKeyToAccount(generatePrivateKey());
      const salt = `0x${randomBytes(32).toString('hex')}`;
      const address = await read(factory, 'WalletFactory', 'addressOf', [owner.address, salt]);
      if (isDeployed) await write(factory, 'WalletFactory', 'create', [owner.address, salt]);
      const data = encodeFunctionData({
        abi: contracts.WalletFactory.abi,
        functionName: 'create',
        args: [owner.address, salt],
      });
      return {
        address,
        async signTypedData(message) {
          const own = encodeAbiParameters(
            [{ type: 'address' }, { type: 'bytes32' }],
            [address, hashOf(message)],
          );
          const signature = await owner.sign({ hash: keccak256(own) });
          return isDeployed ? signature : serializeErc6492Signature({ address: factory, data, signature });
        },
      };
    },
    async close() {
      end();
      process.removeListener('exit', end);
    },
  };
}

/**
 * Makes functions that send the transactions of one account one after another, each once the last one is in a block: the node
 * leaves a transaction in its queue for ever when it arrives while the one before it is being mined.
 */
function inOrder(waitForTransactionReceipt) {
  let last = Promise.resolve();
  return (send) => (transaction) => {
    const sent = last.then(() => send(transaction));
    last = sent.then((hash) => waitForTransactionReceipt({ hash })).catch(() => {});
    return sent;
  };
}

function terms({ from, to, value, validAfter, validBefore, nonce }) {
  return [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce];
}

async function compile() {
  const content = await readFile(join(import.meta.dirname, 'contracts/Payments.sol'), 'utf8');
  const settings = {
    viaIR: true,
    optimizer: { enabled: true },
    evmVersion: 'cancun',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  };
  const input = { language: 'Solidity', sources: { 'Payments.sol': { content } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  const faults = errors.filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(contracts['Payments.sol']).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}`, deployed: `0x${evm.deployedBytecode.object}` },
    ]),
  );
}

async function ready(reader, child) {
  const deadline = Date.now() + startMsMax;
  while ((await reader.getChainId().catch(() => null)) === null) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`the local chain did not start: ${anvil}`);
    await sleep(50);
  }
}
