/** The files that a run's calls wrote, from its messages and events: each call's change, and the text before and after if known. Pure. */

import type { Durable } from '@steersman/view';
import { isRecord, parseRecord } from 'steersman/base';
import type { FilesChanged, Message, ThreadTranscript, ToolInput } from 'steersman/client';
import { editText, wholeWrite } from 'steersman/rules';

interface Edit {
  oldText: string;
  newText: string;
  all: boolean;
}

type Act =
  | { kind: 'write'; content: string }
  /** `edits`: null for a form of edits that is not ours, of which only the difference is known. */
  | { kind: 'edit'; edits: Edit[] | null; diff: string }
  | { kind: 'delete' }
  | { kind: 'move'; from: string };

/** A call that was executed without an error. */
export interface FileCall {
  callId: string;
  tool: string;
  at: number;
  act: Act;
}

export interface ChangedFile {
  path: string;
  calls: FileCall[];
  /** Commands during which it changed too. */
  commands: CommandCall[];
  isGone: boolean;
}

export interface CommandCall {
  callId: string;
  command: string;
  at: number;
  ending: string;
  isError: boolean;
  /** Number of the event at which it began; null if the page does not have that. */
  seq: number | null;
  /** The number of files beyond those that are named. */
  more: number;
}

export interface Changes {
  /** In the order of their first change. */
  files: ChangedFile[];
  commands: CommandCall[];
}

/** What the run's own events say of a call, by the model's id of it. */
interface Told {
  seq: number;
  /** Arguments that a person changed at a gate. */
  edited: ToolInput | null;
  files: FilesChanged | null;
}

function toldIn(events: readonly Durable[]): Map<string, Told> {
  const byUse = new Map<string, Told>();
  const byCall = new Map<string, Told>();
  for (const event of events) {
    if (event.path !== undefined) continue;
    if (event.type === 'tool_call_started' && event.toolUseId !== undefined) {
      const edited = event.edited === true ? parseRecord(event.arguments) : null;
      const facts = { seq: event.seq, edited, files: null };
      byUse.set(event.toolUseId, facts);
      byCall.set(event.callId, facts);
    }
    const started = event.type === 'tool_call_ended' && byCall.get(event.callId);
    if (started) started.files = event.files ?? null;
  }
  return byUse;
}

/** Messages have the model's arguments. `events`, as far as the page has them, have arguments that a person edited. */
export function changesIn(
  threads: readonly Pick<ThreadTranscript, 'messages'>[],
  events: readonly Durable[] = [],
): Changes {
  const facts = toldIn(events);
  // Threads share messages.
  const messages = [
    ...new Map(threads.flatMap(thread => thread.messages.map(each => [each.id, each]))).values(),
  ];
  const calls = new Map(messages.flatMap(message => callsOf(message).map(call => [call.id, call] as const)));
  const files = new Map<string, ChangedFile>();
  const fileAt = (path: string) => {
    const file = files.get(path) ?? { path, calls: [], commands: [], isGone: false };
    files.set(path, file);
    return file;
  };
  const commands: CommandCall[] = [];
  for (const message of messages) {
    if (message.kind !== 'tool_result') continue;
    for (const { toolUseId, toolName, ending, isError } of message.content) {
      const { seq = null, edited = null, files: changed = null } = facts.get(toolUseId) ?? {};
      const input = edited ?? calls.get(toolUseId)?.input;
      if (input === undefined) continue;
      const base = { callId: toolUseId, at: message.at };
      if (typeof input.command === 'string' && ending !== 'reused') {
        const command = { ...base, command: input.command, ending, isError, seq, more: changed?.more ?? 0 };
        commands.push(command);
        for (const path of changed ? [...changed.changed, ...changed.added, ...changed.gone] : []) {
          const file = fileAt(path);
          file.commands.push(command);
          file.isGone = changed?.gone.includes(path) === true;
        }
      }
      if (ending !== 'executed' || isError) continue;
      for (const { path, act } of actsOf(toolName, input)) {
        const file = fileAt(path);
        file.calls.push({ ...base, tool: toolName, act });
        file.isGone = act.kind === 'delete';
      }
    }
  }
  return { files: [...files.values()], commands };
}

function callsOf(message: Message) {
  if (message.kind !== 'assistant') return [];
  return message.content.flatMap(block => (block.type === 'tool_use' ? [block] : []));
}

const PATHS = ['path', 'file_path', 'filePath'];

function actsOf(tool: string, input: ToolInput): { path: string; act: Act }[] {
  const write = wholeWrite(input);
  if (write !== null) return [{ path: plain(write.path), act: { kind: 'write', content: write.content } }];
  const found = PATHS.map(name => input[name]).find(value => typeof value === 'string');
  const path = typeof found === 'string' ? plain(found) : null;
  const diff = editText(input, Number.POSITIVE_INFINITY);
  if (path !== null && diff !== null)
    return [{ path, act: { kind: 'edit', edits: editsOf(input.edits), diff } }];
  const own = tool.replace(/^.*__/, '');
  if (own === 'delete' && path !== null) return [{ path, act: { kind: 'delete' } }];
  if (own === 'move' && typeof input.from === 'string' && typeof input.to === 'string')
    return [
      { path: plain(input.from), act: { kind: 'delete' } },
      { path: plain(input.to), act: { kind: 'move', from: plain(input.from) } },
    ];
  return [];
}

/** `./a` is `a`. */
function plain(path: string): string {
  return path.trim().replace(/^(?:\.\/)+/, '');
}

function editsOf(edits: unknown): Edit[] | null {
  if (!Array.isArray(edits)) return null;
  const read = edits.map(edit =>
    isRecord(edit) && typeof edit.oldText === 'string' && typeof edit.newText === 'string'
      ? { oldText: edit.oldText, newText: edit.newText, all: edit.all === true }
      : null,
  );
  return read.every(edit => edit !== null) ? (read as Edit[]) : null;
}

export type Comparison =
  /** `after` null: the file is gone. */
  | { before: string; after: string | null }
  /** The text before is unknown, or something else than these calls changed the file. */
  | null;

/** Returns the text before the run and after its calls. `before`: null if there was no file; undefined if it is unknown. */
export function comparison(
  { calls, commands }: Pick<ChangedFile, 'calls' | 'commands'>,
  before: string | null | undefined,
): Comparison {
  // Even if a call writes the complete text, the difference is unknown without the text before.
  if (before === undefined || commands.length > 0) return null;
  let text: string | null = before;
  for (const { act } of calls) {
    const next = after(text, act);
    if (next === undefined) return null;
    text = next;
  }
  return { before: before ?? '', after: text };
}

/** Undefined if the result of the call is unknown. */
function after(text: string | null, act: Act): string | null | undefined {
  switch (act.kind) {
    case 'write':
      return act.content;
    case 'delete':
      return null;
    case 'move':
      return undefined;
    case 'edit':
      return text === null || act.edits === null ? undefined : edited(text, act.edits);
  }
}

/** Applies edits like the tool: each old text must occur once in the file before the call, unless all places are wanted. */
function edited(text: string, edits: readonly Edit[]): string | undefined {
  const places: { from: number; to: number; newText: string }[] = [];
  for (const { oldText, newText, all } of edits) {
    const found = placesOf(text, oldText);
    if (found.length === 0 || (found.length > 1 && !all)) return undefined;
    places.push(...found.map(from => ({ from, to: from + oldText.length, newText })));
  }
  places.sort((a, b) => a.from - b.from);
  let made = '';
  let last = 0;
  for (const { from, to, newText } of places) {
    if (from < last) return undefined;
    made += text.slice(last, from) + newText;
    last = to;
  }
  return made + text.slice(last);
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}
