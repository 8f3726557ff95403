import { hint } from '@sluice/kernel/did-you-mean';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { capitalized } from '../../text/capitalized.ts';
import type { ArgumentFault, Arguments } from './arguments.ts';
import type * as ToolSchema from './tool-schema.ts';

/** One instance for all operations. Formats and long enumerations are left to the upstream, which refuses a wrong value at no charge. */
const ajv = new Ajv2020({
  strict: false,
  logger: false,
  addUsedSchema: false,
  allErrors: true,
  verbose: true,
  validateFormats: false,
  code: { optimize: false },
});
const faultsMax = 10;

/** Returns what is wrong with arguments, or an empty list. */
export type ArgumentCheck = (args: Arguments) => ArgumentFault[];

/**
 * Creates the check of arguments against a schema. The schema is compiled at the first call; one that is not valid JSON Schema accepts
 * everything.
 */
export function argumentCheck(schemaOf: () => ToolSchema.Schema): ArgumentCheck {
  let validate: ValidateFunction | null = null;
  return (args) => {
    validate ??= compile(schemaOf());
    return validate(args) ? [] : faultsOf(validate.errors ?? []);
  };
}

function compile(schema: ToolSchema.Schema): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch {
    return ajv.compile({});
  }
}

function faultsOf(errors: readonly ErrorObject[]): ArgumentFault[] {
  // A choice with null is an optional value: "must be null" and "no choice fits" add nothing to the error of the value itself.
  const telling = errors.filter(
    ({ keyword, params }) => !/^(?:anyOf|oneOf|if)$/.test(keyword) && params.type !== 'null',
  );
  const faults = new Map<string, ArgumentFault>();
  for (const error of telling.length > 0 ? telling : errors) {
    const fault = faultOf(error);
    faults.set(`${fault.field} ${fault.message}`, fault);
  }
  return [...faults.values()].slice(0, faultsMax);
}

function faultOf({ instancePath, keyword, params, parentSchema, data, message }: ErrorObject): ArgumentFault {
  const at = instancePath
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const field = (...more: string[]) => [...at, ...more].join('.') || 'arguments';
  switch (keyword) {
    case 'required':
      return { field: field(String(params.missingProperty)), message: 'Required' };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params.additionalProperty ?? params.unevaluatedProperty);
      const known = Object.keys((parentSchema?.properties as object | undefined) ?? {});
      return { field: field(name), message: `No such argument. ${hint(name, known, 'Arguments')}` };
    }
    case 'enum':
      return {
        field: field(),
        message: `Not allowed. ${hint(String(data), (params.allowedValues as unknown[]).map(String), 'Allowed values')}`,
      };
    default:
      return { field: field(), message: capitalized(message ?? 'is not valid') };
  }
}
