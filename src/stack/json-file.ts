import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { errorText } from '../core/text/error-text.js';
import { ERROR_CODES, SteersmanError } from '../shared/errors.js';

/** The file's content, or undefined when it is missing, not JSON or not of this shape. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes in one step: a reader sees the old content or the new, never a part. */
export function writeJson(path: string, value: object | number): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(part, path);
  } catch (error) {
    // A full disk would keep a part for each try.
    removeFile(part);
    throw error;
  }
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
}

const failureSchema = z.object({ message: z.string(), remedy: z.string(), code: z.enum(ERROR_CODES) });

/** Leaves the reason why a background process could not start for the terminal that waits for it. */
export function writeFailure(path: string, error: unknown): void {
  const message = errorText(error);
  const { remedy, code } = error instanceof SteersmanError ? error : { remedy: '', code: 'internal' };
  writeJson(path, { message, remedy, code });
}

/** The reason left by `writeFailure`; null where there is none. */
export function readFailure(path: string): SteersmanError | null {
  const read = readJson(path, failureSchema);
  return read === undefined ? null : new SteersmanError(read.message, read.remedy, read.code);
}
