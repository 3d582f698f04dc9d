/** Edits a text in the person's own editor. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'steersman/shared';

/** Returns the program of `VISUAL` or `EDITOR`, else nano or vi; null if there is no editor. */
export function findEditor(): string | null {
  const chosen = env.lookup('VISUAL') ?? env.lookup('EDITOR');
  if (chosen !== undefined || process.platform === 'win32') return chosen ?? null;
  const { stdout } = spawnSync('sh', ['-c', 'command -v nano || command -v vi'], { encoding: 'utf8' });
  return stdout?.trim() || null;
}

/** Returns the edited text; the original text if the program fails. The program uses the terminal meanwhile. */
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
