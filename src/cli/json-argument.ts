/** JSON on the command line. */
import { errorText } from '../core/text/error-text.js';
import { isRecord } from '../core/text/json.js';
import { SteersmanError } from '../shared/errors.js';

interface Forms {
  object: Record<string, unknown>;
  array: object[];
}

const EXAMPLES: Record<keyof Forms, string> = {
  object: `'{"path": "notes.md"}'`,
  array: `'[{"id": "task-3", "description": "Read docs/"}]'`,
};

/** The value of `name`, or null where it was not given. Throws a SteersmanError for anything but that form. */
export function readJson<F extends keyof Forms>(
  name: string,
  text: string | undefined,
  form: F,
): Forms[F] | null {
  if (text === undefined) return null;
  const example = `For example: ${name} ${EXAMPLES[form]} (in single quotes, for the shell).`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = errorText(error);
    throw new SteersmanError(`${name} is not JSON: ${why}.`, example, 'usage');
  }
  const fits = form === 'object' ? isRecord(value) : Array.isArray(value) && value.every(isRecord);
  if (fits) return value as Forms[F];
  const wanted = form === 'object' ? 'a JSON object' : 'a JSON array of objects';
  throw new SteersmanError(`${name} must be ${wanted}.`, example, 'usage');
}
