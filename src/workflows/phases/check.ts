/** The goal's checks: they run one after the other before the goal counts as met, and their results decide what follows. */

import type { CheckEnd } from '../../activities/types.js';
import { preview } from '../../base/text/preview.js';
import { contentText, isCut } from '../../conversation/tool-result.js';
import { checksInstruction } from '../../rules/prompts/answer-instructions.js';
import {
  CHECK_TIMEOUT_MS,
  type Check,
  checkLine,
  checksOf,
  decideChecks,
  failedChecks,
  foundNothing,
  withResult,
} from '../../run/checks/check.js';
import { callTimeMs, plansLeft } from '../../run/limits/limits.js';
import { isOpen } from '../../run/plan/plan.js';
import { stepsOf } from '../../run/position/modes.js';
import {
  type Answering,
  answeringAt,
  type CheckedWork,
  type Checking,
  executionAt,
} from '../../run/position/position.js';
import { goalTimeMs } from '../../run/state/goal.js';
import { isHeld, wayOf } from '../../run/state/run-state.js';
import { addStep, shown } from '../../run/state/trace.js';
import { hash64 } from '../../run/tools/ledger.js';
import { decidePermission } from '../../run/tools/permission.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { lookAtChecked } from '../run/evidence.js';
import { beginInterpreting, hasMessage, mustInterpret, roleHere } from '../run/hearing.js';
import { instruct } from '../run/instruct.js';
import { goOnChecked, noteLimit, planAnew } from '../run/notes.js';
import type { Called } from '../run/ports.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { safePoint } from '../turn/safe-point.js';
import { applySteering } from '../turn/take-steering.js';
import { toolRequest } from '../turn/tools/tool-request.js';
import { answerFor, type StepEnd, whatThereIs, wrapUpAs } from './conclude.js';

/** Runs the remaining checks, each between two safe points. An interrupted check runs again. */
export async function check(run: Run, position: Checking): Promise<StepEnd> {
  const { state } = run;
  const role = roleHere(run) ?? '';
  for (;;) {
    const wait = safePoint(run, () => mustInterpret(run, role));
    if (wait) await wait;
    if (state.people.stop) return endWith(run, position, 'stopped');
    if (position.of.kind !== 'answer' && state.tasks.some(isOpen))
      return run.enter(executionAt(position.cycle));
    if (listens(run, position, role)) return MOVED;
    const checks = checksOf(state);
    const next = checks[state.goal.checks.results.length];
    if (next === undefined) {
      await lookAtChecked(run);
      return decideAfterChecks(run, position);
    }
    await make(run, position, next);
  }
}

/** Handles a person's message before the next check. True if the run has left this position for it. */
function listens(run: Run, { of }: Checking, role: string): boolean {
  if (of.kind === 'answer') {
    if (!hasMessage(run, role)) return false;
    // The role that answered reads the message and answers again, so the results are void.
    run.state.goal.checks.results = [];
    run.enter(answersAgain(of));
    return true;
  }
  if (!isHeld(run.state)) return applySteering(run, role);
  beginInterpreting(run, role);
  return true;
}

function answersAgain(of: Extract<CheckedWork, { kind: 'answer' }>): Answering {
  const position = answeringAt(of.step, of);
  position.turns.instructed = true;
  return position;
}

async function make(run: Run, position: Checking, next: Check): Promise<void> {
  const { checks } = run.state.goal;
  const id = `c${checks.results.length + 1}`;
  const line = checkLine(next);
  run.journal('check_started', { id, check: line });
  const startedAt = run.ports.now();
  const called = await makeCheck(run, position, next);
  run.ports.throwIfCancelled();
  const durationMs = run.ports.now() - startedAt;
  const end = endOf(called);
  const { status, why, output = '' } = end ?? { status: 'interrupted', why: 'it was cut off' };
  run.journal('check_ended', { id, check: line, status, why, output, durationMs });
  if (status === 'interrupted') return;
  const told = { id, check: line, status, why: preview(why, WHY_CHARS), ...(output && { output }) };
  addStep(run.state.log.trace, {
    at: run.ports.now(),
    role: roleHere(run) ?? '',
    taskId: null,
    messageId: '',
    thought: '',
    action: { type: 'check', check: line },
    expectedOutcome: null,
    risk: null,
    confidence: null,
    observation: shown(`${status}: ${why}`),
    ending: null,
    resultId: null,
    decidedBy: null,
    elapsedMs: durationMs,
    tokens: null,
    error: status === 'passed' ? null : shown(why),
  });
  checks.results = withResult(checks.results, { ...told, ms: durationMs });
}

const WHY_CHARS = 300;

/** Returns the result of a check; null if it was interrupted. */
function endOf(called: Called<CheckEnd>): CheckEnd | null {
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

function makeCheck(run: Run, position: Checking, check: Check): Promise<Called<CheckEnd>> {
  return 'tool' in check ? callTool(run, check) : askWorker(run, position, { check });
}

/** Lets the worker run commands, files and functions, and test if what a tool `said` matches. */
function askWorker(
  run: Run,
  { of }: Pick<Checking, 'of'>,
  { check, said }: { check: Check; said?: string },
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
      about: { goal: goal.text, answer: answerSoFar(run, of), context: settings.context ?? {} },
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

function answerSoFar(run: Run, of: Checking['of']): string {
  return of.kind === 'answer' ? of.text : whatThereIs(run);
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
  const said = contentText(content);
  if (ending === 'cancelled') return { ok: false, failure: { kind: 'cancelled', type: '', message: '' } };
  if (ending !== 'executed') return ended('not_run', `the call ended as ${ending}: ${note}`, said);
  if (isError) return ended('failed', 'the tool said that it failed', said);
  if (check.matches === undefined)
    return foundNothing(said) ? ended('failed', FOUND_NOTHING, said) : ended('passed', 'the tool answered');
  if (content.some(isCut)) return ended('not_run', 'its result is too long to be looked through', said);
  return askWorker(run, { of: { kind: 'plan' } }, { check, said });
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
  const called = { input: given, workspace: state.settings.workspace };
  const asks = { alwaysThisRun: state.people.allowedTools, autoApprove: state.settings.autoApprove };
  const permission = decidePermission(tool, called, pinned.permissions, asks);
  return permission === 'run' ? null : `the configuration does not let the tool ${name} run unasked`;
}

/** Decides when all checks have run: the goal goes on, its work is sent back, or it ends. */
function decideAfterChecks(run: Run, position: Checking): StepEnd {
  const { goal } = run.state;
  const { checks } = goal;
  const { results, failed } = checks;
  const { of } = position;
  const answer = hash64(answerSoFar(run, of));
  const acted = failed === null || checks.effects > failed.effects;
  // A function may judge the answer alone, so a new answer counts as a change.
  const judged = checksOf(run.state).filter((_, index) => results[index]?.status === 'failed');
  const changed = acted || (answer !== failed?.answer && judged.some(each => 'function' in each));
  const left = plansLeft(goal.counters, run.limits) - 1;
  const decided = decideChecks(results, { left, changed });
  if (decided === 'again' || decided === 'failed') {
    goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
    checks.failed = { effects: checks.effects, answer };
  }
  switch (decided) {
    case 'again':
      return goBack(run, position);
    case 'failed':
      if (left <= 0) noteLimit(run, 'verification', null);
      return endWith(run, position, 'checks_failed');
    case 'not_run':
    case 'passed':
      return of.kind === 'answer' ? endWith(run, position, 'direct_answer') : goOnChecked(run, of);
  }
}

/** Sends failed checks to the role that can fix them: the planner, or the role that answered. */
function goBack(run: Run, { of }: Checking): Moved {
  const wanted = failedChecks(run.state.goal.checks.results);
  if (of.kind !== 'answer') return planAnew(run, { from: 'check', wanted });
  const name = stepsOf(wayOf(run.state))?.[of.step] ?? '';
  instruct(run, run.role(name), checksInstruction(run.state, wanted));
  return run.enter(answersAgain(of));
}

/** Ends with the answer that was checked; for work with a plan, writes one that states how it ended. */
function endWith(run: Run, { of }: Checking, cause: 'stopped' | 'checks_failed' | 'direct_answer'): StepEnd {
  if (of.kind === 'answer') {
    const name = stepsOf(wayOf(run.state))?.[of.step] ?? '';
    const ended = cause === 'direct_answer' && of.unconfirmed ? 'not_confirmed' : cause;
    return answerFor(run, ended, of.text, run.role(name));
  }
  return cause === 'checks_failed' ? wrapUpAs(run, cause, run.words.whyChecks) : answerFor(run, cause);
}
