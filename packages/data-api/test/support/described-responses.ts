import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Description } from '../../src/operation.ts';

/** Validators for requests and responses, compiled from the API description. */
export type Described = {
  request(operation: Description): ValidateFunction;
  /** Throws if the description has no such status for the operation. */
  answer(operation: Description, status: number): ValidateFunction;
  /** Validates any error response. */
  error: ValidateFunction;
};

/** Compiles the validators of `document`. Its objects are closed, so undocumented fields are errors. */
export function read(document: object): Described {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    formats: { uri: true, 'date-time': true, date: true, email: true, uuid: true },
  });
  ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'paths', 'components']);
  ajv.addSchema({ ...document, $id: 'direct' });

  const known = new Map<string, ValidateFunction>();
  const at = (...path: string[]): ValidateFunction => {
    const pointer = path.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const validate = known.get(pointer) ?? ajv.compile({ $ref: `direct#/${pointer}` });
    known.set(pointer, validate);
    return validate;
  };
  const json = ['content', 'application/json', 'schema'];
  return {
    request: ({ path, method }) => at('paths', path, method.toLowerCase(), 'requestBody', ...json),
    error: at('components', 'schemas', 'Error'),
    answer({ path, method }, status) {
      const response = ['paths', path, method.toLowerCase(), 'responses', String(status)];
      const found = response.reduce<unknown>(
        (node, step) => (node as Record<string, unknown> | undefined)?.[step],
        document,
      ) as { $ref?: string } | undefined;
      if (!found) throw new Error(`${path} is not said to answer ${status}`);
      return at(...(found.$ref ? found.$ref.slice(2).split('/') : response), ...json);
    },
  };
}

export function expectValid(validate: ValidateFunction, value: unknown): void {
  if (!validate(value)) expect(validate.errors, JSON.stringify(value).slice(0, 2_000)).toBe(null);
}
