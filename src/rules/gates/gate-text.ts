/** Texts of gates for the Web UI's details, watchers and terminals. */

import { isRecord, ownValue } from '../../base/json/json.js';
import { headChars } from '../../base/text/large-text.js';
import { fenced, plainLine, quoted, quotedBlock } from '../../base/text/plain-markdown.js';
import { oneLine, preview } from '../../base/text/preview.js';
import { codedJson, escapeDiff, escapeUnseen, lookalikes, visibleText } from '../../base/text/unseen.js';
import { BUILT_IN_WORDS, fill, type WordKey, type Words } from '../../base/words/words.js';
import { type Check, checkLine } from '../../run/checks/check.js';
import { choicesOf, type Gate, type GateAnswer, type GateCall, type GateKind } from '../../run/gates/gate.js';
import { optionLine } from '../../run/gates/options.js';
import type { PlannedTask, Task } from '../../run/plan/plan.js';
import { allowedBy } from '../../run/tools/permission.js';
import { type ToolDefinition, workspaceToolOf } from '../../run/tools/tool.js';
import { inRunOrder } from '../plan/plan-order.js';
import { barred, type GatePart, OPTIONS, partsOf } from './gate-parts.js';
import { type ComparedFile, comparedLine, PATH, shownDiff, textUnder, wholeWrite } from './whole-write.js';

export type GateText = Pick<Gate, 'title' | 'body'>;

const MOST_ARGUMENT_CHARS = 4_000;
/** The shown beginning of a model's words about a call. */
const WHY_CHARS = 500;

/** Null for a model that said nothing. */
export function whyShown(thought: string): string | null {
  return thought.trim() === '' ? null : preview(visibleText(thought), WHY_CHARS);
}

export function approvalText(
  words: Words,
  given: {
    tool: string;
    callId: string;
    input: unknown;
    /** The model's own text, if it needed repair to be read. */
    raw?: string | undefined;
    thought: string;
    concerns: readonly string[];
    /** The file that the call writes completely, compared; null if it writes no file, or was not compared. */
    compared?: ComparedFile | null;
  },
): GateText {
  const why = whyShown(given.thought);
  const mended = given.raw === undefined ? [] : [words.gateMended, codeBlock(words, given.raw, given.callId)];
  const parts = [
    ...(why === null ? [] : [fill(words.gateWhy, { thought: why })]),
    ...given.concerns.map(concern => `- ${barred(concern)}`),
    // The change is shown in addition to the arguments, which are decisive.
    ...changeOf(words, given.input, given.compared ?? null),
    codeBlock(words, given.input, given.callId),
    ...mended,
  ];
  return { title: fill(words.gateApproval, { tool: given.tool }), body: parts.join('\n\n') };
}

const MOST_ARGUMENT_LINE_CHARS = 1_000;

/** Returns the arguments in a gate's subject, for programs. */
export function argumentLine(input: unknown): string {
  const line = escapeUnseen(JSON.stringify(input));
  return line.length <= MOST_ARGUMENT_LINE_CHARS ? line : `${headChars(line, MOST_ARGUMENT_LINE_CHARS - 1)}…`;
}

/** Returns the reasons with which a person refused calls: their words count for the goal, too. */
export function refusalsOf(words: Words, gate: Gate, answer: GateAnswer): string[] {
  if (gate.kind !== 'approval' || answer.kind !== 'approval') return [];
  const { tool, arguments: input, calls } = gate.subject;
  const refusal = (call: string, reason: string) => fill(words.refusedCall, { call, reason });
  const nameOf = (call: GateCall) => `${call.tool} ${call.path}`;
  if (answer.decision === 'deny') {
    const call = calls ? calls.map(nameOf).join(', ') : `${tool} ${input}`;
    return answer.reason ? [refusal(preview(call), answer.reason)] : [];
  }
  const { except = {} } = answer;
  return (calls ?? []).flatMap(call => {
    const reason = ownValue(except, call.callId);
    return reason ? [refusal(nameOf(call), reason)] : [];
  });
}

export type AskedTool = Pick<ToolDefinition, 'name' | 'serverToolName' | 'origin' | 'digest'>;

/** Returns how a gate's subject names its tool. */
export function namedTool(tool: AskedTool): Pick<GateCall, 'tool' | 'workspaceTool'> {
  const workspaceTool = workspaceToolOf(tool);
  return { tool: tool.name, ...(workspaceTool !== null && { workspaceTool }) };
}

/** Returns the question about a call, in words and for programs. */
export function approvalOf(
  words: Words,
  asked: AskedTool,
  call: Omit<Parameters<typeof approvalText>[1], 'tool'>,
): GateText & { subject: Extract<Gate, { kind: 'approval' }>['subject'] } {
  const { callId, input } = call;
  const { name: tool, digest } = asked;
  const always = isRecord(input) ? allowedBy(tool, input) : tool;
  const why = whyShown(call.thought);
  const facts = {
    ...{ ...namedTool(asked), callId, arguments: argumentLine(input), ...(always !== tool && { always }) },
    ...(why !== null && { why }),
    concerns: [...call.concerns],
    ...(call.compared && wholeWrite(input) !== null && { compared: call.compared.kind }),
  };
  const { title, body } = approvalText(words, { tool, ...call });
  return {
    title,
    // Placed first, so that cutting long arguments can't remove it.
    body: `${alwaysText(words, tool, always)}\n\n${body}`,
    subject: { ...facts, ...(digest !== undefined && { digest }) },
  };
}

/** Returns the permission that "always" would grant, in words. */
export function alwaysText(words: Words, tool: string, always: string | null): string {
  if (always === null) return words.gateAlwaysOnce;
  return always === tool ? fill(words.gateAlwaysTool, { tool }) : words.gateAlwaysCommand;
}

export function changeOf(words: Words, input: unknown, compared: ComparedFile | null): string[] {
  const change = editText(input);
  if (change !== null) return [diffBlock(change)];
  const write = compared && wholeWrite(input);
  if (!compared || !write) return [];
  return [
    comparedLine(words, compared, write.path),
    ...('diff' in compared ? [diffBlock(compared.diff)] : []),
  ];
}

export function clientToolText(
  words: Words,
  { tool, callId, input }: { tool: string; callId: string; input: unknown },
): GateText {
  return { title: fill(words.gateClientTool, { tool }), body: codeBlock(words, input, callId) };
}

/** Shows each task in full, so that the person who decides sees all of the work. */
export function planText(
  words: Words,
  tasks: readonly PlannedTask[],
  concerns: readonly string[],
  checks: readonly Check[] = [],
): GateText {
  const ids = new Set(tasks.map(({ id }) => id));
  const idShown = idShower(ids, everyLanguage(words));
  return {
    title: fill(words.gatePlan, { count: tasks.length }),
    // Checks are approved as shown, so they come first, where they can't be cut off.
    body: [
      ...checks.map(check => planCheckLine(words, check)),
      ...inRunOrder(tasks).map(task => planTaskLine(words, task, ids, idShown)),
      ...concerns.map(concern => `- ${fill(words.gatePlanNote, { concern: barred(concern) })}`),
    ].join('\n'),
  };
}

function planTaskLine(
  words: Words,
  task: PlannedTask,
  ids: ReadonlySet<string>,
  idShown: (id: string) => string,
): string {
  const { completionCriteria } = task;
  const before = task.dependencies.filter(needed => ids.has(needed)).map(idShown);
  const own = idShown(task.id);
  const id = before.length === 0 ? own : fill(words.gatePlanAfter, { id: own, ids: before.join(', ') });
  const description = shownTask(task);
  if (!completionCriteria) return `- ${fill(words.gatePlanLine, { id, description })}`;
  return `- ${fill(words.gatePlanTask, { id, description, criterion: shownLine(completionCriteria) })}`;
}

/** Returns a task on one line: its description, and its call if it is done by one. */
export function shownTask({ description, call }: Pick<PlannedTask, 'description' | 'call'>): string {
  const made = call ? ` (${call.tool} ${JSON.stringify(call.arguments)})` : '';
  return shownLine(description + made);
}

/** Returns a function that shows each id distinctly: ids that look alike are shown with codes. */
export function idShower(ids: Iterable<string>, words: readonly Words[] = []): (id: string) => string {
  const alike = lookalikes(ids);
  return id => (alike.has(id) ? codedJson(JSON.stringify(id)) : shownId(id, words));
}

/** Quotes an id that could pass for other words, or for the beginning of one of the run's lines. */
export function shownId(id: string, words: readonly Words[] = []): string {
  const isPlain = /^[\p{L}\p{M}\p{N}_.-]+$/u.test(id) && !beginnings(words).has(bare(id));
  return isPlain ? id : escapeUnseen(JSON.stringify(id));
}

/** Returns the run's words and those of each language; user interfaces load them only for texts with the run's lines. */
function everyLanguage(words: Words): Words[] {
  return [...Object.values(BUILT_IN_WORDS), words];
}

/** Returns the beginnings of the run's other lines: the whole beginning, and its first word. */
function beginnings(words: readonly Words[]): ReadonlySet<string> {
  return new Set(
    words
      .flatMap(({ gatePlanNote, gatePlanCheck }): string[] => [gatePlanNote, gatePlanCheck])
      .map(line => line.split('{')[0] ?? '')
      .flatMap(begin => [bare(begin), bare(begin.trim().split(/\s/)[0] ?? '')]),
  );
}

/** Returns the text without case, width and surrounding punctuation. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .replace(/(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/u, '');
}

/** Returns the text on one line. Invisible characters are marked first, because some count as blanks. */
export function shownLine(text: string): string {
  return oneLine(visibleText(text));
}

function planCheckLine(words: Words, check: Check): string {
  const command = escapeUnseen(JSON.stringify('run' in check ? check.run : checkLine(check)));
  return `- ${fill(words.gatePlanCheck, { command })}`;
}

/** Returns the checks that were shown in full to the person who saw this plan. */
export function checksShown(words: Words, checks: readonly Check[], body: string): Check[] {
  const lines = new Set(body.split('\n'));
  return checks.filter(check => lines.has(planCheckLine(words, check)));
}

export function failedStepText(words: Words, { id, description, reason, result }: Task): GateText {
  const line = fill(words.gateStepFailed, {
    id: shownId(id, everyLanguage(words)),
    reason: reason ?? 'failed',
    description: preview(visibleText(description)),
  });
  return {
    title: fill(words.gateStep, { id: shownId(id, everyLanguage(words)) }),
    body:
      result === null || result.trim() === '' ? line : `${line}\n\n${preview(visibleText(result), 1_000)}`,
  };
}

/**
 * Returns arguments as gates show them: without invisible characters, and without characters that reorder the text
 * around them.
 */
export function argumentsText(value: unknown): string {
  return escapeUnseen(JSON.stringify(value, null, 2) ?? 'null');
}

/** Returns JSON between fences that its content can't close. */
function codeBlock(words: Words, value: unknown, callId: string): string {
  const text = argumentsText(value);
  const left = text.length - MOST_ARGUMENT_CHARS;
  const shown =
    left > 0 ? `${text.slice(0, MOST_ARGUMENT_CHARS)}\n${fill(words.gateMoreChars, { count: left })}` : text;
  const notAll = { shown: MOST_ARGUMENT_CHARS, chars: text.length, callId };
  const note = left > 0 ? `\n\n${fill(words.gateNotAll, notAll)}` : '';
  return `${fenced('json', shown)}${note}`;
}

function diffBlock(diff: string): string {
  return fenced('diff', escapeDiff(diff));
}

export function gateLine({ id, kind, title }: Gate): string {
  return `${id} ${kind}: ${preview(title, 80)}`;
}

export function gateMarkdown(words: Words, gate: Gate): string {
  const title = `**${gate.id}: ${plainLine(gate.title)}**`;
  const lines = [title, '', ...partsOf(gate).flatMap(part => [partMarkdown(part), '']), ...answersOf(gate)];
  if (gate.deadline !== null) {
    const until = new Date(gate.deadline).toISOString();
    lines.push(`- ${fill(words.gateDeadline, { until, what: atDeadline(words, gate) })}`);
  }
  return lines.join('\n');
}

/** Returns a part for the Web UI, which reads Markdown. */
function partMarkdown(part: GatePart): string {
  switch (part.kind) {
    case 'text':
    case 'said':
      return quotedBlock(part.text);
    case 'code':
      return quoted(fenced(part.language, part.text));
    case 'options':
      return [OPTIONS, '', ...part.options.map((option, at) => optionLine(plainLine(option), at))].join('\n');
  }
}

function answersOf(gate: Gate): string[] {
  const { id: gateId, kind } = gate;
  const line = (update: string, input: object) => `- update \`${update}\`: \`${JSON.stringify(input)}\``;
  if (kind === 'question') return [line('answerGate', { gateId, text: '…' })];
  if (kind === 'clientTool') return [line('submitToolResult', { gateId, content: '…' })];
  return choicesOf(gate).map(decision => line('answerGate', { gateId, decision, ...extras(gate, decision) }));
}

function extras(gate: Gate, decision: string): object {
  if (gate.kind === 'plan' && decision === 'reject') return { reason: '…' };
  if (gate.kind === 'plan' && decision === 'edit') return { tasks: [{ id: '…', description: '…' }] };
  if (gate.kind === 'budget' && decision === 'raise')
    return { to: 2 * Math.max(gate.subject.limit, gate.subject.used) };
  if (gate.kind === 'form' && decision === 'accept') return { content: { '…': '…' } };
  if (gate.kind === 'failure' && decision === 'other_model') return { model: gate.subject.models[0] };
  return {};
}

const AT_DEADLINE = {
  approval: 'deadlineApproval',
  plan: 'deadlinePlan',
  question: 'deadlineQuestion',
  route: 'deadlineRoute',
  clientTool: 'deadlineClientTool',
  budget: 'deadlineBudget',
  failure: 'deadlineFailure',
  step: 'deadlineStep',
  form: 'deadlineForm',
} as const satisfies Record<GateKind, WordKey>;

function atDeadline(words: Words, gate: Gate): string {
  const confirms = gate.kind === 'route' && gate.subject.act === 'confirm';
  return confirms ? words.deadlineConfirm : words[AT_DEADLINE[gate.kind]];
}

// The change that a call makes in a file, as a diff from its own arguments. The file itself is not read.

/** Argument names for the text that is removed and the text that replaces it. */
const OLD = ['oldText', 'old_text', 'old_string', 'oldString', 'old_str'];
const NEW = ['newText', 'new_text', 'new_string', 'newString', 'new_str'];

/**
 * Returns lines removed with `-`, added with `+`, unchanged with a blank; null for a call without such arguments.
 * `most`: the limit in characters. Default: the limit for gates.
 */
export function editText(input: unknown, most?: number): string | null {
  if (!isRecord(input)) return null;
  const edits = Array.isArray(input.edits) ? input.edits : [input];
  const parts = edits.map(edit =>
    isRecord(edit) ? oneEdit(textUnder(edit, OLD), textUnder(edit, NEW)) : null,
  );
  if (parts.length === 0 || parts.some(part => part === null)) return null;
  return shownDiff(parts.join('\n@@\n'), most);
}

/**
 * Returns the arguments that path and difference of an edit do not show: the call's own, then those of each of its edits.
 * A second name for a path or a text is among them, because the tool may read that one.
 */
export function besideEdit(input: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  if (!Array.isArray(input.edits)) return [unshown(input, [PATH, OLD, NEW])];
  const { edits, ...own } = input;
  return [unshown(own, [PATH]), ...edits.map(edit => unshown(edit, [OLD, NEW]))];
}

/** Leaves out the arguments that are shown: for each list of names, the first name that has a text. */
function unshown(given: unknown, shown: readonly (readonly string[])[]): Record<string, unknown> {
  if (!isRecord(given)) return {};
  const names = shown.map(list => list.find(name => typeof given[name] === 'string'));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

function oneEdit(before: string | null, after: string | null): string | null {
  if (before === null || after === null) return null;
  // The final line break adds no empty line to the diff, unless one of the texts lacks it.
  const isWhole = [before, after].every(text => text === '' || text.endsWith('\n'));
  const end = isWhole ? -1 : undefined;
  const [gone, come] = [linesOf(before).slice(0, end), linesOf(after).slice(0, end)];
  const most = Math.min(gone.length, come.length);
  let head = 0;
  while (head < most && gone[head] === come[head]) head += 1;
  let tail = 0;
  while (tail < most - head && gone.at(-1 - tail) === come.at(-1 - tail)) tail += 1;
  return [
    ...gone.slice(0, head).map(line => ` ${line}`),
    ...gone.slice(head, gone.length - tail).map(line => `-${line}`),
    ...come.slice(head, come.length - tail).map(line => `+${line}`),
    ...gone.slice(gone.length - tail).map(line => ` ${line}`),
  ].join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
