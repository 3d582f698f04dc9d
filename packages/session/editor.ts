/** A program of the person's own in which a text is edited. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'steersman/shared';

/** What `VISUAL` or `EDITOR` says, else one that most systems have; null where there is none. */
export function findEditor(): string | null {
  const chosen = env.lookup('VISUAL') ?? env.lookup('EDITOR');
  if (chosen !== undefined || process.platform === 'win32') return chosen ?? null;
  const { stdout } = spawnSync('sh', ['-c', 'command -v nano || command -v vi'], { encoding: 'utf8' });
  return stdout?.trim() || null;
}

/** The text as the program leaves it; as it was where the program fails. The program has the terminal meanwhile. */
export async function editedIn(editor: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steersman-'));
  try {
    const file = join(folder, 'edit.yaml');
    await writeFile(file, `${text}\n`);
    const [code] = await once(spawn(`${editor} "${file}"`, { shell: true, stdio: 'inherit' }), 'exit');
    return code === 0 ? await readFile(file, 'utf8') : text;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
