/** Tasks as folders: each has a goal, its files, and a checker of how the work ended. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import type { Checker, Files } from './check.js';

export const TASKS_FOLDER = fileURLToPath(new URL('tasks', import.meta.url));

export interface Task {
  name: string;
  goal: string;
  /** A person's message after the first tool call; null for no message. */
  steer: string | null;
  /** The files of the workspace at the start. */
  files: Files;
  check: Checker;
  /** Checks that a person might give with the goal; empty for no checks. */
  checks: readonly FileCheck[];
}

/** The only kind of check in tasks, because no task runs commands. */
export interface FileCheck {
  file: string;
  matches?: string;
  json?: Record<string, unknown>;
}

export const TASK_NAMES: readonly string[] = readdirSync(TASKS_FOLDER).sort();

export async function loadTask(name: string): Promise<Task> {
  const path = join(TASKS_FOLDER, name, `check${extname(import.meta.url)}`);
  const { check } = (await import(pathToFileURL(path).href)) as { check: Checker };
  const goal = textIn(name, 'goal.md');
  if (goal === null) throw new Error(`the task ${name} has no goal.md`);
  return {
    name,
    goal,
    steer: textIn(name, 'steer.md'),
    files: filesOf(join(TASKS_FOLDER, name, 'files')),
    check,
    checks: parse(textIn(name, 'checks.yaml') ?? '[]') as FileCheck[],
  };
}

/** Texts of all files below a folder. */
export function filesOf(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  );
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map(path => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

function textIn(name: string, file: string): string | null {
  const path = join(TASKS_FOLDER, name, file);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}
