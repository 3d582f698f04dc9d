/** Gates: places where a run waits for a person. All kinds of questions are asked in the same way. */

import { QUESTION_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { visibleText } from '../../base/text/unseen.js';
import { barred } from '../../rules/gates/gate-parts.js';
import { gateLine, refusalsOf } from '../../rules/gates/gate-text.js';
import {
  autoAnswer,
  choicesOf,
  fitGate,
  type Gate,
  type GateAnswer,
  type GateCloser,
  hasWholeForm,
  isRoomForGate,
  safeAnswer,
} from '../../run/gates/gate.js';
import { chosenOption, MOST_OPTIONS, shownOptions } from '../../run/gates/options.js';
import type { OpenGate } from '../../run/state/people.js';
import { isHeld } from '../../run/state/run-state.js';
import { allowedAt } from '../../run/tools/permission.js';
import { beginInterpretingAtGate, mustInterpretAtGate } from './hearing.js';
import type { Run } from './run.js';

const CLOSED_KEPT = 200;

type Kind = Gate['kind'];
type AnswerOf<K extends Kind> = Extract<GateAnswer, { kind: K }>;
type SubjectOf<K extends Kind> = Extract<Gate, { kind: K }>['subject'];

export interface Question<K extends Kind> {
  /** Identifies the subject. It is the same when the position is entered again, so that a gate is opened once. */
  key: string;
  kind: K;
  title: string;
  body: string;
  subject: SubjectOf<K>;
  /** True if the answer is no longer needed, such as for a call that steering skips. It gets the gate's subject. */
  superseded?: (subject: SubjectOf<K>) => boolean;
  /** The options of a question as its role wrote them, in the order in which they are shown. */
  given?: readonly string[];
}

export type Asked<K extends Kind> =
  /** `shown`: the body that a person saw, cut if other gates take up the space. */
  | { kind: 'answered'; answer: AnswerOf<K>; by: 'person' | 'timeout' | 'rule'; shown: string }
  | { kind: 'superseded' }
  /** Approved while the run is held: the answer is stored, because nothing begins before the run is resumed. */
  | { kind: 'held' }
  | { kind: 'stopped' };

/** Opens the gate if it is not open, and shows it, without waiting. Returns a rule's answer if one applies, else null. */
export function openGate<K extends Kind>(run: Run, question: Question<K>): AnswerOf<K> | null {
  const { state, ports } = run;
  const { key, kind, title, body, subject } = question;
  if (gateAt(run, key)) return null;
  const openedAt = ports.now();
  const deadline = openedAt + run.pinned.gateTimeoutMs;
  // The compiler cannot see that kind and subject belong together.
  const asked = { id: run.nextId('g'), kind, title, body, subject, openedAt, deadline } as unknown as Gate;
  const gate = fitGate(asked, openGates(run));
  const { autoApprove, attended } = state.settings;
  const auto = autoAnswer(gate, { yes: autoApprove, attended: attended === true });
  if (auto) {
    run.journal('gate_closed', { gateId: gate.id, kind, by: 'rule', decision: decisionOf(auto) });
    return auto as AnswerOf<K>;
  }
  showGate(run, { key, gate, answer: null });
  return null;
}

/** Opens the gate for the person who attends the run, or for the run that called it. */
export function showGate(run: Run, open: OpenGate): void {
  const { gate } = open;
  const { id: gateId, kind, title, body, deadline } = gate;
  run.state.people.gates.push(open);
  const call = gate.kind === 'clientTool' && { tool: gate.subject.tool, id: gate.subject.callId };
  const info = { gateId, kind, title, body, deadline, choices: choicesOf(gate) };
  const several = gate.kind === 'approval' ? gate.subject.calls : undefined;
  run.journal('gate_opened', { ...info, ...(several && { changes: several.length }), ...(call && { call }) });
  run.ports.tellCaller({ type: 'gate_opened', gate });
}

/** Shows gates of agents that had to wait for space. */
export function showWaiting(run: Run): void {
  const { waiting } = run.memory.agents;
  for (let [next] = waiting; next && isRoomForGate(openGates(run)); [next] = waiting) {
    const gate = fitGate(next.gate, openGates(run));
    // A form that was cut to fit would be another form, a cut question would offer other options, and a cut list of changes
    // would hide some.
    const waits = gate.kind === 'form' || openGates(run).length > 0;
    if (waits && !hasWholeForm(gate, next.gate)) return;
    waiting.shift();
    showGate(run, { ...next, gate });
    run.keepTime();
  }
}

export function openGates({ state }: Run): Gate[] {
  return state.people.gates.map(({ gate }) => gate);
}

/**
 * Asks, and waits for an answer, the deadline, a stop, or what supersedes the question. Messages that a held run hears
 * meanwhile are understood first: the gate stays open, and the position returns to it.
 */
export async function ask<K extends Kind>(run: Run, question: Question<K>): Promise<Asked<K>> {
  const { state } = run;
  const auto = openGate(run, question);
  if (auto) return { kind: 'answered', answer: auto, by: 'rule', shown: '' };
  const open = gateAt(run, question.key);
  if (!open) throw new Error(`the gate ${question.key} was not opened`);
  // Its answer is read at once, so it may use more space than the gates that wait for their turn.
  state.people.gates = [open, ...state.people.gates.filter(other => other !== open)];
  const superseded = () => question.superseded?.(open.gate.subject as SubjectOf<K>) === true;
  const closed = () => !state.people.gates.includes(open);
  const over = () => open.answer !== null || state.people.stop !== null || superseded() || closed();
  await run.line.waitForPerson(
    () => over() || mustInterpretAtGate(run),
    open.gate.deadline,
    `a person's answer to ${gateLine(open.gate)}`,
  );
  if (!over() && mustInterpretAtGate(run)) beginInterpretingAtGate(run);
  if (closed()) return { kind: 'superseded' };
  if (question.kind === 'approval' && open.answer !== null && isHeld(state)) return { kind: 'held' };
  return resultOfGate(run, open, { superseded: superseded(), given: question.given }) as Asked<K>;
}

/** Asks the person the question of a role, in the role's words. */
export function askFor(
  run: Run,
  question: { key: string; role: string; question: string },
): Promise<Asked<'question'>> {
  return ask(run, questionOf(question));
}

/** Returns the question of a role with the answers that it proposes: a person may choose one by its letter. */
export function questionOf({
  key,
  role,
  question,
  options: all = [],
}: {
  key: string;
  role: string;
  question: string;
  options?: readonly string[];
}): Question<'question'> {
  const given = all.slice(0, MOST_OPTIONS);
  const options = shownOptions(given);
  return {
    key,
    kind: 'question',
    title: preview(visibleText(question)),
    body: cutText(question, QUESTION_BYTES),
    subject: { role, ...(options.length > 0 && { options }) },
    given,
  };
}

/** Returns the recorded answer of a gate, and closes it. Null: there is no answer, or a stop overtakes it. */
export function takeRecorded(run: Run, key: string, given?: readonly string[]): GateAnswer | null {
  const open = gateAt(run, key);
  const settled = open && open.answer !== null ? resultOfGate(run, open, { superseded: false, given }) : null;
  return settled?.kind === 'answered' ? settled.answer : null;
}

function resultOfGate(
  run: Run,
  open: OpenGate,
  { superseded, given = [] }: { superseded: boolean; given: readonly string[] | undefined },
): Asked<Kind> {
  const { answer, gate } = open;
  const shown = gate.body;
  // A stop overtakes an approval, but a client's result exists already.
  if (answer && (!run.state.people.stop || answer.kind === 'clientTool')) {
    closeGate(run, open, 'person', decisionOf(answer));
    for (const text of refusalsOf(run.words, gate, answer)) run.wish(text);
    return { kind: 'answered', answer: wholeAnswer(gate, answer, given), by: 'person', shown };
  }
  if (run.state.people.stop) {
    closeGate(run, open, 'superseded', 'stop');
    return { kind: 'stopped' };
  }
  if (superseded) {
    closeGate(run, open, 'superseded', 'a message of the user');
    return { kind: 'superseded' };
  }
  const safe = safeAnswer(open.gate);
  closeGate(run, open, 'timeout', decisionOf(safe));
  return { kind: 'answered', answer: safe, by: 'timeout', shown };
}

/** Returns a chosen option in the role's words, even if it was shown cut. */
function wholeAnswer(gate: Gate, answer: GateAnswer, given: readonly string[]): GateAnswer {
  if (answer.kind !== 'question' || answer.text === null) return answer;
  return { ...answer, text: chosenOption(answer.text, choicesOf(gate), given) };
}

export function closeGate(run: Run, { gate, key, answer }: OpenGate, by: GateCloser, why: string): void {
  const { state } = run;
  // Report an answer that was overtaken: the person who gave it must know that it had no effect.
  const decision = answer && by !== 'person' ? `${decisionOf(answer)}, overtaken: ${why}` : why;
  state.people.gates = state.people.gates.filter(open => open.key !== key);
  state.people.closedGates = [...state.people.closedGates.slice(1 - CLOSED_KEPT), gate.id];
  const given = by === 'person' && answer !== null && givenWith(answer);
  run.journal('gate_closed', { gateId: gate.id, kind: gate.kind, by, decision, ...given });
  run.ports.tellCaller({ type: 'gate_closed', gateId: gate.id, by, decision });
  showWaiting(run);
}

/** Closes gates that are no longer needed, such as those of a batch that was skipped. */
export function closeGates(
  run: Run,
  which: (open: OpenGate) => boolean,
  why = 'no longer needed',
  by: GateCloser = 'superseded',
): void {
  for (const open of run.state.people.gates.filter(which)) closeGate(run, open, by, why);
}

/**
 * Closes the approvals that this permission makes unnecessary, and names a rule as the closer. Answers that were
 * already given stay valid.
 */
export function closeForAlways(run: Run, allowed: string): void {
  const isPointless = ({ gate, answer, agent }: OpenGate) =>
    answer === null && !agent && gate.kind === 'approval' && allowedAt(gate.subject) === allowed;
  closeGates(run, isPointless, `${allowed} is allowed for this run`, 'rule');
}

export function gateAt({ state }: Run, key: string): OpenGate | undefined {
  return state.people.gates.find(open => open.key === key);
}

function decisionOf(answer: GateAnswer): string {
  switch (answer.kind) {
    case 'question':
      return answer.text === null ? 'no answer' : preview(answer.text, 120);
    case 'clientTool':
      if (answer.lost) return 'no result';
      return answer.isError ? 'error' : 'result';
    case 'budget':
      return answer.decision === 'raise' ? `raise to ${answer.to}` : 'wrap_up';
    case 'failure':
      return answer.decision === 'other_model' ? `other_model ${answer.model}` : answer.decision;
    case 'approval':
    case 'plan':
    case 'route':
    case 'step':
    case 'form':
      return answer.decision;
  }
}

/** Returns what a person gave with the decision. */
function givenWith(answer: GateAnswer): { edited?: true; reason?: string } {
  const reason = 'reason' in answer ? answer.reason?.trim() : undefined;
  const isEdited = answer.kind === 'approval' && answer.arguments !== null;
  return { ...(isEdited && { edited: true }), ...(reason && { reason: preview(visibleText(reason), 300) }) };
}

export type Confirmed =
  | { kind: 'yes' }
  /** A person refused, perhaps with an instruction of what to do instead. */
  | { kind: 'no'; instead: string | null }
  /** No person could be asked, or the gate timed out: the work continues, and the goal ends unverified. */
  | { kind: 'nobody' }
  | { kind: 'stopped' };

/** Shows the concerns of a role to the person. The caller stores them in its position until there is an answer. */
export async function confirm(
  run: Run,
  concerns: readonly string[],
  { key, title, body }: { key: string; title: string; body: string },
): Promise<Confirmed> {
  if (concerns.length === 0) return { kind: 'yes' };
  const listed = concerns.map(concern => `- ${barred(concern)}`).join('\n');
  const asked = await ask(run, {
    key,
    kind: 'route',
    title,
    body: `${listed}\n\n${body}`,
    subject: { act: 'confirm', messageId: key },
  });
  if (asked.kind !== 'answered') return { kind: 'stopped' };
  const { answer, by } = asked;
  if (by === 'person' && answer.reason !== null) run.wish(answer.reason);
  if (answer.decision === 'approve') return { kind: 'yes' };
  return by === 'person' ? { kind: 'no', instead: answer.reason } : { kind: 'nobody' };
}
