/** The files of a workspace, without those that git ignores and hidden ones. */
import { spawn } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';

export interface FoundFile {
  /** From the workspace on. */
  path: string;
  bytes: number;
  changedAt: number;
}

const MOST_FILES = 20_000;
const MOST_MS = 5_000;
const ARGS = ['--files', '--null', '--no-config', '--no-messages', '--no-require-git'];
const AT_ONCE = 64;

/** As many as are found in a few seconds. */
export async function filesIn(workspace: string): Promise<{ files: FoundFile[]; isCut: boolean }> {
  const { names, isCut } = await namesIn(workspace);
  const files: FoundFile[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const found = names.slice(from, from + AT_ONCE).map(async path => {
      // One that is gone meanwhile is none.
      const stat = await lstat(join(workspace, path)).catch(() => null);
      return stat?.isFile() ? [{ path, bytes: stat.size, changedAt: stat.mtimeMs }] : [];
    });
    files.push(...(await Promise.all(found)).flat());
  }
  return { files, isCut };
}

function namesIn(workspace: string): Promise<{ names: string[]; isCut: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(rgPath, ARGS, { cwd: workspace, env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
    const names: string[] = [];
    let rest = '';
    let isCut = false;
    const stop = () => {
      isCut = true;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(stop, MOST_MS);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = `${rest}${chunk}`.split('\0');
      rest = parts.pop() ?? '';
      names.push(...parts);
      if (names.length > MOST_FILES) stop();
    });
    child.on('error', error => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ names: names.slice(0, MOST_FILES).sort(), isCut });
    });
  });
}
