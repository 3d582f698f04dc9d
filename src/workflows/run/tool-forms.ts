/**
 * Questions of tool servers to a person while a call runs (T20). The call's activity signals the question, and queries the
 * answer; the gate is answered like any other. Calls in flight prevent continue-as-new, so this is never carried over. The
 * end of a call, however it ends, closes its questions.
 */

import { formText } from '../../rules/gates/gate-text.js';
import { type FormMessage, readFormMessage } from '../../run/gates/form.js';
import { type FormAnswer, hasWholeForm, isRoomForGate } from '../../run/gates/gate.js';
import type { OpenGate } from '../../run/state/people.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { closeGate, gateAt, openGate, openGates } from './gates.js';
import { callInFlight } from './requests.js';
import { FORM, type Run } from './run.js';

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
  run.memory.forms.set(key, openForm(run, key, { tool, ...message.question, callId: message.callId }));
  run.keepTime();
  run.show();
}

/** Returns the answer for the activity; null while unanswered. */
export function formAnswer({ memory: { forms }, state }: Run, id: string): FormAnswer | null {
  if (state.people.stop) return CANCEL;
  const answer = forms.get(`${FORM}${id}`);
  return answer === undefined ? CANCEL : answer;
}

/** Records a person's answer and closes the gate at once: the call that asked continues. */
export function takeForm(run: Run, open: OpenGate, answer: FormAnswer): void {
  run.memory.forms.set(open.key, answer);
  closeGate(run, open, 'person', answer.decision);
  run.keepTime();
}

/** Closes the questions of a call that has ended. */
export function closeForms(run: Run, callId: string): void {
  for (const key of keysOf(run, callId)) {
    endForm(run, key, 'superseded');
    run.memory.forms.delete(key);
  }
}

type Asked = NonNullable<FormMessage['question']> & { tool: ToolDefinition; callId: string };

/** Returns an answer that exists already; null: the gate is open. */
function openForm(run: Run, key: string, { tool, callId, message, schema }: Asked): FormAnswer | null {
  if (run.memory.forms.has(key)) return run.memory.forms.get(key) ?? null;
  if (!isRoomForGate(openGates(run))) return CANCEL;
  const server = tool.origin.type === 'mcp' ? tool.origin.server : '';
  const subject = { server, tool: tool.name, callId, schema };
  const text = formText(run.words, { server, tool: tool.name, message, schema });
  const auto = openGate(run, { key, kind: 'form', ...text, subject });
  if (auto) return auto;
  const open = gateAt(run, key);
  if (open?.gate.kind === 'form' && hasWholeForm(open.gate, { ...open.gate, subject })) return null;
  // A form that was cut to fit is another form.
  endForm(run, key, 'superseded');
  return CANCEL;
}

function endForm(run: Run, key: string, by: 'timeout' | 'superseded'): void {
  const open = gateAt(run, key);
  if (open) closeGate(run, open, by, by === 'timeout' ? 'decline' : 'the server asks no more');
  if (run.memory.forms.get(key) === null) run.memory.forms.set(key, CANCEL);
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

function keysOf({ memory: { forms } }: Run, callId: string): string[] {
  return [...forms.keys()].filter(key => key.startsWith(`${FORM}${callId}:`));
}
