/** One short word for a whole configuration: hosts of one queue are to have the same. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL_FILES } from './config-dir.js';
import { SETTINGS_FILE } from './settings.js';

const FOLDERS = ['prompts', TOOL_FILES];
const FILES = [SETTINGS_FILE, '.mcp.json'];
const DIGEST_CHARS = 8;

/** Of the files of a configuration folder that runs depend on; not of `.env`, whose keys may differ. */
export function configurationDigest(configDir: string): string {
  const hash = createHash('sha256');
  for (const name of [...FILES, ...FOLDERS.flatMap(folder => namesBelow(configDir, folder))]) {
    const text = textOf(join(configDir, name));
    if (text !== null) hash.update(JSON.stringify([name, text]));
  }
  return hash.digest('hex').slice(0, DIGEST_CHARS);
}

function namesBelow(configDir: string, folder: string): string[] {
  try {
    const names = readdirSync(join(configDir, folder), { recursive: true, encoding: 'utf8' });
    return names
      .filter(name => !/(^|[\\/])node_modules([\\/]|$)/.test(name))
      .map(name => join(folder, name))
      .sort();
  } catch {
    return [];
  }
}

/** Null for a folder, and for what is not there. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
