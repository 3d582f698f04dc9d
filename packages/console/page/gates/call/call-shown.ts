/** The effect of a tool call, as a gate's card shows it: its change once, in the form that suits it. Pure. */
import { isRecord } from 'steersman/base';
import type { Gate, ToolInput } from 'steersman/client';
import { besideEdit, editText, type GatePart, partsOf, wholeWrite } from 'steersman/rules';
import { type Act, actOf } from './act.js';

/** A call's change. Each argument is shown exactly once. */
export type Change =
  /** Lines with `-`, `+` or a blank. `whole`: the new file, if the difference was cut. `rest`: further arguments. */
  | { kind: 'diff'; text: string; whole: string | null; rest: ToolInput }
  | { kind: 'command'; text: string; rest: ToolInput }
  | { kind: 'file'; text: string }
  | { kind: 'fields'; fields: ToolInput }
  | { kind: 'empty' }
  /** The arguments are unknown here: the gate's own text. */
  | { kind: 'text'; parts: GatePart[] };

/** A call as its card shows it. A gate about several calls has several. */
export interface ShownCall {
  tool: string;
  act: Act;
  change: Change;
  concerns: readonly string[];
  compared: ApprovalGate['subject']['compared'];
  /** False for a tool of another server: what it does with the text is unknown. */
  isOwn: boolean;
}

type ApprovalGate = Extract<Gate, { kind: 'approval' }>;

type CallGate = Extract<Gate, { kind: 'approval' | 'clientTool' }>;

/** Returns the calls that a gate asks about. `input`: all arguments; null if no worker answers. */
export function callsOf(gate: CallGate, input: ToolInput | null): ShownCall[] {
  const { subject } = gate;
  if ('calls' in subject && subject.calls !== undefined && gate.kind === 'approval') {
    const changes = changesIn(gate);
    return subject.calls.map((call, at) => {
      const { tool, path, concerns = [], compared } = call;
      const change = changes[at] ?? { kind: 'text', parts: [] };
      const isOwn = 'workspaceTool' in call;
      return { tool, act: actOf(call, { path }), change, concerns, compared, isOwn };
    });
  }
  const { concerns = [], compared } = gate.kind === 'approval' ? gate.subject : {};
  const act = actOf(subject, input);
  const change = changeOf(gate, input, act);
  return [{ tool: subject.tool, act, change, concerns, compared, isOwn: isOurs(gate) }];
}

/** A gate of several calls shows each change in full, below a line with its number, tool and path. */
function changesIn(gate: ApprovalGate): Change[] {
  const { calls = [] } = gate.subject;
  const changes: Change[] = calls.map(() => ({ kind: 'fields', fields: {} }));
  let at = -1;
  for (const part of partsOf(gate)) {
    if (part.kind === 'text')
      for (const paragraph of part.text.split('\n\n')) {
        const head = `${at + 2}. ${calls[at + 1]?.tool} `;
        if (at + 1 >= calls.length || !paragraph.startsWith(head)) continue;
        at += 1;
        // The path is followed by arguments that the difference does not show.
        const beside = paragraph.slice(head.length).replace(/^"(?:[^"\\]|\\.)*"\s*/, '');
        changes[at] = { kind: 'diff', text: '', whole: null, rest: beside === '' ? {} : { '': beside } };
      }
    const change = changes[at];
    if (part.kind === 'code' && part.language === 'diff' && change?.kind === 'diff')
      changes[at] = { ...change, text: part.text };
  }
  return changes;
}

function changeOf(gate: CallGate, input: ToolInput | null, { values }: Act): Change {
  const parts = partsOf(gate);
  if (input === null) return { kind: 'text', parts };
  const compared = parts.find(part => part.kind === 'code' && part.language === 'diff');
  const write = wholeWrite(input);
  if (write !== null && compared?.kind === 'code')
    return {
      kind: 'diff',
      text: compared.text,
      whole: isCut(compared.text) ? write.content : null,
      rest: {},
    };
  if (write !== null && isOurs(gate)) return { kind: 'file', text: write.content };
  const edit = editText(input, Number.POSITIVE_INFINITY);
  if (edit !== null) return { kind: 'diff', text: edit, whole: null, rest: besideOf(input) };
  const { command } = input;
  if (typeof command === 'string')
    return { kind: 'command', text: command, rest: without(input, name => name === 'command') };
  if (Object.keys(input).length === 0) return { kind: 'empty' };
  const isTold = (name: string) => name !== 'tool' && values[name] === input[name];
  return { kind: 'fields', fields: gate.kind === 'approval' ? without(input, isTold) : input };
}

/** True for a tool of the workspace. The effect of another tool's path and content is unknown. */
function isOurs({ subject }: CallGate): boolean {
  return 'workspaceTool' in subject;
}

function isCut(diff: string): boolean {
  return diff.endsWith('\n…');
}

/** Returns what title and difference do not show of an edit, such as `all`. */
function besideOf(input: ToolInput): ToolInput {
  const [own = {}, ...each] = besideEdit(input);
  const extras = each.flatMap((edit, at) =>
    Object.entries(edit).map(([name, value]) => [`edits.${at}.${name}`, value] as const),
  );
  return { ...own, ...Object.fromEntries(extras) };
}

function without(input: ToolInput, isShown: (name: string) => boolean): ToolInput {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !isShown(name)));
}

/** Returns the model's own text of the call, if it had to be repaired to be read. */
export function mendedFrom(gate: CallGate): string | null {
  const json = partsOf(gate).filter(part => part.kind === 'code' && part.language === 'json');
  const [, raw] = json;
  return raw?.kind === 'code' ? raw.text : null;
}

/** Returns the texts of a gate of an earlier version, which has its doubts only there. */
export function earlierTexts({ subject, ...gate }: CallGate): string[] {
  if (!('concerns' in subject) && !('calls' in subject) && gate.kind === 'approval')
    return partsOf({ subject, ...gate } as CallGate).flatMap(part =>
      part.kind === 'text' ? [part.text] : [],
    );
  return [];
}

/** Returns what "always" would allow; null if there is nothing to allow beyond this call. */
export function alwaysOf({ always, tool }: Extract<Gate, { kind: 'approval' }>['subject']): Act | null {
  if (always === null) return null;
  if (always === undefined) return { word: 'alwaysTool', values: { tool } };
  return { word: 'alwaysCommand', values: {} };
}

/** True if the argument's value is best read on separate lines. */
export function isLong(value: unknown): boolean {
  return typeof value === 'string'
    ? value.includes('\n') || value.length > 80
    : isRecord(value) || Array.isArray(value);
}
