/**
 * Checks before a call is made: for a workflow, the worker's denials and the arguments; for a file to be written, its
 * present content for the person who is asked.
 */
import { createTwoFilesPatch } from 'diff';
import { errorText } from '../base/text/error-text.js';

import { fill, wordsOf } from '../base/words/words.js';
import { badArgumentsNote } from '../conversation/tool-notes.js';
import { type ComparedFile, type EditFails, shownDiff, wholeWrite } from '../rules/gates/whole-write.js';
import { matchesCall } from '../run/tools/permission.js';
import type { CallChecked, CallToolInput, CompareFileInput } from './types.js';

/** Requests of activities to the worker's host. */
export interface HostDeps {
  /** Returns patterns of calls that never run on this worker, by its present configuration. */
  deniedTools(): Promise<readonly string[]>;
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /**
   * Returns the real path of a folder that this worker allows, looked up for each call: the worker decides on access,
   * regardless of the run's state. @throws SteersmanError if it does not allow the folder.
   */
  openWorkspace(path: string): Promise<string>;
}

export interface CheckCallDeps extends HostDeps {
  /** Parsers by tool name: they check the arguments, and fill in defaults. @throws for invalid ones. */
  parsers: ReadonlyMap<string, (args: unknown) => unknown>;
}

/** Makes `steersmanCheckCall`. It changes nothing. */
export function createCheckCall({ deniedTools, readArguments, openWorkspace, parsers }: CheckCallDeps) {
  return async function steersmanCheckCall(input: CallToolInput): Promise<CallChecked> {
    const { tool, callId } = input;
    const words = wordsOf({ pinned: input.words ?? null });
    const args = input.arguments ?? (await readArguments(callId));
    const real = await openWorkspace(input.workspace);
    const parse = parsers.get(tool);
    const deny = await deniedTools();
    // Arguments may name the folder as the run does, or by its real path.
    const denied = [input.workspace, real].some(workspace =>
      matchesCall([tool], { input: args, workspace }, deny),
    );
    if (parse === undefined || denied)
      return { ending: 'denied', note: fill(words.noteDeniedByConfiguration, { tool }) };
    try {
      return { arguments: parse(args) };
    } catch (error) {
      return { ending: 'invalid', note: badArgumentsNote(words, [errorText(error)]) };
    }
  };
}

export interface CompareFileDeps extends Pick<HostDeps, 'readArguments' | 'openWorkspace'> {
  /** Null if the file does not exist. @throws if it may not be read. */
  readOld(workspace: string, path: string): Promise<string | null>;
  /** Returns why an edit of the workspace's tools can't be applied; null if it can. Nothing is changed. */
  editFault(workspace: string, args: Record<string, unknown>): Promise<string | null>;
}

/** The comparison of very different texts is given up after this time. */
const MOST_MS = 1_000;

/** Makes `steersmanCompareFile`. Only the shown part of the diff leaves the worker. */
export function createCompareFile({ readArguments, openWorkspace, readOld, editFault }: CompareFileDeps) {
  return async function steersmanCompareFile(input: CompareFileInput): Promise<ComparedFile | EditFails> {
    const args = input.arguments ?? (await readArguments(input.callId));
    const write = wholeWrite(args);
    try {
      if (write === null) {
        const why = 'edits' in args ? await editFault(await openWorkspace(input.workspace), args) : null;
        return why === null ? { kind: 'unread' } : { kind: 'fails', why };
      }
      const old = await readOld(await openWorkspace(input.workspace), write.path);
      if (old === write.content) return { kind: 'same' };
      const diff = shownDiff(diffOf(old ?? '', write.content));
      return { kind: old === null ? 'new' : 'changed', diff };
    } catch {
      return { kind: 'unread' };
    }
  };
}

function diffOf(before: string, after: string): string {
  const options = { context: 3, timeout: MOST_MS };
  const patch: string | undefined = createTwoFilesPatch('', '', before, after, '', '', options);
  if (patch === undefined) return [...marked('-', before), ...marked('+', after)].join('\n');
  // Removes the file names.
  return patch.slice(Math.max(0, patch.indexOf('@@'))).replace(/\n$/, '');
}

function marked(mark: string, text: string): string[] {
  return text === '' ? [] : text.split('\n').map(line => `${mark}${line}`);
}
