/** Checks properties against the JSON Schema of a project's component. Loaded on demand, with its schema interpreter. */
import { type Schema, Validator } from '@cfworker/json-schema';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Interpreter, schemaFaults } from 'steersman/base';
import type { Props } from './definition.js';

interface CheckedProps {
  schema: Record<string, unknown>;
  given: Props;
  /** Returns what is drawn in place of the children. */
  hint: (faults: readonly string[]) => ComponentChildren;
  children: ComponentChildren;
}

export function Checked({ schema, given, hint, children }: CheckedProps) {
  const faults = useMemo(() => faultsOf(schema, given), [schema, given]);
  return <>{faults.length > 0 ? hint(faults) : children}</>;
}

const interpret: Interpreter = ({ schema, draft, value, onlyFirst }) =>
  new Validator(schema as Schema, draft, onlyFirst).validate(value).errors;

function faultsOf(schema: Record<string, unknown>, given: Props): string[] {
  try {
    return schemaFaults(schema, given, interpret);
  } catch (error) {
    return [String(error)];
  }
}
