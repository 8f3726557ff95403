import { stringify } from 'yaml';
import { describe } from './http/description.ts';

// `npm run describe -w packages/data-api` writes the committed copy. A test compares the two.
process.stdout.write(
  stringify(describe('http://127.0.0.1:4021'), {
    lineWidth: 110,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  }),
);
