// Saves the receipts of all purchases as documents, one HTML file each.
//   SLUICE_ACCESS_TOKEN=... SLUICE_BASE_URL=http://localhost:4020 FOLDER=/tmp/receipts node examples/receipts.ts
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Sluice } from 'sluice-client';

const folder = process.env.FOLDER ?? 'receipts';
await mkdir(folder, { recursive: true });
const sluice = new Sluice();
for await (const { purchase, paid_at, total_usd, receipt } of sluice.account.receipts()) {
  const file = join(folder, `${purchase}.html`);
  await writeFile(file, await sluice.account.receipt_document(receipt));
  console.log(`${paid_at.slice(0, 10)} ${total_usd} USD ${purchase}`);
}
