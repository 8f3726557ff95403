import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Returns the errors of `value` against a schema that the project ships. `part` names one of its $defs. */
export function breaches(file: string, value: unknown, part?: string): string[] {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
  });
  const schema = JSON.parse(readFileSync(`openapi/${file}`, 'utf8'));
  ajv.addSchema(schema);
  const validate = ajv.getSchema(part === undefined ? schema.$id : `${schema.$id}#/$defs/${part}`);
  if (validate === undefined) throw new Error(`${file} has no ${part}`);
  // The value is served as JSON, so members that JSON drops do not count.
  validate(JSON.parse(JSON.stringify(value)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
