import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Before all tests, once: builds `dist/`, from which processes under test run. */
export default function setup(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
}
