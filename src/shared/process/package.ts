/** Where this package stands. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: three above this file, in `src/` as in `dist/`. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');

/** True in a clone of the repository: what is installed as a package has no sources. */
export const isCheckout = existsSync(join(projectRoot, 'src'));

/** A built file beside the module of this URL, also where the module runs from its sources, as in tests. */
export function builtBeside(module: string, name: string): string {
  const folder = dirname(fileURLToPath(module));
  const own = relative(projectRoot, folder);
  return join(own.startsWith('packages') ? builtScript(own) : folder, name);
}

/** A script of the build, such as `worker.js`: what background processes run. */
export function builtScript(name: string): string {
  return join(projectRoot, 'dist', name);
}
