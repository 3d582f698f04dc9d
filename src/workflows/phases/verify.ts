/** The verification phase: one verdict, and what follows from it (L4, L5, F8 to F10). */
import { ANSWER_BYTES, IMPROVEMENTS_BYTES } from '../../core/bounds.js';
import { verificationBrief } from '../../core/briefs.js';
import { decideVerdict } from '../../core/decide.js';
import { fitted } from '../../core/fit.js';
import { preview } from '../../core/journal.js';
import { plansLeft } from '../../core/limits.js';
import { rejectTasks } from '../../core/plan.js';
import type { SpecialOutput } from '../../core/special-output.js';
import { specialText } from '../../core/special-output.js';
import type { GoalEnd } from '../conclude.js';
import { answerFor, concludeEarly, wrapUpAs } from '../conclude.js';
import { keepText } from '../keep-text.js';
import type { Run } from '../run.js';
import { runTurns } from '../turn-loop.js';
import { noteFallback, noteLimit } from './notes.js';

const VERIFIER = 'verifier';

/** One verdict (L4, F8 to F10): done, or back to the planner with improvements, until the cap (L5). */
export async function verify(run: Run): Promise<GoalEnd | null> {
  const { state, pinned } = run;
  const end = await runTurns(run, {
    role: VERIFIER,
    output: 'verdict',
    maxRounds: 1,
    tools: false,
    brief: () => verificationBrief(state),
  });
  if (end.kind === 'unusable' || end.kind === 'rounds_used' || end.kind === 'special') {
    noteFallback(run, VERIFIER, faultsOf(end), 'an unverified answer');
    wrapUpAs(run, 'direct', 'the verification gave no verdict');
    return null;
  }
  if (end.kind !== 'reply') return concludeEarly(run, end);

  const { goal, cursor } = state;
  goal.counters = { ...goal.counters, verification: goal.counters.verification + 1 };
  const { output } = end;
  const verdict = decideVerdict(
    output,
    state.tasks.map(task => task.id),
  );
  const { done, improvements, contradictions } = verdict;
  run.journal('verdict', { done, feedback: preview(output.overallFeedback), improvements, contradictions });
  if (output.summary) goal.lastSummary = await keepText(run, 'summary', output.summary, ANSWER_BYTES);
  if (done) return answerFor(run, 'verified');
  goal.improvements = fitted(improvements, IMPROVEMENTS_BYTES);
  goal.improvementsFrom = 'verification';
  state.tasks = rejectTasks(
    state.tasks,
    output.tasks.filter(task => !task.completed).map(task => task.id),
  );
  if (plansLeft(goal.counters, pinned.limits) <= 0) {
    noteLimit(run, 'verification', null);
    return answerFor(run, 'verification_cap');
  }
  run.enterPhase('planning', cursor.cycle + 1);
  return null;
}

function faultsOf(
  end:
    | { kind: 'unusable'; errors: string[] }
    | { kind: 'special'; special: SpecialOutput }
    | { kind: 'rounds_used' },
): string[] {
  if (end.kind === 'unusable') return end.errors;
  return end.kind === 'special' ? [specialText(end.special)] : ['it called tools'];
}
