/** The activity that looks at a call of a workflow before it is made: what the worker denies, and its arguments. */

import { fill, wordsOf } from '../../core/prompts/words.js';
import { errorText } from '../../core/text/error-text.js';
import { matchesCall } from '../../core/tools/permission.js';
import { badArgumentsNote } from '../../core/tools/tool-notes.js';
import type { CallChecked, CallToolInput } from '../types.js';

export interface CheckCallDeps {
  /** Patterns of `permissions.deny`, as the file says now. */
  deniedTools(): Promise<string[]>;
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /** @throws where the workspace is none that this worker serves. */
  openWorkspace(path: string): Promise<string>;
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
