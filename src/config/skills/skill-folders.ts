/** Which folders are skills, and what in them counts: for who reads them, and for who trusts them. */
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../shared/below.js';
import { marksBelow } from '../files/files.js';

/** Below a folder of configuration. */
export const SKILL_FOLDERS = ['skills', '.agents/skills', '.claude/skills'];

const FILE_NAMES = ['SKILL.md', 'skill.md'];
/** What scripts leave behind, and what git and systems keep. */
const NO_PARTS = new Set(['node_modules', '__pycache__', '.git', '.DS_Store']);

/** Whether a file or folder of this name is a part of the skill that it lies in. */
export function isPart(name: string): boolean {
  return !NO_PARTS.has(name) && !name.endsWith('.pyc');
}

/** The name of the file that makes a folder a skill; null: it is none, or can't be read. */
export function skillFileIn(folder: string): string | null {
  // By the names in it, since some file systems know no case.
  const names = namesIn(folder);
  return FILE_NAMES.find(name => names.includes(name)) ?? null;
}

/** The skills in a folder; the folder itself if it is one. */
export function skillsIn(place: string): string[] {
  if (skillFileIn(place) !== null) return [place];
  const below = namesIn(place).filter(isPart).sort();
  return below.map(name => join(place, name)).filter(folder => skillFileIn(folder) !== null);
}

/** What a project's skills hold, for a person's trust: empty without skills. @throws SteersmanError as `marksBelow` does. */
export function skillMarks(project: string): [folder: string, marks: [name: string, mark: string][]][] {
  const folders = SKILL_FOLDERS.flatMap(name => skillsIn(join(project, name)));
  return folders
    .filter(folder => isBelow(realpathSync(folder), realpathSync(project)))
    .map(folder => [folder.slice(project.length), marksBelow(folder, isPart)]);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
