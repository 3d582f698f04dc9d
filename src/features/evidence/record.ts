/** Records a run's effects while a goal is pursued: snapshots and calls. */

import { sizeOfList } from '../../base/sizes/sizes.js';
import { preview } from '../../base/text/preview.js';
import { contentText, isCut } from '../../conversation/tool-result.js';
import { digest, type OutputLine, outputLine } from '../../rules/prompts/output-line.js';
import { codeSays } from '../../rules/tools/exit-code.js';
import { sandboxReads } from '../../rules/tools/inline-code.js';
import type { Snapshot } from '../../run/evidence/evidence.js';
import type { ToolEnding, ToolResultBlock } from '../../run/messages/message.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { argumentNames, isCommandName } from '../../run/tools/tool-paths.js';
import { effectOf, mayHaveActed } from '../../run/tools/tool-use.js';
import { mayAlter, testsThenAlters } from './altering.js';
import type { CallNote, Evidence } from './rules.js';

/** Parts of `EVIDENCE_BYTES`; later numbers and tasks of files use the remainder. */
const FILES_BYTES = 6_800;
const CALLS_BYTES = 7_200;
const NAMES_BYTES = 1_600;

/** Adds one call's snapshots. A file known under another name keeps its earlier state. */
export function withSnapshots(evidence: Evidence, snapshots: readonly Snapshot[]): Evidence {
  return snapshots.reduce(withSnapshot, evidence);
}

function withSnapshot(evidence: Evidence, snapshot: Snapshot): Evidence {
  const earlier = evidence.files.find(({ path }) => path === snapshot.path);
  const { named, path, taskIds } = snapshot;
  const files = [...evidence.files, earlier ? { ...earlier, named, taskIds } : snapshot];
  if (sizeOfList(files) <= FILES_BYTES) return { ...evidence, files };
  if (earlier) return evidence;
  // Its name is stored, so that its change is attributed correctly.
  const { files: known, wrote } = evidence.unkept ?? { files: [], wrote: 0 };
  const same = known.find(file => file.path === path);
  const all = [...new Set([...(same?.taskIds ?? []), ...taskIds])];
  const unkept = [...known.filter(file => file !== same), { path, taskIds: all }];
  if (sizeOfList(unkept) > NAMES_BYTES) return same ? evidence : { ...evidence, left: evidence.left + 1 };
  return { ...evidence, unkept: { files: unkept, wrote } };
}

/** Adds the task at work to the tasks of these paths. */
export function withWriter(evidence: Evidence, named: readonly string[], taskId: string | null): Evidence {
  if (taskId === null) return evidence;
  const files = evidence.files.map(file =>
    named.includes(file.named) && !file.taskIds.includes(taskId)
      ? { ...file, taskIds: [...file.taskIds, taskId] }
      : file,
  );
  return { ...evidence, files };
}

/** Adds a note on a call that ended. `alters` gets its number among the changes. */
export function withCall(before: Evidence, given: CallNote): Evidence {
  const { alters, ...rest } = given;
  const isChange = given.acted && (alters !== undefined || writes(given));
  const changes = (before.changes ?? 0) + (isChange ? 1 : 0);
  const evidence = isChange && writes(given) ? withWrites(before, given, changes) : before;
  const isKept = evidence !== before && alters === undefined;
  const note = isChange && !isKept ? { ...given, alters: changes } : rest;
  const calls = [...evidence.calls, note];
  let { left } = evidence;
  while (sizeOfList(calls) > CALLS_BYTES) {
    // Calls that a file's entry covers are dropped first, then read-only ones, which a later look may have made good.
    const covered = calls.findIndex(each => isKnownByFile(evidence, each));
    const readOnly = calls.findIndex(({ acted }) => !acted);
    calls.splice(Math.max(0, covered < 0 ? readOnly : covered), 1);
    if (covered < 0) left += 1;
  }
  return { ...evidence, ...(isChange && { changes }), calls, left };
}

/** True if the call writes the paths that it names; a command need not write other paths, such as its folder. */
function writes({ acted, named, ran }: CallNote): boolean {
  return acted && named.length > 0 && ran === undefined;
}

/** Returns the same evidence if it does not include any of the files. */
function withWrites(evidence: Evidence, { named }: CallNote, wrote: number): Evidence {
  const { files, unkept } = evidence;
  const isKnown = (name: string) => files.some(file => file.named === name);
  if (!unkept && !named.every(isKnown)) return evidence;
  return {
    ...evidence,
    files: files.map(file => (named.includes(file.named) ? { ...file, wrote } : file)),
    ...(unkept && !named.every(isKnown) && { unkept: { ...unkept, wrote } }),
  };
}

function isKnownByFile({ files, unkept }: Evidence, note: CallNote): boolean {
  const { named, ending, isError, alters } = note;
  if (!writes(note) || ending !== 'executed' || isError || alters !== undefined) return false;
  return unkept !== undefined || named.every(name => files.some(file => file.named === name));
}

const NOT_TAKEN_PLACE: ReadonlySet<ToolEnding> = new Set(['reused', 'invalid', 'skipped', 'cancelled']);
const LINE_CHARS = 160;
/** Limits for failures and for computations. */
const FAILED_CHARS = 240;
const COMPUTED_CHARS = 600;

type Ended = Pick<ToolResultBlock, 'ending' | 'isError' | 'content'>;

/** True if a call is recorded: not if it only looked and saw everything, but a computation is. */
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

/** Returns the note of a call that ended. `at`: the number of changes when it began. */
export function callNote(
  result: Ended,
  about: {
    tool: ToolDefinition;
    line: string;
    input: Readonly<Record<string, unknown>>;
    named: string[];
    taskId: string | null;
    at?: number;
  },
): CallNote {
  const { ending, isError, content } = result;
  const { tool, line, input, named, taskId, at } = about;
  const acted = !tool.policy.readOnly && mayHaveActed(ending);
  const isDone = ending === 'executed' && !isError;
  const ran = ranBy(tool, input);
  const output = outputOf(contentText(content), ran, isDone);
  const cut = content.some(isCut) || output?.last !== undefined;
  const note = { taskId, call: preview(line, LINE_CHARS), named, ending, isError, acted, cut, said: null };
  return {
    ...note,
    ...output,
    ...(isDone && isSilent(tool, input, ran) && { silent: true }),
    ...(ran && { ran }),
    ...(ran === 'command' && testsThenAlters(lineIn(input)) && { undoes: true }),
    ...(at !== undefined && { at }),
    ...(acted && altersMore(tool, input, ran) && { alters: 0 }),
  };
}

/** Returns the note of a sub-agent's act, from its line: how its commands ended is unknown. */
export function agentNote(
  line: string,
  { tools, taskId, at }: { tools: readonly ToolDefinition[]; taskId: string | null; at: number },
): CallNote {
  const effect = effectOf(line);
  const [, name = '', rest = ''] = /^(?:\S+\/\d+: )*(\S+) ?(.*)$/s.exec(effect.call) ?? [];
  const tool = tools.find(each => each.name === name);
  const note = { taskId, named: [], acted: true, cut: false, said: null, at, ...effect };
  if (!tool || !argumentNames(tool).some(isCommandName)) return { ...note, alters: 0 };
  return { ...note, ran: 'command', silent: true, ...(mayAlter(rest) && { alters: 0 }) };
}

function outputOf(text: string, ran: CallNote['ran'], isDone: boolean): OutputLine | null {
  if (ran === 'command') return outputLine(text, LINE_CHARS);
  if (isDone && ran === undefined) return null;
  return digest(text, isDone ? COMPUTED_CHARS : FAILED_CHARS);
}

const SHELL_LINE = /^(?:commands?|cmds?|command_?line|shell|script)$/i;

/** The `code` argument of a tool that acts need not be a program. */
function ranBy({ policy }: ToolDefinition, input: Readonly<Record<string, unknown>>): CallNote['ran'] {
  const entries = Object.entries(input).filter(([name]) => isCommandName(name));
  if (entries.some(([name]) => name.toLowerCase() !== 'code')) return 'command';
  const isProgram = ([, code]: [string, unknown]) => policy.readOnly || /[(\n]/.test(String(code));
  return entries.some(isProgram) ? 'code' : undefined;
}

/** A command with a separate list of words is not a line. A tool with `pipefail` says so in its description. */
function isSilent(
  { description }: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
  ran: CallNote['ran'],
): boolean {
  const lines = Object.entries(input).filter(([name]) => isCommandName(name));
  const [name = '', line] = lines[0] ?? [];
  if (lines.length !== 1 || typeof line !== 'string') return false;
  if (ran === 'code') return !sandboxReads(line);
  if (!SHELL_LINE.test(name)) return false;
  const pipefail = /\bpipefail\b/.test(description) && !/\bwithout pipefail\b/.test(description);
  return codeSays(line, { pipefail }) !== 'all';
}

/** True if a call may have changed files other than those it names. */
function altersMore(
  { origin }: ToolDefinition,
  input: Readonly<Record<string, unknown>>,
  ran: CallNote['ran'],
): boolean {
  if (ran === undefined)
    return origin.type !== 'workflow' && Object.keys(input).some(name => PATCH.test(name));
  return ran === 'code' || !wordsIn(input).every(word => typeof word === 'string') || mayAlter(lineIn(input));
}

function wordsIn(input: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(input).flatMap(([name, value]) => (isCommandName(name) ? value : []));
}

function lineIn(input: Readonly<Record<string, unknown>>): string {
  return wordsIn(input).join(' ');
}

const PATCH = /^(?:patch|diff|edits|changes)$/i;
