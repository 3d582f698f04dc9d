/** Evidence of a goal: the files as they were before a write, and as they are when the work is judged. */

import { readByCheck } from '../../rules/checks/read-files.js';
import { filesOf, isWorthALook, lookedUp } from '../../rules/evidence/looked.js';
import {
  agentNote,
  callNote,
  isNoted,
  withCall,
  withSnapshots,
  withWriter,
} from '../../rules/evidence/record.js';
import { offeredTools } from '../../run/agents/run-config.js';
import { type Check, type CheckResult, checksOf, withResult } from '../../run/checks/check.js';
import { type EvidenceItem, NOT_SEEN } from '../../run/evidence/evidence.js';
import type { ToolResultBlock } from '../../run/messages/message.js';
import { planInForce } from '../../run/plan/plan.js';
import { isVerified } from '../../run/position/modes.js';
import type { Verification } from '../../run/position/position.js';
import { taskAt } from '../../run/state/cursor.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { namedPaths } from '../../run/tools/tool-paths.js';
import { ownRunner } from '../beside/moments.js';
import type { Run } from './run.js';

/** Lists the workspace once, when the work of a judged goal begins. */
export async function listStart(run: Run): Promise<void> {
  const { state, pinned, ports } = run;
  const { goal, settings } = state;
  const isJudged = isVerified(goal.mode) || checksOf(state).length > 0;
  if (pinned.listsStart !== true || goal.start !== undefined || !isJudged) return;
  const seen = await ports.look({ at: 'start', workspace: settings.workspace });
  ports.throwIfCancelled();
  goal.start = { ref: seen.ok ? seen.value.ref : null };
}

/**
 * Looks at the files that a call may write before it is made, unless this goal has looked at them already. The result is in
 * history before the call. Returns null if there is nothing to look at.
 */
export function lookBefore(
  run: Run,
  tool: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
): Promise<void> | null {
  const { state } = run;
  if (!isVerified(state.goal.mode) || tool.policy.readOnly || !isOfWorker(tool)) return null;
  const { workspace } = state.settings;
  const named = namedPaths(input, workspace);
  const known = new Set(state.evidence.files.map(file => file.named));
  const paths = named.filter(path => !known.has(path));
  const taskId = taskAt(run.cursor);
  state.evidence = withWriter(state.evidence, named, taskId);
  if (paths.length === 0) return null;
  return run.ports.look({ at: 'before', workspace, paths }).then(seen => {
    run.ports.throwIfCancelled();
    const taskIds = taskId === null ? [] : [taskId];
    // Do not look at them later: that would be after this write.
    const unseen = { hash: NOT_SEEN, bytes: 0, ref: null, taskIds };
    const files = seen.ok
      ? seen.value.map(file => ({ ...file, taskIds }))
      : paths.map(path => ({ ...unseen, named: path, path }));
    state.evidence = withSnapshots(state.evidence, files);
  });
}

/** True if workers see the tool's files. */
function isOfWorker({ origin }: ToolDefinition): boolean {
  return origin.type === 'mcp' || origin.type === 'activity';
}

export function noteCall(
  run: Run,
  {
    result,
    tool: called,
    line,
    input,
    at = run.state.evidence.changes ?? 0,
  }: {
    result: ToolResultBlock;
    tool: ToolDefinition;
    line: string;
    input: Readonly<Record<string, unknown>>;
    /** Number of changes that were made when the call began. */
    at?: number | undefined;
  },
): void {
  const { state } = run;
  if (!isVerified(state.goal.mode)) return;
  // A `writes` tool changes nothing outside the run, but a task may be about it.
  const isWrite = called.origin.type === 'workflow' && ownRunner(run, called.name)?.writes === true;
  // An agent notes its own calls; the other tools of the run change nothing.
  if (called.origin.type === 'workflow' && !isWrite) return;
  const tool = isWrite ? { ...called, policy: { ...called.policy, readOnly: false } } : called;
  if (!isNoted(tool, result)) return;
  const named = namedPaths(input, state.settings.workspace);
  const note = callNote(result, { tool, line, input, named, at, taskId: taskAt(run.cursor) });
  state.evidence = withCall(state.evidence, note);
}

/** Counts the effects of a sub-agent as this run's, in the agent's words: files of its calls are not looked at. */
export function noteAgentEffects({ state, cursor }: Run, effects: readonly string[]): void {
  if (!isVerified(state.goal.mode)) return;
  const tools = state.pinned?.tools ?? [];
  for (const line of effects) {
    const note = agentNote(line, { tools, taskId: taskAt(cursor), at: state.evidence.changes ?? 0 });
    state.evidence = withCall(state.evidence, note);
  }
}

/** Adds to the check results which changed files they read, and the current state of the files that they checked. */
export async function lookAtChecked(run: Run): Promise<void> {
  const { state, ports } = run;
  const { goal, settings } = state;
  const checks = checksOf(state);
  if (!goal.start || goal.checks.results.length === 0) return;
  const files = checks.flatMap(check =>
    'file' in check ? [{ path: check.file, hash: null, ref: null }] : [],
  );
  const { workspace } = settings;
  const seen = await ports.look({ at: 'now', workspace, files, since: null, start: goal.start.ref });
  ports.throwIfCancelled();
  if (!seen.ok) return;
  const { changed = [], added = [], gone = [] } = seen.value.changes ?? {};
  const here = new Map(files.map(({ path }, index) => [path, seen.value.files[index]]));
  goal.checks.results = goal.checks.results.reduce<CheckResult[]>((results, result, index) => {
    const check = checks[index];
    const read = check ? readByCheck(check, [...changed, ...added, ...gone]) : [];
    const now = check && 'file' in check ? here.get(check.file) : undefined;
    const file = now && { path: now.path, hash: now.hash, bytes: now.bytes };
    return withResult(results, {
      ...result,
      ...(read.length > 0 && { changed: read }),
      ...(file && { file }),
    });
  }, []);
}

/** True if it is known that the goal has changed no file that the check reads. */
export async function readsNothingChanged(run: Run, check: Check): Promise<boolean> {
  const { state, ports } = run;
  const start = state.goal.start?.ref;
  if (!start) return false;
  const { workspace } = state.settings;
  const seen = await ports.look({ at: 'now', workspace, files: [], since: null, start });
  ports.throwIfCancelled();
  const changes = seen.ok ? seen.value.changes : null;
  if (!changes || changes.more > 0 || (changes.unseen !== null && changes.unseen !== 'ignored')) return false;
  return readByCheck(check, [...changes.changed, ...changes.added, ...changes.gone]).length === 0;
}

/** Looks up the current files before a verdict is requested. Returns null if there is nothing to look up. */
export function lookForVerdict(run: Run, position: Verification): Promise<void> | null {
  if (position.looked !== null) return null;
  // Others may have changed files since they were read: a verifier that looks must read them anew (WK3).
  if (run.limits.looks > 0) run.doubtReads();
  const { state, pinned, words } = run;
  const { evidence, goal, settings } = state;
  const tell = (now: Parameters<typeof lookedUp>[0]['now']) => {
    const tools = offeredTools(pinned, ...Object.values(pinned.roles));
    const told = lookedUp({
      ...{ evidence, checks: goal.checks.results, now, tools, words },
      plan: planInForce(state.tasks),
    });
    position.looked = told ?? { text: '', items: [] };
  };
  if (!isWorthALook(evidence)) {
    tell(null);
    return null;
  }
  const files = filesOf(evidence).map(({ path, hash, ref }) => ({ path, hash, ref }));
  const { workspace } = settings;
  const start = goal.start && { start: goal.start.ref };
  return run.ports.look({ at: 'now', workspace, files, since: goal.startedAt, ...start }).then(seen => {
    run.ports.throwIfCancelled();
    tell(seen.ok ? seen.value : null);
  });
}

/** Returns the files of these items that have changed since they were looked at; null if that cannot be determined. */
export async function changedSince(
  run: Run,
  items: readonly Pick<EvidenceItem, 'file'>[],
): Promise<string[] | null> {
  const files = items.flatMap(({ file }) => file ?? []);
  if (files.length === 0) return [];
  const { workspace } = run.state.settings;
  const wanted = files.map(({ path, hash }) => ({ path, hash, ref: null }));
  const seen = await run.ports.look({ at: 'now', workspace, files: wanted, since: null });
  run.ports.throwIfCancelled();
  if (!seen.ok) return null;
  const now = new Map(seen.value.files.map(({ path, hash }) => [path, hash]));
  return files.filter(({ path, hash }) => now.get(path) !== hash).map(({ path }) => path);
}
