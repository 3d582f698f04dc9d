import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { stackPaths } from './home.js';
import { readJson, removeFile, writeJson } from './json-file.js';
import { isAlive, processIdSchema, thisProcess } from './process-id.js';

const leaseSchema = processIdSchema.extend({ taskQueue: z.string().optional() });
/** A client at work: its process, and the worker's queue if it uses one. */
export type Lease = z.infer<typeof leaseSchema>;

/**
 * Says that this process uses the stack (and the worker of `taskQueue`), until `release` or its end: neither
 * ends itself meanwhile. A process that crashes needs no clean-up: a lease counts only while its process lives.
 */
export function keepLease(home: string, taskQueue?: string): () => void {
  const path = join(stackPaths(home).leases, `${process.pid}-${randomUUID()}.json`);
  writeJson(path, taskQueue === undefined ? thisProcess() : { ...thisProcess(), taskQueue });
  return () => removeFile(path);
}

/** The leases of living processes; files of dead ones are removed. */
export function liveLeases(home: string): Lease[] {
  const live: Lease[] = [];
  for (const path of jsonFiles(stackPaths(home).leases)) {
    const lease = readJson(path, leaseSchema);
    if (lease !== undefined && isAlive(lease)) live.push(lease);
    else if (lease !== undefined) removeFile(path);
  }
  return live;
}

/** Paths of the `.json` files of a folder; none when there is no folder. */
export function jsonFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter(name => name.endsWith('.json'))
      .map(name => join(dir, name));
  } catch {
    return [];
  }
}
