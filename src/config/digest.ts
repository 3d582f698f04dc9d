/** A short digest of a whole configuration: all hosts of one queue should have the same. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TOOL_FILES } from './files/config-dir.js';
import { marksBelow, readText } from './files/files.js';
import { SETTINGS_FILE } from './settings/settings.js';
import { skillMarks } from './skills/skill-folders.js';

const FOLDERS = ['prompts', TOOL_FILES];
const FILES = [SETTINGS_FILE, '.mcp.json'];
const DIGEST_CHARS = 8;

/** Covers the files of a configuration folder that runs depend on; not `.env`, whose keys may differ. */
export function configurationDigest(configDir: string): string {
  const files = FILES.map(name => [name, readText(join(configDir, name))]);
  const below = FOLDERS.map(folder => [folder, marksBelow(join(configDir, folder))]);
  const skills = skillMarks(configDir);
  return createHash('sha256')
    .update(JSON.stringify(skills.length > 0 ? [files, below, skills] : [files, below]))
    .digest('hex')
    .slice(0, DIGEST_CHARS);
}
