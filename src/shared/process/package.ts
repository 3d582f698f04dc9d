/** The location of this package. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json: three levels above this file, both in `src/` and in `dist/`. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');

/** True in a clone of the repository; an installed package has no sources. */
export const isCheckout = existsSync(join(projectRoot, 'src'));

/** Returns a built file next to the module of this URL, even if the module runs from its sources, as in tests. */
export function builtBeside(module: string, name: string): string {
  const folder = dirname(fileURLToPath(module));
  const own = relative(projectRoot, folder);
  return join(own.startsWith('packages') ? builtScript(own) : folder, name);
}

/** Returns the path of a script of the build, such as `worker.js`, for background processes. */
export function builtScript(name: string): string {
  return join(projectRoot, 'dist', name);
}
