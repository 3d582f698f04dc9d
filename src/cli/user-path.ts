/** Paths as the user gives them. */
import { resolve } from 'node:path';
import { byNpm } from '../shared/called-as.js';
import { env } from '../shared/env.js';

/** Where the user stands: npm runs scripts of a checkout in the checkout. */
export function userPath(path: string): string {
  return resolve((byNpm ? env.lookup('INIT_CWD') : undefined) ?? process.cwd(), path);
}
