/** Gates in words, for the Web UI's details, watchers and terminals. */

import { plainLine, quotedBlock } from '../plain-markdown.js';
import type { PlannedTask } from '../plan.js';
import { preview } from '../preview.js';
import { choicesOf, type Gate } from './gate.js';

/** Title and body of a gate, as its maker fills them in. */
export interface GateText {
  title: string;
  body: string;
}

const MOST_ARGUMENT_CHARS = 4_000;

/** A tool call that asks, with its arguments in full up to a size, and what speaks for caution. */
export function approvalText(given: {
  tool: string;
  /** The model's id of the call. */
  callId: string;
  input: unknown;
  /** The model's own text, where it was mended to be read. */
  raw?: string | undefined;
  thought: string;
  concerns: readonly string[];
}): GateText {
  const why = given.thought.trim() === '' ? [] : [`Why: ${preview(given.thought, 500)}`];
  const mended =
    given.raw === undefined
      ? []
      : ['The model wrote it like this, which was mended:', codeBlock(given.raw, given.callId)];
  const parts = [
    ...why,
    ...given.concerns.map(concern => `- ${concern}`),
    codeBlock(given.input, given.callId),
    ...mended,
  ];
  return { title: `Run ${given.tool}?`, body: parts.join('\n\n') };
}

/** A call that the client is to run. */
export function clientToolText(given: { tool: string; callId: string; input: unknown }): GateText {
  return { title: `Waiting for the result of ${given.tool}`, body: codeBlock(given.input, given.callId) };
}

/** A plan that waits for approval, with what a review found. */
export function planText(tasks: readonly PlannedTask[], concerns: readonly string[]): GateText {
  const list = tasks.map(task => {
    const criterion = task.completionCriteria ? ` (done when: ${preview(task.completionCriteria)})` : '';
    return `- ${task.id}: ${preview(task.description)}${criterion}`;
  });
  return {
    title: `Carry out this plan of ${tasks.length} task(s)?`,
    body: [...list, ...concerns.map(concern => `- Note: ${concern}`)].join('\n'),
  };
}

function notWhole(chars: number, callId: string): string {
  return `**Not all of it is shown: ${MOST_ARGUMENT_CHARS} of ${chars} characters.** All: \`steersman show <run>\`, or the query \`toolRequest\` with \`"${callId}"\`.`;
}

/** JSON between fences that nothing in it can close. */
function codeBlock(value: unknown, callId: string): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const left = text.length - MOST_ARGUMENT_CHARS;
  const shown = left > 0 ? `${text.slice(0, MOST_ARGUMENT_CHARS)}\n… ${left} characters more` : text;
  const note = left > 0 ? `\n\n${notWhole(text.length, callId)}` : '';
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${shown}\n${fence}${note}`;
}

/** The gate in some words: for lists, and for the timer that ends the wait. */
export function gateLine({ id, kind, title }: Gate): string {
  return `${id} ${kind}: ${preview(title, 80)}`;
}

/** The gate with what can be sent to answer it, as Markdown. */
export function gateMarkdown(gate: Gate): string {
  const title = `**${gate.id}: ${plainLine(gate.title)}**`;
  const lines = [title, '', quotedBlock(gate.body.trim()), '', ...answersOf(gate)];
  if (gate.deadline !== null) {
    const until = new Date(gate.deadline).toISOString();
    lines.push(`- without an answer by ${until}: ${atDeadline(gate)}`);
  }
  return lines.join('\n');
}

/** Each answer as plain JSON for the Web UI's update form. */
function answersOf(gate: Gate): string[] {
  const { id: gateId } = gate;
  const line = (update: string, input: object) => `- update \`${update}\`: \`${JSON.stringify(input)}\``;
  switch (gate.kind) {
    case 'question':
      return [line('answerGate', { gateId, text: '…' })];
    case 'clientTool':
      return [line('submitToolResult', { gateId, content: '…' })];
    case 'approval':
    case 'plan':
    case 'route':
    case 'budget':
    case 'failure':
      return choicesOf(gate).map(decision =>
        line('answerGate', { gateId, decision, ...extras(gate, decision) }),
      );
  }
}

/** What a choice needs besides its name. */
function extras(gate: Gate, decision: string): object {
  if (gate.kind === 'plan' && decision === 'reject') return { reason: '…' };
  if (gate.kind === 'plan' && decision === 'edit') return { tasks: [{ id: '…', description: '…' }] };
  if (gate.kind === 'budget' && decision === 'raise')
    return { to: 2 * Math.max(gate.subject.limit, gate.subject.used) };
  if (gate.kind === 'failure' && decision === 'other_model') return { model: gate.subject.models[0] };
  return {};
}

function atDeadline(gate: Gate): string {
  switch (gate.kind) {
    case 'approval':
      return 'denied';
    case 'plan':
      return 'rejected, nothing is carried out';
    case 'question':
      return 'goes on as well as possible without it';
    case 'route':
      return gate.subject.act === 'confirm'
        ? 'goes on, and the answer counts as not verified'
        : 'goes on as it was, with the message as a note';
    case 'clientTool':
      return 'an error is the result';
    case 'budget':
      return 'wraps up';
    case 'failure':
      return 'stops';
  }
}
