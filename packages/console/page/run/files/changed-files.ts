/** The files that a run's calls wrote, from its messages and events: each call's change, and what its answer tells. Pure. */

import type { Durable } from '@steersman/view';
import { isRecord, parseRecord } from 'steersman/base';
import type { FilesChanged, Message, ThreadTranscript, ToolInput } from 'steersman/client';
import { editText, wholeWrite } from 'steersman/rules';
import { isOwnCall, type Told, textOf, textRead, toldBy } from './answers.js';

export interface Edit {
  oldText: string;
  newText: string;
  all: boolean;
}

export type Act =
  | { kind: 'write'; content: string }
  /** `edits`: null if they have an unknown form; then only the difference is known. */
  | { kind: 'edit'; edits: Edit[] | null; diff: string }
  /** `to`: it was moved there. */
  | { kind: 'delete'; to?: string }
  | { kind: 'move'; from: string };

/** A call that changed a file, or may have. */
export interface FileCall {
  callId: string;
  tool: string;
  at: number;
  /** Its place among all calls. */
  order: number;
  /** It is `executed`, without an error, or one of `UNSURE`. */
  ending: string;
  act: Act;
  /** False for a tool of another server: its effect is unknown. */
  isOwn: boolean;
  /** Null for an answer that is not of the workspace's own tools. */
  told: Told | null;
  /** The file as the run last read it before, if it read all of it. */
  read: string | null;
}

export interface ChangedFile {
  path: string;
  calls: FileCall[];
  /** Commands during which it changed too. */
  commands: (CommandCall & { deleted?: true })[];
  isGone: boolean;
}

export interface CommandCall {
  callId: string;
  command: string;
  at: number;
  order: number;
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
  /** Some of the run's messages are missing. */
  isCut: boolean;
}

/** Facts about a call from the run's own events, by the model's id of the call. */
interface CallFacts {
  seq: number;
  /** Arguments that a person changed at a gate. */
  edited: ToolInput | null;
  files: FilesChanged | null;
}

function toldIn(events: readonly Durable[]): Map<string, CallFacts> {
  const byUse = new Map<string, CallFacts>();
  const byCall = new Map<string, CallFacts>();
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

/** After these endings it is unknown whether the call changed something. */
export const UNSURE: readonly string[] = ['outcome_unknown', 'timed_out', 'session_lost'];

/**
 * Messages have the model's arguments. `events` (those that the page has) contain the arguments that a person edited.
 */
export function changesIn(
  threads: readonly Pick<ThreadTranscript, 'messages'>[],
  events: readonly Durable[] = [],
): Changes {
  const facts = toldIn(events);
  // Threads share messages. Calls of the conversation's earlier runs changed nothing in this run.
  const all = new Map(threads.flatMap(thread => thread.messages.map(each => [each.id, each])));
  const messages = [...all.values()].filter(({ from }) => from === undefined);
  const calls = new Map(messages.flatMap(message => callsOf(message).map(call => [call.id, call] as const)));
  const found = new Files();
  const commands: CommandCall[] = [];
  let order = 0;
  for (const message of messages) {
    if (message.kind !== 'tool_result') continue;
    for (const { toolUseId, toolName, ending, isError, content } of message.content) {
      const { seq = null, edited = null, files: changed = null } = facts.get(toolUseId) ?? {};
      const input = edited ?? calls.get(toolUseId)?.input;
      if (input === undefined) continue;
      order += 1;
      const base = { callId: toolUseId, at: message.at, order, ending };
      if (typeof input.command === 'string' && ending !== 'reused') {
        const command = { ...base, command: input.command, isError, seq, more: changed?.more ?? 0 };
        commands.push(command);
        if (changed) found.noteCommand(command, changed);
      }
      const isDone = ending === 'executed' && !isError;
      if (!isDone && !UNSURE.includes(ending)) continue;
      const text = isDone ? textOf(content) : null;
      const told = text === null ? null : toldBy(text);
      const isOwn = isOwnCall(nameOf(toolName), text);
      const call = { ...base, tool: toolName, told, isOwn };
      const acts = actsOf(isOwn ? nameOf(toolName) : null, input);
      for (const { path, act } of acts) found.noteCall(path, told?.path ?? path, { ...call, act });
      if (acts.length === 0 && text !== null && nameOf(toolName) === 'read')
        found.noteRead(pathOf(input), textRead(input, text));
    }
  }
  const isCut = messages.some(({ kind }) => kind === 'cut');
  return { files: found.list(), commands, isCut };
}

/** Collects what happens to each file, in order. */
class Files {
  readonly #files = new Map<string, ChangedFile>();
  readonly #reads = new Map<string, string | null>();

  list(): ChangedFile[] {
    return [...this.#files.values()];
  }

  noteRead(path: string | null, text: string | null): void {
    if (path !== null) this.#reads.set(path, text);
  }

  noteCommand(command: CommandCall, { changed, added, gone }: FilesChanged): void {
    for (const path of [...changed, ...added]) this.#at(path, false).commands.push(command);
    for (const path of gone) this.#at(path, true).commands.push({ ...command, deleted: true });
  }

  /** `named`: the path in the arguments, under which the file was read. `path`: the path in the answer. */
  noteCall(named: string, path: string, call: Omit<FileCall, 'read'>): void {
    const { act } = call;
    const from = act.kind === 'move' ? act.from : named;
    const read = this.#reads.get(from) ?? this.#reads.get(path) ?? null;
    const isGone = act.kind === 'delete' && call.ending === 'executed';
    this.#at(path, isGone).calls.push({ ...call, read });
    // A folder goes with the files in it.
    if (act.kind !== 'delete' || !isGone) return;
    for (const below of this.list())
      if (below.path.startsWith(`${path}/`) && !below.isGone) this.#goWith(path, below.path, call, act.to);
  }

  #goWith(folder: string, path: string, call: Omit<FileCall, 'read'>, to: string | undefined): void {
    const there = to === undefined ? null : to + path.slice(folder.length);
    const act: Act = { kind: 'delete', ...(there !== null && { to: there }) };
    this.#at(path, true).calls.push({ ...call, act, read: null });
    if (there === null) return;
    this.#at(there, false).calls.push({ ...call, act: { kind: 'move', from: path }, read: null });
  }

  #at(path: string, isGone: boolean): ChangedFile {
    const file = this.#files.get(path) ?? { path, calls: [], commands: [], isGone };
    this.#files.set(path, file);
    file.isGone = isGone;
    return file;
  }
}

function callsOf(message: Message) {
  if (message.kind !== 'assistant') return [];
  return message.content.flatMap(block => (block.type === 'tool_use' ? [block] : []));
}

const PATHS = ['path', 'file_path', 'filePath'];

/** `own`: the name of a tool of the workspace; null for another server's. */
function actsOf(own: string | null, input: ToolInput): { path: string; act: Act }[] {
  const write = wholeWrite(input);
  if (write !== null) return [{ path: plain(write.path), act: { kind: 'write', content: write.content } }];
  const path = pathOf(input);
  const diff = editText(input, Number.POSITIVE_INFINITY);
  if (path !== null && diff !== null)
    return [{ path, act: { kind: 'edit', edits: editsOf(input.edits), diff } }];
  if (own === 'delete' && path !== null) return [{ path, act: { kind: 'delete' } }];
  if (own === 'move' && typeof input.from === 'string' && typeof input.to === 'string') {
    const [from, to] = [plain(input.from), plain(input.to)];
    return [
      { path: from, act: { kind: 'delete', to } },
      { path: to, act: { kind: 'move', from } },
    ];
  }
  return [];
}

/** The tool's name without its server's name. */
function nameOf(tool: string): string {
  return tool.replace(/^.*__/, '');
}

function pathOf(input: ToolInput): string | null {
  const found = PATHS.map(name => input[name]).find(value => typeof value === 'string');
  return typeof found === 'string' ? plain(found) : null;
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
