/**
 * A call of `call_subagent`: a run of another role, which does its work as a child of this one, within what the goal
 * has left. What it used is used by the goal, however it ended.
 */
import type { CallToolResult } from '../../activities/types.js';
import { addUsage } from '../../core/message.js';
import { budgetUse } from '../../core/run-state.js';
import type { AgentEnd, Instruction } from '../../core/subagent.js';
import {
  agentsOf,
  decideDelegation,
  outcomeForCaller,
  readInstruction,
  settingsOfAgent,
  withChild,
  withEnd,
  withReport,
  withReportParts,
} from '../../core/subagent.js';
import { forgetAll } from '../../core/tools/ledger.js';
import type { Run } from '../run.js';

export async function callSubagent(
  run: Run,
  { role, callId, input }: { role: string; callId: string; input: Record<string, unknown> },
): Promise<CallToolResult> {
  const { state, ports } = run;
  const instruction = readInstruction(input);
  const begun = ports.now();
  const decision = decideDelegation(instruction, {
    agents: agentsOf(run.pinned, run.role(role)),
    limits: run.limits,
    used: budgetUse(state, begun),
    // What runs at the same time shares what is left.
    together: Math.max(1, state.tools.inFlight.length),
    words: run.words,
  });
  if (decision.kind === 'refuse')
    return { ending: 'executed', note: decision.note, content: [], isError: true, durationMs: 0 };
  const end = await delegate(
    run,
    instruction,
    callId,
    settingsOfAgent(state.settings, run.limits, {
      agent: instruction.agent,
      lease: decision.limits,
    }),
  );
  return { ...outcomeForCaller(instruction.agent, end, run.words), durationMs: ports.now() - begun };
}

async function delegate(
  run: Run,
  { agent, text }: Instruction,
  callId: string,
  settings: Parameters<Run['ports']['callSubagent']>[0]['settings'],
): Promise<AgentEnd> {
  const { state, ports } = run;
  const id = `${agent}/${state.children.started + 1}`;
  state.children = withChild(state.children, { id, agent, callId, instruction: text });
  run.journal('subagent_started', { id, agent, callId });
  ports.show(state);
  const end = await ports.callSubagent({ id, goal: text, settings });
  state.children = withEnd(state.children, id, end);
  charge(run, end);
  // It may have changed what was read before.
  forgetAll(state.tools.ledger);
  const outcome = end.kind === 'ended' ? end.report.outcome : end.kind;
  run.journal('subagent_ended', { id, agent, callId, outcome });
  return end;
}

/** A child that was cancelled or lost can not say what it used. */
function charge({ state }: Run, end: AgentEnd): void {
  if (end.kind !== 'ended') return;
  const { report } = end;
  const { usage, counters } = withReport(state.goal, report);
  state.goal.usage = usage;
  state.goal.counters = counters;
  state.total = {
    usage: addUsage(state.total.usage, report.usage),
    turns: state.total.turns + report.turns,
    usageBy: withReportParts(state.total.usageBy, report),
  };
}
