import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';

/** The file's content, or undefined when it is missing, not JSON or not of this shape. */
export function readJson<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes in one step: a reader sees the old content or the new, never a part. */
export function writeJson(path: string, value: object): void {
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
