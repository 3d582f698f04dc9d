import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** Returns the file's content; undefined if it is missing, not JSON, or does not fit the schema. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes atomically: a reader sees the old or the new content, never a part. */
export function writeJson(path: string, value: object): void {
  const part = `${path}.${randomUUID()}.part`;
  try {
    writeFileSync(part, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(part, path);
  } catch (error) {
    // On a full disk each attempt would leave a partial file.
    removeFile(part);
    throw error;
  }
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
}
