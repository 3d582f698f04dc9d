/** The activity that looks at a file that a call is about to write, before somebody is asked about that call. */
import { createTwoFilesPatch } from 'diff';
import { type ComparedFile, shownDiff, wholeWrite } from '../../core/gates/whole-write.js';
import type { CompareFileInput } from '../types.js';

export interface CompareFileDeps {
  /** Reads arguments too large for the input from the workflow. Fails as `state.unavailable`. */
  readArguments(callId: string): Promise<Record<string, unknown>>;
  /** @throws where the workspace is none that this worker serves. Returns its real path. */
  openWorkspace(path: string): Promise<string>;
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
