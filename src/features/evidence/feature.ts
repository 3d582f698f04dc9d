/** Evidence of a goal: the files as they were before a write, and as they are when the work is judged. */

import { offeredTools } from '../../run/agents/run-config.js';
import { checksOf } from '../../run/checks/check.js';
import { type EvidenceItem, NOT_SEEN } from '../../run/evidence/evidence.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';
import { planInForce } from '../../run/plan/plan.js';
import { isVerified } from '../../run/position/modes.js';
import type { Verification } from '../../run/position/position.js';
import { taskAt } from '../../run/state/cursor.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { namedPaths, pathsOf } from '../../run/tools/tool-paths.js';
import type { EndedCall, Feature, VerdictRests } from '../../workflows/beside/feature.js';
import { ownRunner } from '../../workflows/beside/moments.js';
import { Held } from '../../workflows/run/memory.js';
import type { Run } from '../../workflows/run/run.js';
import { callLine } from '../../workflows/turn/tools/tool-request.js';
import { filesOf, isWorthALook, lookedUp } from './looked.js';
import { agentNote, callNote, isNoted, withCall, withSnapshots, withWriter } from './record.js';
import { basisOf, itemsCited, newEvidence, recorded } from './rules.js';

/** Numbers of changes that were made when calls in flight began, by their ids. */
const begun = new Held('evidence', () => new Map<string, number>());

export const evidence: Feature<Run> = {
  name: 'evidence',
  slice: recorded,
  seen: state => {
    const { files } = recorded.of(state);
    if (files.length === 0) return {};
    return {
      filesBefore: files.map(({ path, named, hash, ref }) => ({ path, named, isNew: hash === null, ref })),
    };
  },
  stepBegins: listStart,
  goalBegins: ({ state }) => recorded.set(state, newEvidence()),
  callBegins: (run, callId) => begun.of(run).set(callId, changesOf(run)),
  beforeTool: lookBefore,
  afterResult: noteCall,
  agentActed: noteAgentEffects,
  beforeVerdict: lookForVerdict,
  verdictRests: restsOn,
};

function changesOf({ state }: Run): number {
  return recorded.of(state).changes ?? 0;
}

/**
 * Looks at the files that a call may write before it is made, unless this goal has looked at them already. The result is in
 * history before the call. Returns null if there is nothing to look at.
 */
function lookBefore(
  run: Run,
  tool: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
): Promise<void> | null {
  const { state } = run;
  if (!isVerified(state.goal.mode) || tool.policy.readOnly || !isOfWorker(tool)) return null;
  const { workspace } = state.settings;
  const named = namedPaths(input, workspace);
  const known = new Set(recorded.of(state).files.map(file => file.named));
  const paths = named.filter(path => !known.has(path));
  const taskId = taskAt(run.cursor);
  recorded.set(state, withWriter(recorded.of(state), named, taskId));
  if (paths.length === 0) return null;
  return run.ports.look({ at: 'before', workspace, paths }).then(seen => {
    run.ports.throwIfCancelled();
    const taskIds = taskId === null ? [] : [taskId];
    // Do not look at them later: that would be after this write.
    const unseen = { hash: NOT_SEEN, bytes: 0, ref: null, taskIds };
    const files = seen.ok
      ? seen.value.map(file => ({ ...file, taskIds }))
      : paths.map(path => ({ ...unseen, named: path, path }));
    recorded.set(state, withSnapshots(recorded.of(state), files));
  });
}

/** True if workers see the tool's files. */
function isOfWorker({ origin }: ToolDefinition): boolean {
  return origin.type === 'mcp' || origin.type === 'activity';
}

function noteCall(run: Run, { callId, result, tool: called, input }: EndedCall): void {
  const { state } = run;
  const at = begun.of(run).get(callId) ?? changesOf(run);
  begun.of(run).delete(callId);
  if (!called || !isVerified(state.goal.mode)) return;
  // A `writes` tool changes nothing outside the run, but a task may be about it.
  const isWrite = called.origin.type === 'workflow' && ownRunner(run, called.name)?.writes === true;
  // An agent notes its own calls; the other tools of the run change nothing.
  if (called.origin.type === 'workflow' && !isWrite) return;
  const tool = isWrite ? { ...called, policy: { ...called.policy, readOnly: false } } : called;
  if (!isNoted(tool, result)) return;
  const named = namedPaths(input, state.settings.workspace);
  const line = callLine(called, input);
  const note = callNote(result, { tool, line, input, named, at, taskId: taskAt(run.cursor) });
  recorded.set(state, withCall(recorded.of(state), note));
}

/** Counts the effects of a sub-agent as this run's, in the agent's words: files of its calls are not looked at. */
function noteAgentEffects(run: Run, effects: readonly string[]): void {
  const { state, cursor } = run;
  if (!isVerified(state.goal.mode)) return;
  const tools = state.pinned?.tools ?? [];
  for (const line of effects) {
    const note = agentNote(line, { tools, taskId: taskAt(cursor), at: changesOf(run) });
    recorded.set(state, withCall(recorded.of(state), note));
  }
}

/** Looks up the current files before a verdict is requested. Returns null if there is nothing to look up. */
function lookForVerdict(run: Run, position: Verification): Promise<void> | null {
  const { state, pinned, words } = run;
  const { goal, settings } = state;
  const record = recorded.of(state);
  const tell = (now: Parameters<typeof lookedUp>[0]['now']) => {
    const tools = offeredTools(pinned, ...Object.values(pinned.roles));
    const evidence = lookedUp({
      ...{ evidence: record, checks: goal.checks.results, now, tools, words },
      plan: planInForce(state.tasks),
    });
    position.looked = evidence ?? { text: '', items: [] };
  };
  if (!isWorthALook(record)) {
    tell(null);
    return null;
  }
  const files = filesOf(record).map(({ path, hash, ref, changedAt }) => ({
    ...{ path, hash, ref },
    ...(changedAt !== undefined && { changedAt }),
  }));
  const { workspace } = settings;
  const start = goal.start && { start: goal.start.ref };
  // A shared conversation has the edits, so lines around them would only be repeated.
  const context = pinned.roles.verifier?.memory === 'shared' && { context: 0 };
  return run.ports
    .look({ at: 'now', workspace, files, since: goal.startedAt, ...start, ...context })
    .then(seen => {
      run.ports.throwIfCancelled();
      tell(seen.ok ? seen.value : null);
    });
}

/** Returns the files of these items that have changed since they were looked at; null if that cannot be determined. */
async function changedSince(
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

/** Returns the basis of an accepted verdict. Cited files are looked at again, because others work in the folder too. */
async function restsOn(run: Run, { looked }: Verification, verdict: VerdictOutput): Promise<VerdictRests> {
  const cited = itemsCited(verdict, looked?.items ?? []);
  const passed = run.state.goal.checks.results.filter(({ status }) => status === 'passed');
  const changed = await changedSince(run, [...cited, ...passed]);
  const holding = cited.filter(({ file }) => !file || (changed !== null && !changed.includes(file.path)));
  const unread = (looked?.items ?? []).filter(
    ({ supports, file }) => supports && file && !isRead(run, file.path),
  );
  const basis = basisOf(verdict, run.state.tasks, { holding, changed: unread });
  return { basis, changed: changed ?? [] };
}

/** True if the verifier has read the file itself: its looks begin with all earlier reads in doubt. */
function isRead({ state, pinned, limits }: Run, path: string): boolean {
  const [place] = pathsOf({ path }, state.settings.workspace) ?? [];
  if (limits.looks === 0 || place === undefined) return false;
  const readers = new Set(pinned.tools.filter(({ policy }) => policy.readOnly).map(({ name }) => name));
  return Object.values(state.tools.ledger.entries).some(
    ({ tool, paths, complete, isError, lasts }) =>
      complete && !isError && !lasts && readers.has(tool) && paths?.includes(place),
  );
}

/** Lists the workspace once, when the work of a judged goal begins. */
function listStart({ state, pinned, ports }: Run): Promise<void> | null {
  const { goal, settings } = state;
  const isJudged = isVerified(goal.mode) || checksOf(state).length > 0;
  if (pinned.listsStart !== true || goal.start !== undefined || !isJudged) return null;
  return ports.look({ at: 'start', workspace: settings.workspace }).then(seen => {
    ports.throwIfCancelled();
    goal.start = { ref: seen.ok ? seen.value.ref : null };
  });
}
