/** Tells which folders are skills, and which of their files count: for reading them and for trusting them. */
import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isBelow } from '../../shared/process/below.js';
import { marksBelow } from '../files/files.js';

/** Below a folder of configuration. */
export const SKILL_FOLDERS = ['skills', '.agents/skills', '.claude/skills'];

const FILE_NAMES = ['SKILL.md', 'skill.md'];
/** Files that scripts, git and the system create. */
const NO_PARTS = new Set(['node_modules', '__pycache__', '.git', '.DS_Store']);

/** True if a file or folder of this name is a part of the skill that contains it. */
export function isPart(name: string): boolean {
  return !NO_PARTS.has(name) && !name.endsWith('.pyc');
}

/** Returns the name of the file that makes the folder a skill; null if there is none, or if it can't be read. */
export function skillFileIn(folder: string): string | null {
  // Compares the names, because some file systems ignore case.
  const names = namesIn(folder);
  return FILE_NAMES.find(name => names.includes(name)) ?? null;
}

/** Returns the skills in a folder; the folder itself if it is one. */
export function skillsIn(place: string): string[] {
  if (skillFileIn(place) !== null) return [place];
  const below = namesIn(place).filter(isPart).sort();
  return below.map(name => join(place, name)).filter(folder => skillFileIn(folder) !== null);
}

/**
 * Returns the content of a project's skills, for a person's trust; empty without skills. @throws SteersmanError as
 * `marksBelow` does.
 */
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
