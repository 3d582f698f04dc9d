/** Tasks are folders: what is asked, the files that it is about, and a checker of how it ended. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import type { Checker, Files } from './check.js';

export const TASKS_FOLDER = fileURLToPath(new URL('tasks', import.meta.url));

export interface Task {
  name: string;
  goal: string;
  /** What a person says after the first tool call; null for nothing. */
  steer: string | null;
  /** Of the workspace as it is given. */
  files: Files;
  check: Checker;
  /** Goal checks that a person might give with it; empty for none. */
  checks: readonly FileCheck[];
}

/** The kind that tasks have: nothing here runs commands. */
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
