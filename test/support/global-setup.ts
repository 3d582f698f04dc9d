import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds once before all tests: processes and workers under test run from `dist/`. */
export default function setup(): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
}
