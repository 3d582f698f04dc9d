import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { resolveHome } from '../../src/stack/home.js';
import { temporalBinary } from '../../src/stack/temporal-fetch.js';

/** Before all tests, once: builds `dist/`, from which processes under test run, and finds or fetches Temporal. */
export default async function setup(): Promise<void> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  await temporalBinary(resolveHome(), line => console.error(line));
}
