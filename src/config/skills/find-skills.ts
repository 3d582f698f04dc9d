/**
 * Finds skills in the project's own folders and in those that a program names, with the files of each. Their texts are
 * untrusted, and a file is read only if it lies in the skill's own folder.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import { errorText } from '../../base/text/error-text.js';
import { isBelow } from '../../shared/process/below.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { displayPath, errorCode, readHead } from '../files/files.js';
import { parseSkillFile, type SkillFile } from './skill-file.js';
import { isPart, SKILL_FOLDERS, skillFileIn, skillsIn } from './skill-folders.js';

/** A folder with more files is not a skill: it may be a link to the root of a disk. */
const MOST_FILES = 1_000;
const MOST_BYTES = 64_000_000;
const MOST_TEXT_BYTES = 1_000_000;
/** 96 bits. */
const DIGEST_CHARS = 16;

export interface Skill extends SkillFile {
  /** Its folder: the real path. */
  folder: string;
  file: string;
  /** Digest of all its files, by name and content. */
  digest: string;
  /** Sizes by path in the folder, in the order of paths, without `SKILL.md`. */
  files: ReadonlyMap<string, number>;
  /** Digests of its files by path. A file that is read later must still match its digest. */
  digests: ReadonlyMap<string, string>;
}

export interface FoundSkills {
  skills: Skill[];
  /** Reasons why the other skills are left out, each with what to do. */
  faults: string[];
}

export interface SkillPlaces {
  /** The project's configuration folder. Null: there is no such folder, or it is not trusted. */
  configDir: string | null;
  /** Folders that a program names, each of one skill or of several. Default: none. */
  named?: readonly string[] | undefined;
}

/** Returns the complete skills, each name once, and why others are left out. `only`: only the skill of this name. */
export async function findSkills(places: SkillPlaces, only?: string): Promise<FoundSkills> {
  const { folders, faults } = await skillFolders(places);
  const skills = new Map<string, Skill>();
  for (const folder of folders) {
    try {
      const read = await readSkillFile(folder);
      const { file, said } = read;
      if (only !== undefined && only !== said.name) continue;
      const skill = await wholeSkill(read);
      const first = skills.get(said.name) ?? skill;
      if (first.digest !== skill.digest)
        faults.push(
          `${displayPath(file)}: another ${said.name} is in ${displayPath(first.folder)}: rename or remove one.`,
        );
      skills.set(said.name, first);
    } catch (error) {
      if (!(error instanceof SteersmanError)) throw error;
      faults.push(`${error.message} ${error.remedy}`);
    }
    if (only !== undefined && skills.size > 0) break;
  }
  return { skills: [...skills.values()], faults };
}

/** Returns real paths, each once: `.claude/skills` often leads to `.agents/skills`. */
async function skillFolders({ configDir, named = [] }: SkillPlaces) {
  const folders = new Set<string>();
  const faults: string[] = [];
  for (const place of named) {
    const real = await realpath(resolve(place)).catch(() => null);
    if (real === null)
      faults.push(`The folder of skills ${displayPath(place)} is not there: check its path.`);
    else for (const folder of skillsIn(real)) folders.add(await realpath(folder));
  }
  const project = configDir === null ? null : await realpath(configDir).catch(() => null);
  if (project === null) return { folders, faults };
  for (const place of SKILL_FOLDERS.map(name => join(project, name))) {
    for (const folder of await Promise.all(skillsIn(place).map(each => realpath(each)))) {
      if (isBelow(folder, project)) folders.add(folder);
      else
        faults.push(
          `${displayPath(place)}: a skill there leads to ${displayPath(folder)}, out of the project, and is left out: copy it.`,
        );
    }
  }
  return { folders, faults };
}

interface Read {
  file: string;
  said: SkillFile;
  hash: string;
}

async function readSkillFile(folder: string): Promise<Read> {
  const file = join(folder, skillFileIn(folder) ?? 'SKILL.md');
  const bytes = await readOwn(folder, basename(file), MOST_TEXT_BYTES);
  return { file, said: parseSkillFile(bytes.toString(), file, basename(folder)), hash: hashOf(bytes) };
}

async function wholeSkill({ file, said, hash: read }: Read): Promise<Skill> {
  const folder = join(file, '..');
  const paths = await pathsIn(folder);
  const files = new Map<string, number>();
  const digests = new Map<string, string>();
  let left = MOST_BYTES;
  for (const path of paths) {
    const { size, hash } = await hashOwn(folder, path, left);
    left -= size;
    files.set(path, size);
    digests.set(path, hash);
  }
  files.delete(basename(file));
  if (digests.get(basename(file)) !== read) throw changed(file);
  const digest = createHash('sha256')
    .update(JSON.stringify([...digests]))
    .digest('base64url');
  return { ...said, folder, file, digest: digest.slice(0, DIGEST_CHARS), files, digests };
}

/** Returns sorted paths. Folders behind links are not entered, and files in other folders do not count. */
async function pathsIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  const goInto = async (at: string): Promise<void> => {
    for (const entry of await readdir(join(folder, at), { withFileTypes: true })) {
      if (!isPart(entry.name)) continue;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) await goInto(path);
      else if (entry.isFile() || (entry.isSymbolicLink() && (await leadsInside(folder, path))))
        paths.push(path);
      if (paths.length > MOST_FILES) throw tooMuch(folder, `more than ${MOST_FILES} files`);
    }
  };
  await readable(folder, () => goInto(''));
  return paths.sort();
}

async function leadsInside(folder: string, path: string): Promise<boolean> {
  const real = await realpath(join(folder, path)).catch(() => null);
  return real !== null && isBelow(real, folder) && (await lstat(real)).isFile();
}

/** Reads a file of the skill, as its digest has it. @throws SteersmanError if it has changed since, or can't be read. */
export async function readPart(
  { folder, digests }: Pick<Skill, 'folder' | 'digests'>,
  path: string,
): Promise<Buffer> {
  const bytes = await readOwn(folder, path);
  if (digests.get(path) !== hashOf(bytes)) throw changed(join(folder, path));
  return bytes;
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function changed(path: string): SteersmanError {
  return new SteersmanError(`${displayPath(path)} has changed while it was read.`, 'Read it again.');
}

/** @throws SteersmanError if it leads out of the folder, is too large or can't be read. */
async function readOwn(folder: string, path: string, most = MOST_BYTES): Promise<Buffer> {
  return readable(join(folder, path), async () => {
    const { real, info } = await ownFile(folder, path, most);
    return (await readHead(real, info.size)).head;
  });
}

/** Hashes by real path: each run looks at all skills, and reads only changed files again. */
const hashes = new LRUCache<string, { stamp: string; size: number; hash: string }>({ max: 5_000 });
/** A file that changed a moment ago may change again with the same time. */
const SETTLED_MS = 2_000;

async function hashOwn(folder: string, path: string, most: number): Promise<{ size: number; hash: string }> {
  return readable(join(folder, path), async () => {
    const { real, info } = await ownFile(folder, path, most);
    const { ino, size, mtimeMs, ctimeMs } = info;
    const stamp = [ino, size, mtimeMs, ctimeMs].join();
    const known = hashes.get(real);
    if (known?.stamp === stamp) return known;
    const isSettled = Date.now() - Math.max(mtimeMs, ctimeMs) > SETTLED_MS;
    const { head } = await readHead(real, size);
    const found = { stamp, size: head.length, hash: hashOf(head) };
    if (isSettled) hashes.set(real, found);
    return found;
  });
}

async function ownFile(folder: string, path: string, most: number): Promise<{ real: string; info: Stats }> {
  const real = await realpath(join(folder, path));
  if (!isBelow(real, folder)) throw tooMuch(real, 'a file outside of its folder');
  const info = await lstat(real);
  if (info.size > most) throw tooMuch(join(folder, path), `more than ${most} bytes`);
  return { real, info };
}

function tooMuch(path: string, what: string): SteersmanError {
  return new SteersmanError(
    `${displayPath(path)}: the skill holds ${what}.`,
    'Keep only files in it that the skill needs.',
  );
}

async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SteersmanError) throw error;
    throw new SteersmanError(
      `${displayPath(path)} cannot be read (${errorCode(error) || errorText(error)}).`,
      'Check who may read it.',
    );
  }
}

/** Returns the skill's folder relative to the workspace; null if it lies outside. */
export function placeOfSkill({ folder }: Pick<Skill, 'folder'>, workspace: string): string | null {
  return isBelow(folder, workspace) ? relative(workspace, folder) || '.' : null;
}
