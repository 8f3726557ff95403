import { stringify } from 'yaml';
import { describe } from './http/description.ts';

// The committed copy: `node src/direct/describe.ts > openapi/direct.yaml`. A test holds the two together.
process.stdout.write(
  stringify(describe('http://127.0.0.1:4021'), {
    lineWidth: 110,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  }),
);
