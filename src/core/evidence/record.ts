/** What a run keeps of its own effects while a goal is pursued: snapshots, and calls. */

import { EVIDENCE_BYTES } from '../state/bounds.js';
import type { ToolEnding, ToolResultBlock } from '../state/message.js';
import { preview } from '../text/preview.js';
import { sizeOfList } from '../text/sizes.js';
import type { ToolDefinition } from '../tools/tool.js';
import { argumentNames, isCommandName } from '../tools/tool-paths.js';
import { contentText, isCut } from '../tools/tool-result.js';
import { mayHaveActed } from '../tools/tool-use.js';
import type { CallNote, Evidence, Snapshot } from './evidence.js';
import { codeSays } from './exit-code.js';

/** With the snapshots of one call. A file that has another name already is as it was before that was written. */
export function withSnapshots(evidence: Evidence, snapshots: readonly Snapshot[]): Evidence {
  const files = [...evidence.files];
  let { left } = evidence;
  for (const snapshot of snapshots) {
    const earlier = files.find(({ path }) => path === snapshot.path);
    const { named, taskIds } = snapshot;
    const file = earlier ? { ...earlier, named, taskIds } : snapshot;
    if (sizeOfList([...files, file]) <= EVIDENCE_BYTES / 2) files.push(file);
    else left += 1;
  }
  return { ...evidence, files, left };
}

/** The task at work has a part in what becomes of these paths. */
export function withWriter(evidence: Evidence, named: readonly string[], taskId: string | null): Evidence {
  if (taskId === null) return evidence;
  const files = evidence.files.map(file =>
    named.includes(file.named) && !file.taskIds.includes(taskId)
      ? { ...file, taskIds: [...file.taskIds, taskId] }
      : file,
  );
  return { ...evidence, files };
}

export function withCall(evidence: Evidence, note: CallNote): Evidence {
  const calls = [...evidence.calls, note];
  let { left } = evidence;
  // What only looked goes first: it matters less what a later look made good.
  while (sizeOfList(calls) > EVIDENCE_BYTES / 2) {
    const looked = calls.findIndex(({ acted }) => !acted);
    calls.splice(Math.max(0, looked), 1);
    left += 1;
  }
  return { ...evidence, calls, left };
}

const NOT_TAKEN_PLACE: ReadonlySet<ToolEnding> = new Set(['reused', 'invalid', 'skipped', 'cancelled']);
const LINE_CHARS = 160;

type Ended = Pick<ToolResultBlock, 'ending' | 'isError' | 'content'>;

/** Nothing is kept of a call that only looked, and saw all; what it computed is. */
export function isNoted(
  tool: Pick<ToolDefinition, 'policy' | 'inputSchema'>,
  { ending, isError, content }: Ended,
): boolean {
  if (NOT_TAKEN_PLACE.has(ending)) return false;
  return (
    !tool.policy.readOnly ||
    argumentNames(tool).some(isCommandName) ||
    ending !== 'executed' ||
    isError ||
    content.some(isCut)
  );
}

/** What is kept of a call that has ended. */
export function callNote(
  result: Ended,
  about: {
    tool: ToolDefinition;
    line: string;
    input: Readonly<Record<string, unknown>>;
    named: string[];
    taskId: string | null;
  },
): CallNote {
  const { ending, isError, content } = result;
  const { tool, line, input, named, taskId } = about;
  const acted = !tool.policy.readOnly && mayHaveActed(ending);
  const cut = content.some(isCut);
  const tells = isError || ending !== 'executed' || Object.keys(input).some(isCommandName);
  const said = tells ? tellingLine(contentText(content)) : null;
  const silent = !isError && ending === 'executed' && isSilent(tool, input);
  const note = { taskId, call: preview(line, LINE_CHARS), named, ending, isError, acted, cut, said };
  return { ...note, ...(silent && { silent }) };
}

const SHELL_LINE = /^(?:commands?|cmds?|command_?line|shell|script)$/i;

/** Beside a list of its words a command is no line. A tool that has `pipefail` says so of itself. */
function isSilent({ description }: ToolDefinition, input: Readonly<Record<string, unknown>>): boolean {
  const lines = Object.entries(input).filter(([name]) => isCommandName(name));
  const [name = '', line] = lines[0] ?? [];
  if (lines.length !== 1 || !SHELL_LINE.test(name) || typeof line !== 'string') return false;
  const pipefail = /\bpipefail\b/.test(description) && !/\bwithout pipefail\b/.test(description);
  return codeSays(line, { pipefail }) !== 'all';
}

const EXIT = /\bexit(?:ed)?\b.*?\d+/i;

/** The first line, with the last of the others that has an exit code: one of the two is not what the command wrote. */
function tellingLine(text: string): string | null {
  const [first, ...others] = text.split('\n').filter(line => line.trim() !== '');
  if (first === undefined) return null;
  const last = others.findLast(line => EXIT.test(line));
  if (last === undefined) return fromExit(first, LINE_CHARS);
  const chars = Math.floor((LINE_CHARS - BETWEEN.length) / 2);
  return `${fromExit(first, chars)}${BETWEEN}${fromExit(last, chars)}`;
}

/** Of a line that is too long, from where it tells the code. */
function fromExit(line: string, chars: number): string {
  return preview(line.length > chars ? line.slice(Math.max(0, line.search(EXIT))) : line, chars);
}

const BETWEEN = ' … ';
