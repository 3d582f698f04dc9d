/**
 * What is looked at before a call is made: of a workflow, what the worker denies, and its arguments; of a file that is
 * about to be written, what stands there, for who is asked.
 */
import { createTwoFilesPatch } from 'diff';
import { errorText } from '../../base/text/error-text.js';

import { fill, wordsOf } from '../../base/words/words.js';
import { badArgumentsNote } from '../../conversation/tool-notes.js';
import { type ComparedFile, shownDiff, wholeWrite } from '../../rules/gates/whole-write.js';
import { matchesCall } from '../../run/tools/permission.js';
import type { CallChecked, CallToolInput, CompareFileInput } from '../types.js';

/** What activities ask of the worker's host. */
export interface HostDeps {
  /** Patterns of calls that never run on this worker, as its configuration has them now. */
  deniedTools(): Promise<readonly string[]>;
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /**
   * The real path of a folder that this worker serves, looked up for each call: who may work where is the worker's
   * to say, whatever the run's state has. @throws SteersmanError where it does not serve the folder.
   */
  openWorkspace(path: string): Promise<string>;
}

export interface CheckCallDeps extends HostDeps {
  /** By name: reads the arguments, and fills defaults in. @throws for those that do not fit. */
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
    // Arguments may name the folder as the run does, or as it is.
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
  /** Null: there is no such file. @throws where it is not to be read. */
  readOld(workspace: string, path: string): Promise<string | null>;
}

/** Texts that have too little in common are not compared to the end. */
const MOST_MS = 1_000;

/** Makes `steersmanCompareFile`. Only the diff leaves the worker, and as much of it as is shown. */
export function createCompareFile({ readArguments, openWorkspace, readOld }: CompareFileDeps) {
  return async function steersmanCompareFile(input: CompareFileInput): Promise<ComparedFile> {
    const write = wholeWrite(input.arguments ?? (await readArguments(input.callId)));
    if (write === null) return { kind: 'unread' };
    try {
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
  // Without the names of the files.
  return patch.slice(Math.max(0, patch.indexOf('@@'))).trimEnd();
}

function marked(mark: string, text: string): string[] {
  return text === '' ? [] : text.split('\n').map(line => `${mark}${line}`);
}
