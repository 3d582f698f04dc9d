/**
 * Named places where a test makes this process die, fail or hang. They are off, at no cost, unless STEERSMAN_FAILPOINTS
 * lists some: `name=action[@n]`, separated by commas. A failpoint fires at its first passage, with `@n` at the nth,
 * with `@n-m` at several. Passages are counted over all processes that share the folder STEERSMAN_FAILPOINTS_DIR. Each
 * firing creates a file there, by which a test knows that its fault happened.
 */
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from './env.js';
import { SteersmanError } from './errors.js';

/** The failpoints, each with its possible actions. */
const FAILPOINTS = {
  /** The worker is connected, but does not poll yet. */
  'worker.before-run': ['kill'],
  /** A run's configuration is loaded, but Temporal does not know it yet. */
  'run.loaded': ['kill', 'hang'],
  /** The next call's data is placed in the worker's memory. `fail` loses it, as if the call ran on another worker. */
  'request.offer': ['fail'],
  /** A model call is about to ask for its messages, or a tool call for its large arguments. */
  'state.read': ['kill', 'fail'],
  'model.before-send': ['kill'],
  /** Part of the reply has arrived. */
  'model.mid-stream': ['kill'],
  /** The reply is complete, but Temporal does not know it yet. */
  'model.after-reply': ['kill'],
  /** The activity ends. `hang` loses its answer, as a network can. */
  'model.completion': ['hang'],
  /** `fail`: the request is not sent. */
  'tool.before-send': ['kill', 'fail'],
  /** The tool has answered, but Temporal does not know it yet. `fail`: the answer was lost on its way. */
  'tool.after-effect': ['kill', 'fail'],
  'tool.completion': ['kill', 'hang'],
  /** Part of the conversation is about to be stored. */
  'keep.before-write': ['kill', 'fail'],
  /** It is stored, but Temporal does not know it yet. */
  'keep.after-write': ['kill'],
  /** A conversation's history has been read, but the run that continues it does not know it yet. */
  'session.opened': ['kill', 'fail'],
  /** A run's account is about to be charged. */
  'hook.before-charge': ['kill'],
  /** The account is charged, but Temporal does not know it yet. */
  'hook.after-charge': ['kill'],
  'hook.before-refund': ['kill'],
  'hook.after-refund': ['kill'],
  /** Hooks are about to be called. */
  'hook.before-call': ['kill'],
  /** They have answered, but Temporal does not know it yet. */
  'hook.after-call': ['kill'],
  /** A branch's file exists, but is still empty. */
  'branch.begun': ['kill'],
  /** A conversation's lines are removed, but the texts that they refer to still exist. */
  'delete.lines-gone': ['kill'],
} as const satisfies Record<string, readonly Action[]>;

type Action = 'kill' | 'fail' | 'hang';
export type Failpoint = keyof typeof FAILPOINTS;

interface Fault {
  action: Action;
  /** The passages at which it fires, counted from 1. */
  from: number;
  to: number;
}

interface Plan {
  dir: string;
  faults: ReadonlyMap<string, Fault>;
}

let plan: Plan | undefined;

/** Passes a failpoint: `kill` ends the process like SIGKILL, `fail` throws `error()`, `hang` returns an endless promise. */
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

/** Reads the plan, so that a mistake in it ends a worker at its start. Returns the names of active failpoints. */
export function checkFailpoints(): string[] {
  return [...currentPlan().faults.keys()];
}

function currentPlan(): Plan {
  plan ??= readPlan(env.failpoints(), env.failpointsDir());
  return plan;
}

/**
 * Reads STEERSMAN_FAILPOINTS; there are no faults if it is not set.
 * @throws SteersmanError for a plan without a folder, and for an unknown failpoint or action.
 */
export function readPlan(text: string | undefined, dir: string | undefined): Plan {
  if (text === undefined) return { dir: '', faults: new Map() };
  if (dir === undefined || !existsSync(dir)) {
    throw new SteersmanError(
      'STEERSMAN_FAILPOINTS is set without STEERSMAN_FAILPOINTS_DIR, which must name a folder. It makes workers die on purpose and is for tests only.',
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
      `STEERSMAN_FAILPOINTS: "${text.trim()}" is not a failpoint with an action.`,
      `Write name=action[@n], with one of: ${list.join('; ')}.`,
    );
  }
  return [name, { action: known, from: Number(from), to: Number(to) }];
}

/** Returns the number of this passage over all processes; null beyond `last`. Creating a file exclusively takes a number. */
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
