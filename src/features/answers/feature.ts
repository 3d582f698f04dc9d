/** Typed answers: the answering role gets the schema, and a goal only succeeds with a value that fits it. */
import type { JsonSchema } from '../../base/json/json.js';
import { ANSWER_BYTES, WORKER_TRIES } from '../../base/sizes/bounds.js';
import { boundedText, fitsText } from '../../base/text/fit.js';
import { fill } from '../../base/words/words.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { checksOf } from '../../run/checks/check.js';
import { textOf } from '../../run/messages/message.js';
import { isOpen } from '../../run/plan/plan.js';
import { answersAt, roleAt, stepsOf } from '../../run/position/modes.js';
import { here } from '../../run/state/cursor.js';
import type { GoalEnd } from '../../run/state/goal.js';
import { accountOf, modeOf } from '../../run/state/run-state.js';
import type { Feature } from '../../workflows/beside/feature.js';
import { answerFor, type StepEnd, wrapUpAs } from '../../workflows/phases/conclude.js';
import type { Run } from '../../workflows/run/run.js';
import { enterChecks } from '../../workflows/say/notes.js';
import {
  endsWell,
  faultsText,
  hasSchema,
  isOver,
  NOT_TYPED,
  ofGoal,
  READ_ANSWER,
  type ReadAnswer,
  type ReadAnswerInput,
  schemaText,
  type TypedAnswer,
  typedAnswer,
} from './rules.js';

export const answers: Feature<Run> = {
  name: 'answers',
  slice: typedAnswer,
  seen: ({ goal, goals }) => {
    const { value } = goals.findLast(({ number }) => number === goal.number) ?? {};
    return value === undefined ? {} : { value };
  },
  form: {
    // In an envelope the answer is a text, so the schema cannot bind the reply itself.
    binds: (run, role) => isAnswering(run) && role.dialect === 'component',
    schema: ({ settings }) => settings.answer ?? null,
  },
  beforeCall: tellSchema,
  answered: (run, end) => {
    const { answer: schema } = run.state.settings;
    if (schema === undefined) return null;
    return isOver(end) ? withEarlier(run, end) : judge(run, schema, end);
  },
};

/** Uses the earlier answer as the partial one if the second request for an answer brought no text. */
function withEarlier(run: Run, end: GoalEnd): Promise<GoalEnd> | null {
  const { state } = run;
  if (end.answer !== '' || ofGoal(state, state.goal.number).cause === null) return null;
  const role = run.role(roleAt(modeOf(state), run.cursor.position));
  const reply = run
    .threadOf(role)
    .messages.findLast(message => message.kind === 'assistant' && textOf(message).trim() !== '');
  return reply === undefined ? null : Promise.resolve({ ...end, answer: textOf(reply).trim() });
}

/** True if the current role's reply is the goal's answer. */
function isAnswering({ state, cursor }: Run): boolean {
  return state.settings.answer !== undefined && answersAt(modeOf(state), here(cursor));
}

/** Adds the schema once a goal, and again after a wrap-up instruction, or if the thread has lost it. */
function tellSchema(run: Run, role: PinnedRole): void {
  const { state, words } = run;
  const { answer: schema } = state.settings;
  if (schema === undefined || !isAnswering(run)) return;
  const thread = run.threadOf(role);
  const text = schemaText(schema, words);
  const since = state.goal.startedAt;
  const last = here(run.cursor).phase === 'wrap_up';
  if (!hasSchema(thread.messages, text, { since, last }))
    run.say(thread, 'instruction', text, role.prefix === 'own' ? {} : { role: role.name });
  typedAnswer.set(state, { ...ofGoal(state, state.goal.number), isTold: true });
}

/** Accepts an end whose answer fits. Otherwise asks again once, and then ends the goal without a value. */
async function judge(run: Run, schema: JsonSchema, end: GoalEnd): Promise<StepEnd> {
  const { state } = run;
  const read = await readAnswer(run, { text: end.said ?? end.answer, schema });
  const known = ofGoal(state, state.goal.number);
  const isAgain = end.cause === NOT_TYPED;
  // Another cause belongs to another answer, so an earlier request does not count.
  const now = isAgain ? known : { ...known, isAsked: false, cause: null };
  if ('value' in read) {
    typedAnswer.set(state, { ...now, cause: null });
    const { value } = read;
    return now.cause === null ? { ...end, value } : concluded(run, now.cause, { ...end, value });
  }
  const cause = now.cause ?? end.cause;
  if (endsWell(cause) && !now.isAsked) return sendBack(run, { ...now, cause }, read.faults);
  typedAnswer.set(state, { ...now, cause: null });
  return endsWell(cause) ? withoutValue(run, end, read.faults) : end;
}

const READ_MS = 30_000;

async function readAnswer(run: Run, input: ReadAnswerInput): Promise<ReadAnswer> {
  const options = {
    summary: 'read the answer by its schema',
    timeoutMs: READ_MS,
    attempts: WORKER_TRIES,
    interruptible: false,
  };
  const role = roleAt(modeOf(run.state), run.cursor.position);
  const called = await run.call({ kind: 'check', role }, options, () =>
    run.ports.activity(READ_ANSWER, input, options),
  );
  run.ports.throwIfCancelled();
  // The cast is safe: `worker.ts` has an activity of these types under this name.
  if (called.ok) return called.value as ReadAnswer;
  const { message, kind } = called.failure;
  return { faults: [boundedText(`The answer could not be checked: ${message || kind}`)] };
}

/**
 * Asks again by a wrap-up, in every mode: one call without tools. If that gives no value, the goal ends without one.
 * A role that did not have the schema gets it there, and may be asked once more.
 */
function sendBack(run: Run, known: TypedAnswer, faults: readonly string[]): StepEnd {
  const { state, words } = run;
  typedAnswer.set(state, { ...known, isAsked: known.isTold });
  const moved = wrapUpAs(
    run,
    NOT_TYPED,
    fill(words.whyNotTyped, { faults: boundedText(faultsText(faults)) }),
  );
  if (known.isTold) {
    const account = accountOf(state);
    account.counters = { ...account.counters, reasks: account.counters.reasks + 1 };
    run.journal('reask', { role: roleAt(modeOf(state), run.cursor.position), errors: [...faults] });
  }
  return moved;
}

/** Returns the end from before the answer was sent back, with the value. A verdict's summary stays the text. */
function concluded(run: Run, before: GoalEnd['cause'], { answer, said = answer, value }: GoalEnd): StepEnd {
  const { state } = run;
  const { goal, tasks } = state;
  const steps = stepsOf(modeOf(state));
  const judgesText = checksOf(state).some(check => 'function' in check);
  if (before === 'checked' && steps !== null && judgesText) {
    // A long text is replaced by its value as JSON. If it were cut, it would have no value, and would be requested
    // again after each check.
    const text = fitsText(said, ANSWER_BYTES) ? said : JSON.stringify(value);
    const checked = enterChecks(run, { kind: 'answer', step: steps.length - 1, text });
    if (checked !== null) return checked;
  }
  const cause = before === 'verified' && tasks.some(isOpen) ? 'tasks_open' : before;
  return { ...answerFor(run, cause, goal.lastSummary === null ? answer : null), ...(value && { value }) };
}

function withoutValue(run: Run, end: GoalEnd, faults: readonly string[]): GoalEnd {
  const { state, words } = run;
  const lacks = boundedText(faultsText(faults));
  run.journal('warning', { text: `${words.notTyped}\n${lacks}` });
  const answer = [state.goal.lastSummary ?? end.answer, `**${words.notTyped}**\n\n${lacks}`].join('\n\n');
  return { outcome: 'unverified', cause: NOT_TYPED, answer };
}
