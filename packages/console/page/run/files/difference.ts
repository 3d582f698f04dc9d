/** The difference of a file from before the run, put together from its calls and checked with their answers. Pure. */

import { type ChangedFile, type Changes, type Edit, type FileCall, UNSURE } from './changed-files.js';

/** A file's calls, including calls on the path from which it was moved. */
export interface Way extends Pick<ChangedFile, 'calls' | 'commands'> {
  /** The path that it had before the run. */
  origin: string;
  /** Why the calls may not be all that happened to it; null if they are. */
  gap: 'cut' | 'unnamed' | null;
}

/** Why the calls are shown one by one. */
export type Why =
  /** A command deleted the file. */
  | 'deleted'
  /** A command changed it. */
  | 'command'
  /** A command may have changed it: its events are missing, or it changed more files than are named. */
  | 'unnamed'
  /** Messages are missing. */
  | 'cut'
  /** The effect of a call is unknown. */
  | 'unsure'
  /** A tool of another server was called, whose effect is unknown. */
  | 'foreign'
  /** The text before the first call is unknown. */
  | 'unread'
  /** A call's answer does not fit the text that the calls before it leave. */
  | 'between';

export type Comparison =
  /** `before`: null if there was no file. `after`: null if there is none. `since`: where the text before is from. */
  { before: string | null; after: string | null; since: 'run' | 'read' } | { why: Why };

/** Returns what happened to a file until a call of the run. */
export function wayOf(changes: Changes, path: string, until = Number.POSITIVE_INFINITY): Way {
  const file = changes.files.find(each => each.path === path);
  const isBefore = ({ order }: { order: number }) => order < until;
  const calls = file?.calls.filter(isBefore) ?? [];
  const commands = file?.commands.filter(isBefore) ?? [];
  const at = calls.findLastIndex(({ act }) => act.kind === 'move');
  const moved = calls[at];
  if (moved?.act.kind === 'move') {
    const before = wayOf(changes, moved.act.from, moved.order);
    const later = commands.filter(({ order }) => order > moved.order);
    const all = [...before.calls, ...calls.slice(at)];
    return {
      ...{ origin: before.origin, calls: all, commands: [...before.commands, ...later] },
      gap: gapIn(changes, all),
    };
  }
  return { origin: path, calls, commands, gap: gapIn(changes, calls) };
}

function gapIn({ commands, isCut }: Changes, [first]: readonly FileCall[]): Way['gap'] {
  if (isCut) return 'cut';
  const isUnnamed = commands.some(({ order, ending, seq, more }) => {
    const mayAct = ending === 'executed' ? seq === null || more > 0 : UNSURE.includes(ending);
    return mayAct && order > (first?.order ?? 0);
  });
  return isUnnamed ? 'unnamed' : null;
}

/**
 * Returns the text before the run and after its calls. `before`: null if there was no file; undefined if the run did
 * not read it: then the first call's answer, or an earlier read, tells.
 */
export function comparison({ calls, commands, gap }: Way, before: string | null | undefined): Comparison {
  if (commands.some(({ deleted }) => deleted)) return { why: 'deleted' };
  if (commands.length > 0) return { why: 'command' };
  if (gap !== null) return { why: gap };
  if (calls.some(({ isOwn }) => !isOwn)) return { why: 'foreign' };
  if (calls.some(({ ending }) => ending !== 'executed')) return { why: 'unsure' };
  const [first] = calls;
  const candidates = before !== undefined ? [before] : first === undefined ? [] : textsBefore(first);
  for (const start of candidates) {
    const end = calls.reduce<string | null | undefined>(after, start);
    const since = before === undefined && start !== null ? 'read' : 'run';
    if (end !== undefined) return { before: start, after: end, since };
  }
  return { why: candidates.length === 0 ? 'unread' : 'between' };
}

/** Returns the texts that the file can have had before its first call. A read does not tell how lines end. */
function textsBefore({ act, told, read }: FileCall): (string | null)[] {
  if (told?.wrote?.had === null) return [null];
  // Only an answer of our own tools proves that the text read is the one that the call found.
  const isProven = told !== null || act.kind === 'move';
  if (read === null || !isProven) return [];
  if (read === '') return [''];
  const forms = [`${read}\n`, read];
  return [...forms, ...forms.map(form => form.replaceAll('\n', '\r\n'))];
}

/** Undefined if the call can't have this result. */
function after(text: string | null | undefined, { act, told }: FileCall): string | null | undefined {
  if (text === undefined) return undefined;
  switch (act.kind) {
    case 'write': {
      const fits = told?.wrote === undefined || isWritten(text, act.content, told.wrote);
      return fits ? act.content : undefined;
    }
    case 'delete':
      return text === null ? undefined : null;
    case 'move':
      return text ?? undefined;
    case 'edit': {
      const made = text === null || act.edits === null ? undefined : edited(text, act.edits);
      const lines = made?.split(/\r?\n/) ?? [];
      return told?.lines?.every(([line, shown]) => lines[line - 1] === shown) === false ? undefined : made;
    }
  }
}

function isWritten(
  text: string | null,
  content: string,
  { bytes, had }: { bytes: number; had: number | null },
): boolean {
  return bytes === sizeOf(content) && had === (text === null ? null : sizeOf(text));
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Applies edits like the tool: each old text must occur once in the file before the call, unless all places are wanted. */
function edited(text: string, edits: readonly Edit[]): string | undefined {
  const plain = text.replaceAll('\r\n', '\n');
  const isWindows = plain !== text;
  // A file with both line ends: the tool keeps each, so the result is not known here.
  if (isWindows && plain.replaceAll('\n', '\r\n') !== text) return undefined;
  const places: { from: number; to: number; newText: string }[] = [];
  for (const { oldText, newText, all } of edits) {
    const old = oldText.replaceAll('\r\n', '\n');
    const found = placesOf(plain, old);
    if (found.length === 0 || (found.length > 1 && !all)) return undefined;
    const put = newText.replaceAll('\r\n', '\n');
    places.push(...found.map(from => ({ from, to: from + old.length, newText: put })));
  }
  places.sort((a, b) => a.from - b.from);
  let made = '';
  let last = 0;
  for (const { from, to, newText } of places) {
    if (from < last) return undefined;
    made += plain.slice(last, from) + newText;
    last = to;
  }
  made += plain.slice(last);
  return isWindows ? made.replaceAll('\n', '\r\n') : made;
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}
