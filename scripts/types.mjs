// Writes the declarations of all that is exported: `node scripts/types.mjs dist`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? 'dist');

const out = mkdtempSync(join(tmpdir(), 'steersman-types-'));
try {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(root, 'tsconfig.types.json'), '--outDir', out], { stdio: 'inherit' });
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(join(out, name), 'utf8');
    // Declarations name packages as the build does, because package.json says where they are.
    writeFileSync(join(out, name), text.replace(/(['"])@steersman\/([\w-]+)\1/g, '$1#steersman/$2$1'));
  }
  cpSync(join(out, 'src'), target, { recursive: true });
  cpSync(join(out, 'packages'), join(target, 'packages'), { recursive: true });
} finally {
  rmSync(out, { recursive: true, force: true });
}
