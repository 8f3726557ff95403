// Keeps the tokens of an account in a file, and renews the access token when it has expired after its hour.
//   SLUICE_BASE_URL=http://localhost:4020 TOKENS=tokens.json node examples/token-renewal.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Renewal, Sluice } from 'sluice-client';

const file = process.env.TOKENS ?? 'tokens.json';
const store = ({ access_token, identity_assertion }: Renewal) =>
  writeFileSync(file, JSON.stringify({ access_token, identity_assertion }), { mode: 0o600 });

if (!existsSync(file)) store(await Sluice.register());
const tokens: Renewal = JSON.parse(readFileSync(file, 'utf8'));
const sluice = new Sluice({ ...tokens, on_renewal: store });
const { account, balance_usd } = await sluice.account.overview();
console.log(`${account} has ${balance_usd} USD`);
