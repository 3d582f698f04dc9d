// Writes packages/workspace-tools/threads/cmaps.zip: the character maps that East Asian fonts in PDFs name, from
// Adobe (BSD, the licence is included), as pdfjs-dist packs them. Needs npm and tar.
// npm run cmaps -- 5.6.205

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';

const TARGET = new URL('../packages/workspace-tools/threads/cmaps.zip', import.meta.url);
/** Maps that PDFs may not name: ISO 32000-1, table 118. */
const NOT_OF_PDFS = /UTF8|UTF32/;

const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  console.error('Name the version of pdfjs-dist: npm run cmaps -- 5.6.205');
  process.exit(2);
}
const dir = mkdtempSync(join(tmpdir(), 'cmaps-'));
try {
  const packed = execFileSync('npm', ['pack', '--silent', `pdfjs-dist@${version}`], {
    cwd: dir,
    encoding: 'utf8',
  });
  execFileSync('tar', ['xzf', packed.trim(), 'package/cmaps'], { cwd: dir });
  const folder = join(dir, 'package', 'cmaps');
  const names = readdirSync(folder).filter(name => !NOT_OF_PDFS.test(name));
  const files = Object.fromEntries(names.sort().map(name => [name, readFileSync(join(folder, name))]));
  // A fixed time makes the archive the same for the same files.
  writeFileSync(TARGET, zipSync(files, { level: 9, mtime: '2000-01-01' }));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
