/**
 * Questions of tool servers to a person while a call runs (T20). The call's activity signals the question, and queries the
 * answer; the gate is answered like any other. Calls in flight prevent continue-as-new, so this is never carried over. The
 * end of a call, however it ends, closes its questions.
 */
import type { FormMessage } from '../../run/gates/form.js';
import { type FormAnswer, type GateAnswer, hasWholeForm, isRoomForGate } from '../../run/gates/gate.js';
import type { OpenGate } from '../../run/state/people.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { type Feature, query, signal } from '../../workflows/beside/feature.js';
import { readName } from '../../workflows/inbox/read-input.js';
import { formAnswerQuery, formSignal } from '../../workflows/run/definitions.js';
import { closeGate, gateAt, openGate, openGates } from '../../workflows/run/gates.js';
import { Held } from '../../workflows/run/memory.js';
import { callInFlight } from '../../workflows/run/requests.js';
import type { Run } from '../../workflows/run/run.js';
import { formText, readFormMessage } from './rules.js';

/** Questions for calls in flight, by the keys of their gates; null while unanswered. */
const asked = new Held('forms', () => new Map<string, FormAnswer | null>());

export const forms: Feature<Run> = {
  name: 'forms',
  signals: [
    signal({
      definition: formSignal,
      hear: hearForm,
      description: 'Sent by tool calls of this run: what their servers ask a person.',
    }),
  ],
  queries: [
    query({
      definition: formAnswerQuery,
      answer: (run, id) => formAnswer(run, readName(id) ?? ''),
      description: 'What a person has given at the form of a tool call in flight.',
    }),
  ],
  gateAnswered: takeForm,
  callsWaiting,
  callEnded: closeForms,
};

/** Prefix of a gate's key if a tool server has opened the gate. */
const FORM = 'form:';
const CANCEL: FormAnswer = { kind: 'form', decision: 'cancel' };

/** Handles the signal of a call's activity. It is synchronous, and accepts any JSON. */
export function hearForm(run: Run, raw: unknown): void {
  const message = readFormMessage(raw);
  const tool = message && toolInFlight(run, message.callId);
  if (!message || !tool) {
    const reason = message ? 'no call that may ask runs' : 'it is no form, or one that is too large';
    run.journal('signal_ignored', { signal: 'form', reason });
    return;
  }
  const key = `${prefixOf(message)}${message.id}`;
  if (message.question === null) return void endForm(run, key, message.by ?? 'superseded');
  // The questions of an earlier, lost attempt are closed.
  for (const other of keysOf(run, message.callId))
    if (!other.startsWith(prefixOf(message))) endForm(run, other, 'superseded');
  asked.of(run).set(key, openForm(run, key, { tool, ...message.question, callId: message.callId }));
  run.keepTime();
  run.show();
}

/** Returns the answer for the activity; null while unanswered. */
export function formAnswer(run: Run, id: string): FormAnswer | null {
  if (run.state.people.stop) return CANCEL;
  const answer = asked.of(run).get(`${FORM}${id}`);
  return answer === undefined ? CANCEL : answer;
}

/** Records a person's answer and closes the gate at once: the call that asked continues. */
function takeForm(run: Run, open: OpenGate, answer: GateAnswer): void {
  if (answer.kind !== 'form') return;
  asked.of(run).set(open.key, answer);
  closeGate(run, open, 'person', answer.decision);
  run.keepTime();
}

/** Closes the questions of a call that has ended. */
function closeForms(run: Run, callId: string): void {
  for (const key of keysOf(run, callId)) {
    endForm(run, key, 'superseded');
    asked.of(run).delete(key);
  }
}

/** One call may ask several questions. */
function callsWaiting({ state: { people } }: Run): number {
  const calls = people.gates.flatMap(({ key, gate, answer }) =>
    answer === null && key.startsWith(FORM) && gate.kind === 'form' ? gate.subject.callId : [],
  );
  return new Set(calls).size;
}

type Asked = NonNullable<FormMessage['question']> & { tool: ToolDefinition; callId: string };

/** Returns an answer that exists already; null: the gate is open. */
function openForm(run: Run, key: string, { tool, callId, message, schema }: Asked): FormAnswer | null {
  const known = asked.of(run).get(key);
  if (known !== undefined) return known;
  if (!isRoomForGate(openGates(run))) return CANCEL;
  const server = tool.origin.type === 'mcp' ? tool.origin.server : '';
  const subject = { server, tool: tool.name, callId, schema };
  const text = formText(run.words, { server, tool: tool.name, message, schema });
  const auto = openGate(run, { key, kind: 'form', ...text, subject });
  if (auto) return auto;
  const open = gateAt(run, key);
  if (open?.gate.kind === 'form' && hasWholeForm(open.gate, { ...open.gate, subject })) return null;
  // The form had to be cut to fit. An answer to the rest would not be an answer to the server's form.
  endForm(run, key, 'superseded');
  return CANCEL;
}

function endForm(run: Run, key: string, by: 'timeout' | 'superseded'): void {
  const open = gateAt(run, key);
  if (open) closeGate(run, open, by, by === 'timeout' ? 'decline' : 'the server asks no more');
  if (asked.of(run).get(key) === null) asked.of(run).set(key, CANCEL);
  run.keepTime();
}

/** Returns the tool of a call in flight if it is a server's, else null. */
function toolInFlight({ state, pinned }: Run, callId: string): ToolDefinition | null {
  const call = callInFlight(state, callId);
  const tool = pinned.tools.find(({ name }) => name === call?.name);
  return tool?.origin.type === 'mcp' ? tool : null;
}

function prefixOf({ callId, attempt }: Pick<FormMessage, 'callId' | 'attempt'>): string {
  return `${FORM}${callId}:${attempt}:`;
}

function keysOf(run: Run, callId: string): string[] {
  return [...asked.of(run).keys()].filter(key => key.startsWith(`${FORM}${callId}:`));
}
