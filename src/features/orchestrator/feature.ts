/** Asks the orchestrator about a failed task: it proposes an action, and the rules accept or refuse it. */

import { fill } from '../../base/words/words.js';
import { EXECUTOR } from '../../rules/agents/capabilities.js';
import { roleNamed } from '../../run/agents/role.js';
import { modelsInUse } from '../../run/agents/run-config.js';
import { budgetTokens } from '../../run/limits/budget-tokens.js';
import { plansLeft } from '../../run/limits/limits.js';
import type { OrchestrationOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons } from '../../run/outputs/envelope.js';
import { specialText } from '../../run/outputs/special-output.js';
import type { Task } from '../../run/plan/plan.js';
import { executionAt } from '../../run/position/position.js';
import type { Feature } from '../../workflows/beside/feature.js';
import { setLimits } from '../../workflows/changes/set-limits.js';
import { setModel } from '../../workflows/changes/set-model.js';
import { answerFor, type StepEnd, wrapUpAs } from '../../workflows/phases/conclude.js';
import { ask, askFor } from '../../workflows/run/gates.js';
import { MOVED, type Moved, type Run } from '../../workflows/run/run.js';
import { goOnWithoutTasks, noteBlocked, replan } from '../../workflows/say/notes.js';
import { type Consulted, consult } from '../../workflows/turn/consult.js';
import { orchestrationInstruction } from './instruction.js';
import { decideOrchestration, type OrchestrationDecision, reopenFault, reopenTask } from './rules.js';

const ORCHESTRATOR = 'orchestrator';

export const orchestrator: Feature<Run> = { name: ORCHESTRATOR, taskFailed: orchestrate };

/** Asks the orchestrator once about a failed task, and carries out an accepted proposal, confirmed if needed. */
export async function orchestrate(run: Run, task: Task): Promise<StepEnd> {
  const { state } = run;
  const key = `orchestrate:${state.goal.number}:${run.cursor.position.cycle}:${task.id}`;
  const instruction = orchestrationInstruction(state, task, run.pinned);
  const consulted = consult(run, { key, role: ORCHESTRATOR, output: 'orchestration', instruction });
  if (consulted.kind === 'pending') return MOVED;
  const question = questionOf(run, consulted, task);
  if (question !== null) return askHow(run, { task, key, question });
  const proposal = consulted.value;
  const concerns = consulted.envelope ? confirmationReasons(consulted.envelope, run.words) : [];
  let decision = proposal && dispose(run, proposal, concerns);
  const wanted =
    decision?.accepted === true && (decision.confirm === 'none' || (await confirmed(run, key, decision)));
  // Decides again, because a person may have changed plan or limits while the gate was open.
  if (proposal && wanted) decision = dispose(run, proposal, concerns);
  settled(run);
  if (!proposal || !decision) return MOVED;
  const accepted = wanted && decision.accepted;
  const isDenied = decision.accepted && !accepted;
  const why = isDenied ? fill(run.words.decidedNotApproved, { why: decision.why }) : decision.why;
  run.journal('orchestration', { accepted, why });
  if (!accepted) return MOVED;
  if (decision.tellUser) run.journal('user_message', { role: ORCHESTRATOR, text: decision.tellUser });
  return applyProposal(run, task, proposal);
}

/** Leaves the failed task. Only call it after every wait, as a wait may continue as new and return to this position. */
function settled({ cursor }: Run): void {
  cursor.position = executionAt(cursor.position.cycle);
  // The same task may fail again.
  cursor.answered = null;
}

/** Returns the question for the person if the orchestrator leaves the decision to them; else null. */
function questionOf(
  run: Run,
  { value, special }: Extract<Consulted<'orchestration'>, { kind: 'done' }>,
  task: Task,
): string | null {
  if (special?.kind === 'clarification') return special.question;
  if (special?.kind === 'escalate') return specialText(special, run.words);
  if (value?.action !== 'EXCEPTION_HANDLE' || value.handling !== 'ask_user') return null;
  return value.reason || fill(run.words.gateTaskFailed, { id: task.id });
}

/** Asks the person. The executor retries the task with an answer; without one the task stays failed. */
async function askHow(
  run: Run,
  { task, key, question }: { task: Task; key: string; question: string },
): Promise<Moved> {
  const asked = await askFor(run, { key, role: ORCHESTRATOR, question });
  settled(run);
  if (asked.kind !== 'answered') return MOVED;
  const { text } = asked.answer;
  // A person may have filled the plan since the task failed.
  const { limits, words } = run;
  const maxTasks = limits.tasks;
  const fault = reopenFault(words, run.state.tasks, { id: task.id, status: 'pending', maxTasks });
  run.journal('orchestration', {
    accepted: text !== null && fault === null,
    why: text === null ? words.decidedUnanswered : (fault ?? fill(words.decidedAnswered, { id: task.id })),
  });
  if (text === null) return MOVED;
  run.tellRole(EXECUTOR, text, question);
  if (fault === null) return reopen(run, task.id, 'pending');
  run.journal('user_message', {
    role: ORCHESTRATOR,
    text: fill(words.decidedNotRetried, { id: task.id, why: fault }),
  });
  return MOVED;
}

function dispose(run: Run, proposal: OrchestrationOutput, concerns: string[]): OrchestrationDecision {
  const { state, pinned } = run;
  const { goal } = state;
  return decideOrchestration(proposal, {
    tasks: state.tasks,
    // The current plan uses the last one at its end.
    canReplan: plansLeft(goal.counters, run.limits) > 1,
    limits: run.limits,
    ceilings: pinned.ceilings,
    used: { turns: goal.counters.turns, tokens: budgetTokens(goal.usage) },
    models: modelsInUse(pinned),
    roles: Object.keys(pinned.roles),
    concerns,
    words: run.words,
  });
}

async function confirmed(run: Run, key: string, decision: OrchestrationDecision): Promise<boolean> {
  const asked = await ask(run, {
    key,
    kind: 'route',
    title: decision.why,
    body: decision.tellUser ?? decision.why,
    subject: { act: 'orchestration', messageId: key, enlarges: decision.confirm === 'person' },
  });
  if (asked.kind !== 'answered') return false;
  const { answer, by } = asked;
  // A reason given at a failure is for the role that continues, including the orchestrator at the next failure.
  if (by === 'person' && answer.reason !== null) run.tellRole(EXECUTOR, answer.reason);
  return answer.decision === 'approve';
}

function applyProposal(run: Run, failed: Task, proposal: OrchestrationOutput): StepEnd {
  switch (proposal.action) {
    case 'PHASE_TRANSITION':
      if (proposal.to === 'wrap_up')
        return wrapUpAs(run, 'ended_by_orchestrator', proposal.reason || run.words.whyOrchestrator);
      if (proposal.to === 'planning') return replan(run, { from: ORCHESTRATOR, wanted: [proposal.reason] });
      return goOnWithoutTasks(run);
    case 'RESOURCE_ALLOCATE':
      return allocate(run, proposal);
    case 'EXCEPTION_HANDLE':
      return handle(run, failed, proposal);
  }
}

function allocate(
  run: Run,
  { resource, target, amount, model }: Extract<OrchestrationOutput, { action: 'RESOURCE_ALLOCATE' }>,
): Moved {
  const { pinned, state } = run;
  if (resource === 'model') {
    const role = target === null ? undefined : pinned.roles[roleNamed(target, Object.keys(pinned.roles))];
    if (role && model !== null) setModel(run, role, model, `proposed by the ${ORCHESTRATOR}`);
    return MOVED;
  }
  if (amount === null) return MOVED;
  if (resource !== 'rounds') {
    setLimits(run, { [resource]: amount }, 'gate');
    return MOVED;
  }
  const id = target ?? '';
  run.changeTask(id, { maxRounds: amount });
  return state.tasks.some(task => task.id === id && task.status === 'failed') ? retry(run, id) : MOVED;
}

function handle(
  run: Run,
  failed: Task,
  { handling, taskId, reason }: Extract<OrchestrationOutput, { action: 'EXCEPTION_HANDLE' }>,
): StepEnd {
  const id = taskId ?? failed.id;
  switch (handling) {
    case 'retry':
      return retry(run, id);
    case 'skip':
      return reopen(run, id, 'skipped');
    case 'replan':
      return replan(run, { from: ORCHESTRATOR, wanted: [reason] });
    case 'stop':
      return answerFor(run, 'stopped_by_orchestrator');
    case 'ask_user':
      throw new Error('a question is put before its proposal is carried out');
  }
}

/** Retries a failed task. The count is limited, so that a task is not retried forever. */
function retry(run: Run, id: string): Moved {
  const retries = run.state.tasks.find(task => task.id === id)?.retries ?? 0;
  run.changeTask(id, { retries: retries + 1 });
  return reopen(run, id, 'pending');
}

/** Gives a failed task another status, and unblocks its dependants. */
function reopen(run: Run, id: string, status: 'pending' | 'skipped'): Moved {
  const { state } = run;
  const { tasks, blocked } = reopenTask(state.tasks, id, status);
  state.tasks = tasks;
  if (status === 'skipped') run.journal('task_ended', { taskId: id, status, reason: 'orchestrated' });
  noteBlocked(run, blocked);
  return run.moveTo(executionAt(run.cursor.position.cycle));
}
