/** Makes a check of the goal: at its end, and once before its first change (SE8). */

import type { CheckEnd } from '../../activities/types.js';
import { boundedText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { contentText, isCut } from '../../conversation/tool-result.js';
import { CHECK_TIMEOUT_MS, type Check, checkLine, checksOf } from '../../run/checks/check.js';
import { callTimeMs } from '../../run/limits/limits.js';
import { goalTimeMs } from '../../run/state/goal.js';
import { decidePermission } from '../../run/tools/permission.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { argumentFaults } from '../../workflows/inbox/check-arguments.js';
import { roleHere } from '../../workflows/run/hearing.js';
import { Held } from '../../workflows/run/memory.js';
import type { Called } from '../../workflows/run/ports.js';
import type { Run } from '../../workflows/run/run.js';
import { toolRequest } from '../../workflows/turn/tools/tool-request.js';
import { foundNothing, withBefore } from './rules.js';

/** The round of checks that is being made before the goal's first change; null: no round is being made. */
const round = new Held('checks', (): { made: Promise<void> | null } => ({ made: null }));

/**
 * Makes the goal's checks before its first change, so that checks that already failed are reported as such. Parallel
 * calls wait for the same round. Returns null if no check must be made. The result of a check that a stop or a message
 * interrupts is unknown.
 */
export function checkBefore(run: Run, tool: ToolDefinition): Promise<void> | null {
  if (!run.behaves(4) || run.pinned.listsStart !== true || !mayChange(tool)) return null;
  const held = round.of(run);
  if (held.made === null && nextBefore(run) === undefined) return null;
  held.made ??= makeBefore(run).finally(() => {
    held.made = null;
  });
  return held.made;
}

function mayChange({ policy, origin, name }: ToolDefinition): boolean {
  return !policy.readOnly && (origin.type !== 'workflow' || name === 'call_subagent');
}

function nextBefore({ state }: Run): Check | undefined {
  const { before, effects } = state.goal.checks;
  return effects > 0 ? undefined : checksOf(state)[before?.made ?? 0];
}

async function makeBefore(run: Run): Promise<void> {
  const { state, ports } = run;
  for (let next = nextBefore(run); next && !state.people.stop; next = nextBefore(run)) {
    const index = state.goal.checks.before?.made ?? 0;
    // A function judges the answer, and there is no answer yet.
    const end = 'function' in next ? UNKNOWN : await makeOne(run, next, index);
    ports.throwIfCancelled();
    noteBefore(run, index, end);
  }
}

const UNKNOWN = { status: 'not_run', why: '' } as const;

async function makeOne(run: Run, check: Check, index: number): Promise<CheckEnd> {
  const started = { id: `c${index + 1}`, check: checkLine(check), before: true } as const;
  run.journal('check_started', started);
  const startedAt = run.ports.now();
  const called = await makeCheck(run, check, '');
  const durationMs = run.ports.now() - startedAt;
  const end = endOf(called);
  const { status, why, output = '' } = end ?? { status: 'interrupted', why: 'it was cut off' };
  run.journal('check_ended', { ...started, status, why, output, durationMs });
  return end ?? UNKNOWN;
}

/** Records a check's result from before the goal's first change. */
export function noteBefore({ state }: Run, index: number, end: CheckEnd): void {
  const { checks } = state.goal;
  if (checks.effects === 0 && (checks.before?.made ?? 0) === index)
    checks.before = withBefore(checks.before, end);
}

/** Returns the result of a check; null if it was interrupted. */
export function endOf(called: Called<CheckEnd>): CheckEnd | null {
  if (called.ok) return called.value;
  const { kind, message, type } = called.failure;
  if (kind === 'cancelled') return null;
  const why = message || type || 'its worker did not say why';
  return { status: kind === 'timedOut' ? 'failed' : 'not_run', why };
}

/** Attempts if the worker is lost: checks only read, so they may run again. */
const TRIES = 5;
/** Time beyond the check's own limit, for its worker to report the result. */
const SETTLE_MS = 30_000;

export function makeCheck(run: Run, check: Check, answer: string): Promise<Called<CheckEnd>> {
  return 'tool' in check ? callTool(run, check) : askWorker(run, { check, answer });
}

/** Lets the worker run commands, files and functions, and test if what a tool `said` matches. */
function askWorker(
  run: Run,
  { check, answer = '', said }: { check: Check; answer?: string; said?: string },
): Promise<Called<CheckEnd>> {
  const { state, limits, ports } = run;
  const { settings, goal } = state;
  const own = 'run' in check ? (check.timeoutMs ?? CHECK_TIMEOUT_MS) : CHECK_TIMEOUT_MS;
  const timeoutMs = Math.min(own, callTimeMs(limits, goalTimeMs(goal, ports.now())));
  const isFunction = 'function' in check;
  const input = {
    check,
    workspace: settings.workspace,
    timeoutMs,
    ...(said !== undefined && { said }),
    ...(isFunction && {
      about: { goal: goal.text, answer, context: settings.context ?? {} },
    }),
  };
  const options = {
    summary: `check ${checkLine(check)}`,
    timeoutMs: timeoutMs + SETTLE_MS,
    attempts: TRIES,
    interruptible: true,
  };
  return run.call({ kind: 'check', role: roleHere(run) ?? '' }, options, () =>
    ports.runCheck(input, options),
  );
}

/** Calls a read-only tool like any other call, without asking a person. */
async function callTool(run: Run, check: Extract<Check, { tool: string }>): Promise<Called<CheckEnd>> {
  const given = check.arguments ?? {};
  const tool = run.pinned.tools.find(({ name }) => name === check.tool);
  const fault = toolFault(run, check.tool, { tool, given });
  if (!tool || fault !== null) return ended('not_run', fault ?? '');
  const callId = run.nextId('c');
  const { input, options } = toolRequest(run, tool, { callId, toolUseId: `check-${callId}`, given });
  const called = await run.call({ kind: 'check', role: roleHere(run) ?? '' }, options, () =>
    run.ports.callTool({ ...input, arguments: given }, options),
  );
  if (!called.ok) return called;
  const { ending, isError, note = '', content } = called.value;
  const output = contentText(content);
  if (ending === 'cancelled') return { ok: false, failure: { kind: 'cancelled', type: '', message: '' } };
  if (ending !== 'executed') return ended('not_run', `the call ended as ${ending}: ${note}`, output);
  if (isError) return ended('failed', 'the tool said that it failed', output);
  if (check.matches === undefined)
    return foundNothing(output)
      ? ended('failed', FOUND_NOTHING, output)
      : ended('passed', 'the tool answered');
  if (content.some(isCut)) return ended('not_run', 'its result is too long to be looked through', output);
  return askWorker(run, { check, said: output });
}

function ended(status: CheckEnd['status'], why: string, output = ''): Called<CheckEnd> {
  return { ok: true, value: { status, why, ...(output && { output: preview(output, MOST_SAID_CHARS) }) } };
}

const FOUND_NOTHING = 'the tool found nothing';
const MOST_SAID_CHARS = 2_000;

/** Returns why a tool cannot be called for a check; null if it can. */
function toolFault(
  { state, pinned }: Run,
  name: string,
  { tool, given }: { tool: ToolDefinition | undefined; given: Record<string, unknown> },
): string | null {
  if (!tool) return `there is no tool ${name} in this run`;
  if (!tool.policy.readOnly) return `the tool ${name} may change something: a check only reads`;
  const { type } = tool.origin;
  if (type !== 'mcp' && type !== 'activity') return `the tool ${name} is not a tool of a worker`;
  // No activity has read these arguments: the application's own tools would get them as they are.
  const faults = tool.validation === 'strict' ? argumentFaults(tool.inputSchema, given) : [];
  if (faults.length > 0)
    return boundedText(`its arguments do not fit the tool ${name}: ${faults.join('; ')}`);
  const called = { input: given, workspace: state.settings.workspace };
  const asks = { alwaysThisRun: state.people.allowedTools, autoApprove: state.settings.autoApprove };
  const permission = decidePermission(tool, called, pinned.permissions, asks);
  return permission === 'run' ? null : `the configuration does not let the tool ${name} run unasked`;
}
