/** A feature can be deleted: its folder, and its name in the lists. What is left of src and packages still compiles. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectRoot } from '../support/project.js';

const run = promisify(execFile);
const LISTS = ['compose.ts', 'features/workers.ts', 'features/keys.ts'];

const names = (await readdir(join(projectRoot, 'src/features'), { withFileTypes: true }))
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name);

/** A list without the feature: its import, and its name among the others. */
function without(name: string, list: string): string {
  const lines = list.split('\n').filter(line => !line.includes(`/${name}/`));
  return lines.join('\n').replace(new RegExp(`(?<=[[{,]\\s*)${name},?\\s*(?=[\\w\\]}])`), '');
}

/** What the compiler says of a copy in which `change` was made. */
async function compiled(change: (src: string) => Promise<void>): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'without-a-feature-'));
  try {
    for (const part of ['src', 'packages', 'prompts', 'package.json', 'tsconfig.json'])
      await cp(join(projectRoot, part), join(copy, part), { recursive: true });
    await symlink(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
    const only = { extends: './tsconfig.json', include: ['src', 'packages'] };
    await writeFile(join(copy, 'tsconfig.only.json'), JSON.stringify(only));
    await change(join(copy, 'src'));
    const compiler = join(projectRoot, 'node_modules/typescript/lib/tsc.js');
    return await run(process.execPath, [compiler, '-p', 'tsconfig.only.json'], { cwd: copy }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
  } finally {
    await rm(copy, { recursive: true });
  }
}

test.each(names)('%s: its folder deleted, and its name in the lists → the rest compiles', async name => {
  const errors = await compiled(async src => {
    await rm(join(src, 'features', name), { recursive: true });
    for (const list of LISTS) {
      const text = await readFile(join(src, list), 'utf8').catch(() => null);
      if (text !== null) await writeFile(join(src, list), without(name, text));
    }
  });
  expect(errors).toBe('');
});

test('a folder deleted alone → the compiler names the lists', async () => {
  const errors = await compiled(src => rm(join(src, 'features', names[0] ?? ''), { recursive: true }));
  expect(errors).toContain('src/compose.ts');
});
