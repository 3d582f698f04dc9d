/** Paths as the user gives them. */
import { resolve } from 'node:path';
import { env } from '../../env.js';

/** Where the user stands: npm runs scripts in the project's folder. */
export function userPath(path: string): string {
  return resolve(env.lookup('INIT_CWD') ?? process.cwd(), path);
}
