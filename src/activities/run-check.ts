/** The activity that makes a check of a goal: by a command, a file, or a function of the worker's program. */

import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { isRecord, ownValue } from '../base/json/json.js';
import { errorText } from '../base/text/error-text.js';
import { cutText } from '../base/text/fit.js';
import { preview } from '../base/text/preview.js';
import { errorCode, readHead } from '../config/files/files.js';
import { DANGLING, MissingWorkspaceError, OUTSIDE, placeIn } from '../config/files/workspace.js';
import type { Check } from '../run/checks/check.js';
import { type CommandEnd, runCommand } from '../shared/run-command.js';
import { faultsOf, matchesText } from '../shared/schema/validate-arguments.js';
import { unlessOver, within, withinTime } from '../shared/waits.js';
import { runIdOf } from './store-text.js';
import type { CheckEnd, RunCheckInput, SteersmanActivities } from './types.js';

/** The subject that a function of the program judges. */
export interface CheckedGoal {
  /** The run's folder, its real path on this host. */
  workspace: string;
  goal: string;
  /** The answer; with a plan, the reports of its tasks, because the answer is written later. */
  answer: string;
  /** Workflow id of the run. */
  runId: string;
  /** The `context` that the run was started with. */
  values: Readonly<Record<string, string>>;
  /** Aborted when the result is no longer awaited. */
  signal: AbortSignal;
}

export interface CheckVerdict {
  ok: boolean;
  /** A sentence: what the agents must mend. */
  why?: string;
}

/** A check that is a function: a start names it as `{ function: name }`. If it throws, the check could not be made. */
export type CheckFunction = (goal: CheckedGoal) => CheckVerdict | Promise<CheckVerdict>;

/** Makes a check from a function, for the option `checks` of a worker. */
export function check(judge: CheckFunction): CheckFunction {
  return judge;
}

export interface RunCheckDeps {
  /** @returns its real path. @throws SteersmanError if it does not exist, or is not allowed. */
  openWorkspace(path: string): Promise<string>;
  /** Returns why a command may not run here; null if it may. */
  commandFault(command: string, workspace: string): Promise<string | null>;
  functions: Readonly<Record<string, CheckFunction>>;
  /** Removes secrets before a text is cut, because half a secret is not recognised. */
  redact(text: string): string;
  /** Removes secrets from a piece that is already cut. */
  redactPiece(piece: string): string;
}

const HEARTBEAT_MS = 1_000;
/** The limits for a check's output: enough to mend the fault. */
const OUTPUT_BYTES = 4_000;
const TEXT_CHARS = 1_000;
/** The limit of a reason in results of checks. */
const WHY_CHARS = 300;
const MOST_FILE_BYTES = 8_000_000;

/** Makes `steersmanRunCheck`. A check that can't be made is a result too; only cancellation is thrown. */
export function createRunCheck(deps: RunCheckDeps): SteersmanActivities['steersmanRunCheck'] {
  return async function steersmanRunCheck(input) {
    const timer = setInterval(() => heartbeat(), HEARTBEAT_MS);
    try {
      const { status, why, output = '' } = await checkedBy(deps, input);
      const endWith = status === 'passed' ? '' : deps.redact(output);
      return { status, why: preview(deps.redact(why), WHY_CHARS), ...(endWith && { output: endWith }) };
    } finally {
      clearInterval(timer);
    }
  };
}

async function checkedBy(deps: RunCheckDeps, input: RunCheckInput): Promise<CheckEnd> {
  const { check } = input;
  let workspace: string;
  try {
    workspace = await deps.openWorkspace(input.workspace);
  } catch (error) {
    return notRun(errorText(error));
  }
  if ('run' in check) return runs(deps, input, { command: check.run, workspace });
  if ('file' in check) return fileFits(deps, check, workspace);
  if ('function' in check) return functionSays(deps, input, { name: check.function, workspace });
  return said(deps, check, input.said ?? '');
}

function notRun(why: string): CheckEnd {
  return { status: 'not_run', why };
}

function failed(why: string, output = ''): CheckEnd {
  return { status: 'failed', why, output };
}

async function runs(
  deps: RunCheckDeps,
  { workspace: given, timeoutMs }: RunCheckInput,
  { command, workspace }: { command: string; workspace: string },
): Promise<CheckEnd> {
  const fault = await deps.commandFault(command, workspace);
  if (fault !== null) return notRun(fault);
  const signal = cancellationSignal();
  const clean = deps.redactPiece;
  const end = await runCommand({
    ...{ command, cwd: workspace, timeoutMs, maxBytes: OUTPUT_BYTES, signal, clean },
  });
  if (end.ended === 'cancelled') throw signal.reason;
  const gone = await deps.openWorkspace(given).then(
    () => null,
    error => (error instanceof MissingWorkspaceError ? error.message : null),
  );
  if (gone !== null) return failed(`${endText(end, timeoutMs)}, and left no folder. ${gone}`, end.output);
  if (end.ended === 'not_started') return notRun(end.why ?? 'it could not be started');
  if (end.ended === 'exited' && end.exitCode === 0) return { status: 'passed', why: 'exit code 0' };
  return failed(endText(end, timeoutMs), end.output);
}

function endText({ ended, exitCode, signal }: CommandEnd, timeoutMs: number): string {
  if (ended === 'timed_out') return `it did not end within ${timeoutMs} ms`;
  return exitCode === null ? `it was ended by ${signal ?? 'a signal'}` : `exit code ${exitCode}`;
}

const NO_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', DANGLING]);

/** Links are followed only within the workspace. */
async function fileFits(
  deps: RunCheckDeps,
  { file, matches, json }: Extract<Check, { file: string }>,
  workspace: string,
): Promise<CheckEnd> {
  let text: string;
  try {
    const { real } = await placeIn(workspace, file);
    const { head, size } = await readHead(real, MOST_FILE_BYTES);
    if (size > MOST_FILE_BYTES && (matches !== undefined || json !== undefined))
      return notRun(`it has ${size} bytes, and at most ${MOST_FILE_BYTES} are read`);
    text = head.toString('utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === OUTSIDE) return notRun('it leads out of the workspace');
    if (NO_FILE.has(code)) return failed('there is no such file');
    return code === 'not a file' ? failed('it is not a file') : notRun(`it cannot be read (${code})`);
  }
  const ends = [
    ...(matches === undefined ? [] : [said(deps, { matches }, text)]),
    ...(json === undefined ? [] : [jsonFits(json, text)]),
  ];
  const fault = ends.find(({ status }) => status !== 'passed');
  return fault ?? { status: 'passed', why: ends.map(({ why }) => why).join(', ') || 'it is there' };
}

function said(
  { redact }: RunCheckDeps,
  { matches = '' }: { matches?: string | undefined },
  text: string,
): CheckEnd {
  const found = matchesText(matches, text);
  if (found === null) return notRun(`/${matches}/ takes too long to be looked for`);
  return found
    ? { status: 'passed', why: 'it matches' }
    : failed(`/${matches}/ does not match`, preview(redact(text), TEXT_CHARS));
}

function jsonFits(schema: Record<string, unknown>, text: string): CheckEnd {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return failed(`it is not JSON: ${errorText(error)}`);
  }
  const faults = faultsOf(schema, value);
  if (faults === null) return notRun('its JSON Schema cannot be followed');
  return faults.length === 0
    ? { status: 'passed', why: 'it fits its schema' }
    : failed(
        'it does not fit its schema',
        faults.map(fault => fault.replace(/^the arguments: /, '')).join('\n'),
      );
}

async function functionSays(
  { functions, redact }: RunCheckDeps,
  { about, timeoutMs }: RunCheckInput,
  { name, workspace }: { name: string; workspace: string },
): Promise<CheckEnd> {
  const judge = ownValue(functions, name);
  if (!judge) {
    const known = Object.keys(functions).join(', ') || 'none';
    return notRun(`the worker's program has no check of this name; it has ${known}`);
  }
  const stopped = cancellationSignal();
  const signal = withinTime(timeoutMs, stopped);
  const runId = runIdOf();
  const { goal = '', answer = '', context: values = {} } = about ?? {};
  const judged = Promise.resolve().then(() => judge({ workspace, goal, answer, runId, values, signal }));
  const late = { ok: false, why: `it did not end within ${timeoutMs} ms` };
  try {
    const verdict: unknown = await unlessOver(stopped, within(timeoutMs, judged, late));
    if (!isRecord(verdict) || typeof verdict.ok !== 'boolean') return notRun('it did not say { ok, why }');
    const why = typeof verdict.why === 'string' ? verdict.why : '';
    return verdict.ok
      ? { status: 'passed', why: why || 'ok' }
      : failed(why || 'not ok', cutText(redact(why), OUTPUT_BYTES));
  } catch (error) {
    if (stopped.aborted) throw error;
    return notRun(`it failed: ${errorText(error)}`);
  }
}
