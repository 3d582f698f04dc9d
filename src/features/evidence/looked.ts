/** Builds the evidence for a verdict: items with ids, and the text that the verifier reads. */

import { jsonBytes } from '../../base/json/json.js';
import { safeLine } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { fill, type Words } from '../../base/words/words.js';
import { diffWithin, outputText } from '../../rules/prompts/output-line.js';
import { endedBadly } from '../../rules/tools/exit-code.js';
import { type CheckResult, changedNames } from '../../run/checks/check.js';
import {
  type EvidenceItem,
  type FileNow,
  type FilesNow,
  type Looked,
  NOT_SEEN,
  type Snapshot,
} from '../../run/evidence/evidence.js';
import type { Task } from '../../run/plan/plan.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { argumentNames, isCommandName } from '../../run/tools/tool-paths.js';
import { othersOf } from './others.js';
import type { CallNote, Entry, Evidence } from './rules.js';

/** Limits for all diffs, and for the items with their texts. */
const DIFFS_BYTES = 12_000;
const LIST_BYTES = 24_000;

/** True if there is anything to look up. */
export function isWorthALook({ files, calls }: Evidence): boolean {
  return files.length > 0 || calls.some(({ acted }) => acted);
}

/** Merges a file with two names into one, with the tasks of both. */
export function filesOf({ files }: Evidence): Snapshot[] {
  const byPath = new Map<string, Snapshot>();
  for (const file of files) {
    const known = byPath.get(file.path);
    const taskIds = [...new Set([...(known?.taskIds ?? []), ...file.taskIds])];
    const wrote = Math.max(known?.wrote ?? 0, file.wrote ?? 0);
    byPath.set(file.path, { ...(known ?? file), taskIds, ...(wrote > 0 && { wrote }) });
  }
  return [...byPath.values()];
}

interface LookedInput {
  evidence: Evidence;
  /** The latest results of the goal's checks. */
  checks: readonly CheckResult[];
  /** Null: the workspace was not looked at, or could not be. */
  now: FilesNow | null;
  plan: readonly Pick<Task, 'id'>[];
  /** Tools that the goal had. */
  tools: readonly ToolDefinition[];
  words: Words;
}

/** Returns null without evidence, so that a goal without tools costs nothing. */
export function lookedUp({ evidence, checks, now, plan, tools, words }: LookedInput): Looked | null {
  if (tools.length + evidence.calls.length + checks.length === 0) return null;
  const snapshots = filesOf(evidence);
  const seen = snapshots.flatMap(before => fileEntry(words, before, now, snapshots) ?? []);
  const others = othersOf(words, evidence, now);
  const listed = new Set([...others.told, ...seen.flatMap(({ file }) => (file ? [file.path] : []))]);
  const pathOf = new Map(evidence.files.map(({ named, path }) => [named, path]));
  const isTold = ({ named, ending, isError, ran }: CallNote) =>
    ran === undefined &&
    ending === 'executed' &&
    !isError &&
    named.some(name => listed.has(pathOf.get(name) ?? name));
  const changes = changesOf(evidence, snapshots, now);
  const calls = evidence.calls
    .filter(note => !isTold(note))
    .map(note => callEntry(words, note, isBefore(note, changes)));
  const inPlan = new Set(plan.map(({ id }) => id));
  // Commands and computations say the most in the least room, so diffs are dropped first. Ids follow the order of the text.
  const kinds = [seen.map(ranked(2)), calls.map(ranked(0)), others.entries.map(ranked(1))].flat();
  const entries = kinds.map((entry, index) => ({ ...entry, id: `e${index + 1}` }));
  const all = [...checks.map(check => ranked(0)(checkEntry(words, check))), ...entries].map(
    ({ line, diff, rank, ...entry }, order) => {
      // Results of an earlier plan belong to no judged task: any of them may rest on these.
      const item = { ...entry, taskIds: entry.taskIds.filter(taskId => inPlan.has(taskId)) };
      const about = [item.id, item.taskIds.join(', '), line].filter(Boolean).join(' · ');
      return { rank, order, item, text: diff === null ? about : `${about}\n${diff}` };
    },
  );
  const shown = firstWithin(
    [...all].sort((a, b) => a.rank - b.rank || a.order - b.order),
    LIST_BYTES,
  ).sort((a, b) => a.order - b.order);
  const items = shown.map(({ item }) => item);
  const lost = evidence.left + all.length - shown.length;
  const facts = [
    ...others.facts,
    ...(now === null && isWorthALook(evidence) ? [words.evidenceUnseen] : []),
    ...(lost > 0 ? [fill(words.evidenceLeft, { count: lost })] : []),
    ...(tools.some(mayRunCommands) || checks.length > 0 ? [] : [words.evidenceNoCommands]),
  ];
  if (items.length === 0) return { text: [words.evidenceNone, ...facts].join(' '), items };
  const list = delimit('evidence', shown.map(({ text }) => text).join('\n'));
  return { text: [words.evidence, list, ...facts].join('\n'), items };
}

const ranked =
  (rank: number) =>
  <E extends object>(entry: E) => ({ ...entry, rank });

/** Numbers of the goal's changes. A path without a file before and after may not be a file's name at all. */
function changesOf({ calls, unkept }: Evidence, files: readonly Snapshot[], now: FilesNow | null): number[] {
  const isThere = (file: Snapshot) =>
    file.hash !== null || now?.files.find(({ path }) => path === file.path)?.hash !== null;
  const ofFiles = files.filter(isThere).map(({ wrote }) => wrote);
  const ofCalls = calls.map(({ alters }) => alters);
  return [...ofFiles, ...ofCalls, unkept?.wrote].filter(each => each !== undefined);
}

/** True if anything else changed after a command or computation began. */
function isBefore({ ran, at, alters, undoes }: CallNote, changes: readonly number[]): boolean {
  if (undoes) return true;
  return ran !== undefined && at !== undefined && changes.some(each => each > at && each !== alters);
}

/** A check concerns the whole goal: any task may rest on it. */
function checkEntry(
  words: Words,
  { id, check, status, why, changed = [], gone = [] }: CheckResult,
): Entry & Pick<EvidenceItem, 'id'> {
  const named = (paths: readonly string[]) => paths.map(path => safeLine(path, 120));
  const result = fill(words.evidenceCheck, { check: safeLine(check), status, why: safeLine(why) });
  const files = changedNames({ changed: named(changed), gone: named(gone) }, words).join(', ');
  const line = files === '' ? result : `${result}; ${fill(words.evidenceCheckReads, { files })}`;
  return { id, taskIds: [], supports: status === 'passed', line, diff: null };
}

function firstWithin<T>(all: readonly T[], maxBytes: number): T[] {
  let room = maxBytes;
  const over = all.findIndex(each => {
    room -= jsonBytes(each) + 1;
    return room < 0;
  });
  return over < 0 ? [...all] : all.slice(0, over);
}

/** Null for a path that never had a file: it may not be a file's name at all. */
function fileEntry(
  words: Words,
  before: Snapshot,
  seen: FilesNow | null,
  all: readonly Snapshot[],
): Entry | null {
  const now = seen?.files.find(({ path }) => path === before.path);
  const { taskIds } = before;
  if (now === undefined) return null;
  if (now.hash === null && before.hash === null && !now.isLater) return null;
  const path = safeLine(before.path);
  // Its change is unknown: without the file, its calls are listed instead.
  const unknown = { taskIds, supports: false, diff: null };
  if (now.hash === NOT_SEEN) return { ...unknown, line: `${path}: ${words.evidenceNotSeen}` };
  if (before.hash === NOT_SEEN) return { ...unknown, line: `${path}: ${words.evidenceUnread}` };
  const file = { path: now.path, hash: now.hash, bytes: now.bytes };
  const entry = (state: string, supports: boolean, diff: string | null = null): Entry => ({
    taskIds,
    supports,
    file,
    line: `${path}: ${state}`,
    diff,
  });
  const earlier = now.isLater ? `; ${words.evidenceEarlier}` : '';
  if (now.hash === null) return entry(words.evidenceGone, true);
  if (now.hash === before.hash) return entry(`${words.evidenceSame}${earlier}`, false);
  const { bytes } = now;
  const movedFrom = all.find(other => other.path !== before.path && other.hash === now.hash);
  const isMoved = movedFrom && seen?.files.some(({ path, hash }) => path === movedFrom.path && hash === null);
  if (isMoved) {
    const moved = fill(words.evidenceMoved, { path: safeLine(movedFrom.path), bytes });
    return entry(`${moved}${earlier}`, true);
  }
  const state = `${fill(before.hash === null ? words.evidenceNew : words.evidenceChanged, { bytes })}${earlier}`;
  if (now.diff !== null) return entry(`${state}:`, true, shownDiff(words, now, seen));
  return entry(`${state}; ${words[WHY[now.why ?? 'unread']]}`, true);
}

const WHY = {
  no_text: 'evidenceNoText',
  too_large: 'evidenceTooLarge',
  unread: 'evidenceUnread',
} as const;

/** Each diff gets an equal share of the room. */
function shownDiff(words: Words, { diff, left }: FileNow, seen: FilesNow | null): string {
  const whole = inLines(diff ?? '');
  const count = seen?.files.filter(file => file.diff !== null).length ?? 1;
  const shown = diffWithin(whole, Math.floor(DIFFS_BYTES / Math.max(1, count)));
  const more = left + whole.length - shown.length;
  return more === 0 ? whole : `${shown}\n${fill(words.evidenceCut, { count: more })}`;
}

/** Replaces other line ends, so that a text in the diff can't pass for a line of ours. */
function inLines(diff: string): string {
  return diff.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, sign => OWN_SIGNS[sign] ?? '?');
}

const OWN_SIGNS: Readonly<Record<string, string>> = { '\n': '\n', '\t': '\t', '\r': '␍' };

function callEntry(words: Words, note: CallNote, isOld: boolean): Entry {
  const { taskId, call, ending, isError, acted, cut, said, left = 0, silent = false, ran } = note;
  const marks = [ending, ...(isError && ending === 'executed' ? [words.evidenceError] : [])];
  if (cut) marks.push(words.evidencePart);
  if (silent) marks.push(ran === 'code' ? words.evidenceReadsNothing : words.evidenceSilent);
  if (isOld) marks.push(words.evidenceBefore);
  const outputLines = said === null ? [] : [safeLine(outputText(words, { ...note, said }), MOST_SAID)];
  const line = [`${safeLine(call)}: ${marks.join(', ')}`, ...outputLines];
  // A read-only call that is recorded in full is a computation.
  const did = ending === 'executed' && !isError && (ran === 'code' || !endedBadly(said ?? ''));
  const supports = did && !silent && !isOld && (acted || (said !== null && !cut));
  const failed = ending === 'executed' && !did;
  const isPart = cut || left > 0;
  return {
    taskIds: taskId === null ? [] : [taskId],
    supports,
    line: line.join(' · '),
    diff: null,
    ...(isPart && { cut: true }),
    ...(failed && { failed }),
  };
}

const MOST_SAID = 700;

/** A tool that takes a command and may change something; a calculator in a sandbox does not run tests. */
function mayRunCommands(tool: ToolDefinition): boolean {
  return !tool.policy.readOnly && argumentNames(tool).some(isCommandName);
}
