/**
 * Taking a conversation's file out of its folder while others may write to it. The file is moved aside first, and only
 * then judged: a writer acknowledges nothing that it has written to a file which was moved. One that stays is moved back.
 */
import { lstatSync, type Stats } from 'node:fs';
import { type FileHandle, link, rename, unlink } from 'node:fs/promises';
import { SteersmanError } from 'steersman/shared';
import { unlessGone } from './folder-lines.js';

/** A file that a crash has left aside for longer goes back. */
const ASIDE_MS = 60_000;

/** Where the file is while its conversation is removed. */
const asideOf = (path: string) => `${path}.removing`;

const look = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

export function isBeingRemoved(path: string): boolean {
  const aside = look(asideOf(path));
  // The move is the file's last change.
  return aside !== undefined && Date.now() - aside.ctimeMs < ASIDE_MS;
}

/** Whether the path still leads to this open file. */
export async function isAt(path: string, file: FileHandle): Promise<boolean> {
  return look(path)?.ino === (await file.stat()).ino;
}

/** Puts a file back that a crash has left aside. */
export async function putBackLost(path: string): Promise<void> {
  const aside = look(asideOf(path));
  if (aside === undefined || isBeingRemoved(path)) return;
  const there = look(path);
  if (there?.ino === aside.ino) await unlink(asideOf(path)).catch(unlessGone);
  // An empty file is of a writer that has written nothing to it.
  else if (there === undefined || there.size === 0) await rename(asideOf(path), path).catch(unlessGone);
}

/**
 * Moves the file aside and calls `judge` with its place. It goes if `judge` returns, and is moved back if that throws.
 * @returns null if there is no file.
 */
export async function removeFile<T>(path: string, judge: (aside: string) => Promise<T>): Promise<T | null> {
  const aside = asideOf(path);
  if (isBeingRemoved(path)) throw beingRemoved();
  try {
    // Of two removals one wins, which a rename would not tell.
    await link(path, aside);
  } catch (error) {
    if (isOf('EEXIST', error)) throw beingRemoved();
    return unlessGone(error);
  }
  try {
    await unlink(path);
    const judged = await judge(aside);
    await unlink(aside).catch(unlessGone);
    return judged;
  } catch (error) {
    await rename(aside, path).catch(unlessGone);
    throw error;
  }
}

function beingRemoved(): SteersmanError {
  return new SteersmanError(
    'The conversation is being removed already.',
    'Try again in a minute.',
    'conflict',
  );
}

function isOf(code: string, error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
