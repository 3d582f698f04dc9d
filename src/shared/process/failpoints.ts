/**
 * Named places where a test lets this process die, fail or fall silent.
 * Off, at no cost, unless STEERSMAN_FAILPOINTS says otherwise: `name=action[@n]`, several with commas.
 * A failpoint fires at its first passage, at the nth with `@n`, at several with `@n-m`, counted over all
 * processes that share the folder STEERSMAN_FAILPOINTS_DIR; each firing leaves a file there, by which a
 * test knows that its fault happened.
 */
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from './env.js';
import { SteersmanError } from './errors.js';

/** Where, and what may be done there. */
const FAILPOINTS = {
  /** Connected, and polling has not begun. */
  'worker.before-run': ['kill'],
  /** A run's configuration is loaded, and Temporal does not know it yet. */
  'run.loaded': ['kill', 'hang'],
  /** What the next call sends is left in the worker's memory: `fail` loses it, as a call on another worker does. */
  'request.offer': ['fail'],
  /** A model call is about to ask for what to send, or a tool call for its large arguments. */
  'state.read': ['kill', 'fail'],
  'model.before-send': ['kill'],
  /** Part of the reply has come. */
  'model.mid-stream': ['kill'],
  /** The reply is whole, and Temporal does not know it yet. */
  'model.after-reply': ['kill'],
  /** The activity's end: `hang` loses its answer, as a network can. */
  'model.completion': ['hang'],
  /** `fail`: the request does not leave. */
  'tool.before-send': ['kill', 'fail'],
  /** The tool has answered, and Temporal does not know it yet. `fail`: the answer was lost on its way. */
  'tool.after-effect': ['kill', 'fail'],
  'tool.completion': ['kill', 'hang'],
  /** A part of the conversation is about to be kept; it is kept, and Temporal does not know it yet. */
  'keep.before-write': ['kill', 'fail'],
  'keep.after-write': ['kill'],
  /** What a conversation has said before is read, and the run that begins with it does not know it yet. */
  'session.opened': ['kill', 'fail'],
  /** The account of a run is about to be charged; it is charged, and Temporal does not know it yet. */
  'hook.before-charge': ['kill'],
  'hook.after-charge': ['kill'],
  'hook.before-refund': ['kill'],
  'hook.after-refund': ['kill'],
  /** Hooks are about to be called; they have answered, and Temporal does not know it yet. */
  'hook.before-call': ['kill'],
  'hook.after-call': ['kill'],
  /** The file of a branch is there, and nothing is in it yet. */
  'branch.begun': ['kill'],
  /** The lines of a conversation are removed, and the texts that they refer to are still there. */
  'delete.lines-gone': ['kill'],
} as const satisfies Record<string, readonly Action[]>;

type Action = 'kill' | 'fail' | 'hang';
export type Failpoint = keyof typeof FAILPOINTS;

interface Fault {
  action: Action;
  /** Passages at which it fires, counted from 1. */
  from: number;
  to: number;
}

interface Plan {
  dir: string;
  faults: ReadonlyMap<string, Fault>;
}

let plan: Plan | undefined;

/**
 * Passes the failpoint `name`. `kill` ends the process as SIGKILL does, `fail` throws `error()`, `hang`
 * returns a promise that never settles.
 */
export function failpoint(name: Failpoint, error?: () => Error): Promise<never> | undefined {
  const { dir, faults } = currentPlan();
  const fault = faults.get(name);
  if (!fault) return undefined;
  const passage = countPassage(dir, name, fault.to);
  if (passage === null || passage < fault.from) return undefined;
  writeFileSync(join(dir, `${name}.fired.${passage}`), JSON.stringify({ at: Date.now(), pid: process.pid }));
  switch (fault.action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    case 'hang':
      return new Promise(() => {});
    case 'fail':
      throw error?.() ?? new Error(`failpoint ${name}`);
  }
}

/** Reads the plan, so that a mistake in it ends a worker at its start. Returns the names that are on. */
export function checkFailpoints(): string[] {
  return [...currentPlan().faults.keys()];
}

function currentPlan(): Plan {
  plan ??= readPlan(env.failpoints(), env.failpointsDir());
  return plan;
}

/**
 * Reads STEERSMAN_FAILPOINTS; no faults when it is not set.
 * @throws SteersmanError for a plan without a folder, and for one that names what is not there.
 */
export function readPlan(text: string | undefined, dir: string | undefined): Plan {
  if (text === undefined) return { dir: '', faults: new Map() };
  if (dir === undefined || !existsSync(dir)) {
    throw new SteersmanError(
      'STEERSMAN_FAILPOINTS is set: it makes workers die on purpose and is for tests only, which also set STEERSMAN_FAILPOINTS_DIR to a folder.',
      'Unset STEERSMAN_FAILPOINTS.',
    );
  }
  return { dir, faults: new Map(text.split(',').map(readFault)) };
}

function readFault(text: string): [string, Fault] {
  const [, name = '', action, from = '1', to = from] =
    /^\s*([a-z.-]+)=(kill|fail|hang)(?:@(\d+)(?:-(\d+))?)?\s*$/.exec(text) ?? [];
  const actions = Object.entries(FAILPOINTS).find(([known]) => known === name)?.[1];
  const known = actions?.find(candidate => candidate === action);
  if (!known) {
    const list = Object.entries(FAILPOINTS).map(([at, can]) => `${at} (${can.join(', ')})`);
    throw new SteersmanError(
      `STEERSMAN_FAILPOINTS: "${text.trim()}" is no failpoint with its action.`,
      `Write name=action[@n], with one of: ${list.join('; ')}.`,
    );
  }
  return [name, { action: known, from: Number(from), to: Number(to) }];
}

/** The number of this passage over all processes, or null beyond `last`. A file made exclusively is a number taken. */
function countPassage(dir: string, name: string, last: number): number | null {
  for (let passage = 1; passage <= last; passage++) {
    try {
      closeSync(openSync(join(dir, `${name}.passed.${passage}`), 'wx'));
      return passage;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return null;
}
