import { defineConfig } from 'drizzle-kit';

// Writes the migrations of the shop's tables: `npx drizzle-kit generate --name=...` (docs/decisions/0025-database-schema-and-migrations.md).
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/adapters/postgres/schema/*.ts',
  schemaFilter: ['shop'],
  out: './migrations',
});
