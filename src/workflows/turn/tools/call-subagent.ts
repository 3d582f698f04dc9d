/** A call of `call_subagent`: a child run of another role. Its usage counts as the goal's, however it ends. */

import type { CallToolResult } from '../../../activities/types.js';
import { preview } from '../../../base/text/preview.js';
import {
  agentsOf,
  decideDelegation,
  type Instruction,
  outcomeForCaller,
  readInstruction,
  settingsOfAgent,
  withReport,
} from '../../../rules/agents/subagent.js';
import {
  type AgentEnd,
  type AgentTotals,
  endedAs,
  withChild,
  withEnd,
} from '../../../run/agents/children.js';
import { type AgentCard, roleNamed } from '../../../run/agents/role.js';
import type { Lease } from '../../../run/limits/leases.js';
import { tokensOfSummaries, withCalls } from '../../../run/limits/usage-by.js';
import { addUsage } from '../../../run/messages/message.js';
import { noteSummaries } from '../../../run/state/goal.js';
import { closeGatesOf, finishPassed, takeBack } from '../../agents/agents.js';
import type { OwnCall } from '../../beside/feature.js';
import { agentActed, limitsToShare } from '../../beside/moments.js';
import { shareAnew } from '../../changes/set-limits.js';
import type { Called } from '../../run/ports.js';
import type { Run } from '../../run/run.js';
import { sharedUse } from '../../run/spend.js';
import { noteEffects } from './finish-call.js';
import { noteResult } from './tool-request.js';

export async function callSubagent(
  run: Run,
  { role, callId, input, options }: OwnCall,
): Promise<Called<CallToolResult>> {
  const { ports } = run;
  const begun = ports.now();
  const agents = agentsOf(run.pinned, run.role(role));
  const instruction = instructionIn(run, input, agents);
  const { words } = run;
  const decision = decideDelegation(instruction, {
    agents,
    limits: limitsToShare(run),
    ...sharedUse(run),
    words,
  });
  if (decision.kind === 'refuse') return noteResult(decision.note, true);
  const { end, told } = await run.call({ kind: 'tool', role }, options, () =>
    delegate(run, instruction, callId, decision.limits),
  );
  const card = agents.find(({ name }) => name === instruction.agent) ?? { name: instruction.agent };
  const outcome = outcomeForCaller(card, end, told, words);
  return { ok: true, value: { ...outcome, durationMs: ports.now() - begun } };
}

function instructionIn(run: Run, input: OwnCall['input'], agents: readonly AgentCard[]): Instruction {
  const read = readInstruction(input);
  if (!run.behaves(3)) return read;
  const names = agents.map(({ name }) => name);
  return { ...read, agent: roleNamed(read.agent, names) };
}

async function delegate(
  run: Run,
  { agent, text }: Instruction,
  callId: string,
  lease: Lease,
): Promise<{ end: AgentEnd; told: AgentTotals | null }> {
  const { state, ports } = run;
  const id = `${agent}/${state.children.started + 1}`;
  state.children = withChild(state.children, { id, agent, callId, instruction: text });
  run.journal('subagent_started', { id, role: agent, callId });
  run.show();
  const { chosen, out } = state.models;
  const settings = settingsOfAgent(state.settings, run.limits, { id, agent, lease, known: { chosen, out } });
  run.memory.agents.leases.set(id, lease);
  const end = await ports.callSubagent({ id, goal: text, settings });
  run.memory.agents.leases.delete(id);
  state.children = withEnd(state.children, id, end);
  closeGatesOf(run, id);
  const report = takeReport(run, id, end);
  // The agent may have changed what was read before.
  run.doubtReads();
  run.journal('subagent_ended', { id, role: agent, callId, ...endedAs(end) });
  // Show now: other calls may run for long, and watchers would see this agent as running until then.
  run.show();
  return { end, told: report };
}

/** Adds the agent's usage, effects and unread messages to the goal. Returns its report; null without one. */
function takeReport(run: Run, id: string, end: AgentEnd): AgentTotals | null {
  const report = run.memory.agents.rests.get(id) ?? null;
  run.memory.agents.rests.delete(id);
  const rest = end.kind === 'ended' ? end.report : report;
  if (rest) {
    charge(run, rest);
    takeBack(run, id, rest.unread);
    const effects = rest.effects.map(line => `${id}: ${line}`);
    noteEffects(run, effects);
    agentActed(run, effects);
    shareAnew(run);
  }
  // An agent that was cancelled before it began has used nothing.
  else if (end.kind === 'lost')
    run.journal('warning', { text: `What ${id} used is not known: ${preview(end.why)}` });
  finishPassed(run, id, end.kind === 'lost');
  return rest;
}

function charge({ state }: Run, report: AgentTotals): void {
  const { usage, counters } = withReport(state.goal, report);
  state.goal.usage = usage;
  state.goal.counters = counters;
  const tokens = tokensOfSummaries(report.usageBy);
  if (tokens > 0) noteSummaries(state.goal, { tokens });
  state.total = {
    ...state.total,
    usage: addUsage(state.total.usage, report.usage),
    turns: state.total.turns + report.turns,
    usageBy: report.usageBy.reduce(withCalls, state.total.usageBy),
  };
}
