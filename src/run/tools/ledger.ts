/** The tool calls made and the places of their results: the memory behind dedupe (D1, D2, D3, D6). */

import { canonicalJson, isRecord, ownValue, utf8Length } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { LEDGER_BYTES } from '../../base/sizes/bounds.js';
import { sizeOfMember, sizeOfRecord } from '../../base/sizes/sizes.js';
import { preview } from '../../base/text/preview.js';
import type { ToolContent, ToolEnding, ToolResultBlock, ToolUseBlock } from '../messages/message.js';
import type { ToolPolicy } from './tool.js';
import { pathsOf, touches } from './tool-paths.js';

export interface LedgerEntry {
  toolUseId: string;
  tool: string;
  /** The message with the result. When it is trimmed, so is the entry (`forgetResults`). */
  messageId: string;
  ending: ToolEnding;
  isError: boolean;
  /** The complete result is available, if only by reference. */
  complete: boolean;
  /** The result shows only references, such as to a picture. */
  isStub: boolean;
  /** The paths that it concerns; null if they may be any (`tool-paths.ts`). */
  paths: string[] | null;
  /** It stays true through goals, messages and writes. */
  lasts?: true;
  /** The expiry in milliseconds since the epoch; absent: valid until something may have changed it. */
  until?: number;
}

/** Oldest entry first. Plain data, with keys from `ledgerKey`. */
export interface Ledger {
  entries: Record<string, LedgerEntry>;
}

/** The maximum number of entries, fewer if their arguments are long; the oldest are dropped first. */
export const LEDGER_KEPT = 350;

const LONGEST_PLAIN_ARGUMENTS = 200;
const HEAD_OF_LONG_ARGUMENTS = 80;

export function emptyLedger(): Ledger {
  return { entries: {} };
}

/** Returns a call's key: its tool and canonical arguments. */
export function ledgerKey(tool: string, args: unknown): string {
  // Long arguments are reduced to a head, their length and a 64-bit hash: safe against chance, not against someone who
  // builds two argument texts with one hash.
  const text = canonicalJson(args);
  if (text.length <= LONGEST_PLAIN_ARGUMENTS) return `${tool} ${text}`;
  return `${tool} ${shortFirst(args).slice(0, HEAD_OF_LONG_ARGUMENTS)}… (${text.length} characters, ${hash64(text)})`;
}

/** Returns a key that only this call of any run has, for systems that do nothing twice under one key. */
export function idempotencyKeyOf(
  chainId: string,
  toolUseId: string,
  { tool, args }: { tool: string; args: unknown },
): string {
  // A reset run may make another call under the same id, so the key includes the content. `chainId` is
  // the same in all segments.
  return `${chainId}-${toolUseId}-${hash64(`${tool} ${canonicalJson(args)}`).slice(0, 8)}`;
}

/** Returns two 32-bit hashes over UTF-16 units, as 16 hex digits. It is fast, because replays hash all that a run sent. */
export function hash64(text: string): string {
  // `Math.imul` is avoided: in the workflow sandbox each use of a global goes through an interceptor, and calls differ
  // by run, which discards compiled code. The factors are below 2^21, so that products are exact.
  let first = 0xdeadbeef | 0;
  let second = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    first = ((first ^ unit) * 1_299_709) | 0;
    second = ((second ^ unit) * 1_999_993) | 0;
  }
  return hex32(mixed(first)) + hex32(mixed(second));
}

function mixed(half: number): number {
  let hash = ((half ^ (half >>> 16)) * 1_540_483) | 0;
  hash = ((hash ^ (hash >>> 13)) * 1_732_051) | 0;
  return hash ^ (hash >>> 16);
}

function hex32(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}

/** Looks up a call about to be made: `reuse` a result, `advise` that there is one, or null. */
export function lookUp(
  ledger: Ledger,
  tool: string,
  args: unknown,
  rules: { policy: ToolPolicy; dedupe: 'enforce' | 'advise' | 'off'; now: number },
): { reuse: LedgerEntry } | { advise: LedgerEntry } | null {
  if (rules.dedupe === 'off' || rules.policy.cache === 'none') return null;
  const entry = ownValue(ledger.entries, ledgerKey(tool, args));
  if (entry === undefined || !isReusable(entry)) return null;
  if (entry.until !== undefined && rules.now >= entry.until) return null;
  return rules.dedupe === 'enforce' && rules.policy.readOnly ? { reuse: entry } : { advise: entry };
}

function isReusable(entry: LedgerEntry): boolean {
  return entry.ending === 'executed' && entry.complete && !entry.isError;
}

export interface LedgerCall {
  call: Pick<ToolUseBlock, 'id' | 'name' | 'input'>;
  result: Pick<ToolResultBlock, 'ending' | 'content' | 'isError'>;
  messageId: string;
  policy: ToolPolicy;
  /** The base of relative paths. */
  workspace: string;
  now: number;
}

/** Records a call that was sent. Changes `ledger`. */
export function recordCall(
  ledger: Ledger,
  { call, result, messageId, policy, workspace, now }: LedgerCall,
): void {
  // A call that may have had effects first removes the entries for its paths, or all if they are unknown: those results
  // may be outdated.
  const paths = pathsOf(call.input, workspace);
  // A call that a server rejects as invalid may already have had effects.
  const ran = !NOT_RUN.has(result.ending);
  if (!policy.readOnly && (ran || result.ending === 'invalid')) {
    dropEntries(ledger, entry => !entry.lasts && isReusable(entry) && touches(paths, entry.paths));
  }
  if (!ran || policy.cache === 'none') return;
  const { ending, isError } = result;
  const key = ledgerKey(call.name, call.input);
  // Deleted first, so that a repeated call becomes the youngest.
  delete ledger.entries[key];
  ledger.entries[key] = {
    toolUseId: call.id,
    tool: call.name,
    messageId,
    ending,
    isError,
    complete: ending === 'executed' && result.content.every(isWhole),
    isStub: result.content.length > 0 && result.content.every(isReference),
    paths,
    ...(policy.cache === 'conversation' && { lasts: true as const }),
    ...(policy.cacheTtlMs === undefined ? {} : { until: now + policy.cacheTtlMs }),
  };
  dropOldest(ledger);
}

function dropOldest(ledger: Ledger): void {
  let bytes = sizeOfRecord(ledger.entries);
  let left = Object.keys(ledger.entries).length;
  if (left <= LEDGER_KEPT && bytes <= LEDGER_BYTES) return;
  for (const [key, entry] of Object.entries(ledger.entries)) {
    if (left <= LEDGER_KEPT && bytes <= LEDGER_BYTES) return;
    delete ledger.entries[key];
    bytes -= sizeOfMember(key, entry);
    left -= 1;
  }
}

/** Endings of calls that did not run, as far as the run knows. */
const NOT_RUN: ReadonlySet<ToolEnding> = new Set(['reused', 'invalid', 'denied', 'skipped']);

/** A shortened text counts as complete if its rest can be read by reference. */
function isWhole(content: ToolContent): boolean {
  return content.type === 'json' || content.totalBytes === undefined || content.ref !== undefined;
}

function isReference(content: ToolContent): boolean {
  return content.type === 'image' || (content.type === 'resource' && content.text === undefined);
}

function dropEntries(ledger: Ledger, drop: (entry: LedgerEntry) => boolean): void {
  for (const [key, entry] of Object.entries(ledger.entries)) if (drop(entry)) delete ledger.entries[key];
}

/** Forgets calls whose results can no longer be read. Changes `ledger`. */
export function forgetResults(ledger: Ledger, messageIds: readonly string[]): void {
  const gone = new Set(messageIds);
  dropEntries(ledger, entry => gone.has(entry.messageId));
}

/** Forgets what may have changed, at a person's message or a new goal. Changes `ledger`. */
export function forgetDoubtful(ledger: Ledger): void {
  dropEntries(ledger, entry => entry.lasts !== true);
}

/** Forgets everything, for a task's retry (LI8). Changes `ledger`. */
export function forgetAll(ledger: Ledger): void {
  ledger.entries = {};
}

const LONGEST_NAMED = 100;

/** Lists the youngest `max` results that are still valid, for a prompt (OU12), one line a tool. */
export function validResults(ledger: Ledger, max: number): string {
  // Results without text are useless here, and those with an expiry may have expired when they are read.
  const held = Object.entries(ledger.entries).filter(
    ([, entry]) => isReusable(entry) && !entry.isStub && entry.until === undefined,
  );
  const byTool = new Map<string, string[]>();
  for (const [key, { tool }] of held.slice(Math.max(0, held.length - max)))
    byTool.set(tool, [...(byTool.get(tool) ?? []), argumentsIn(key, tool)]);
  return [...byTool].map(([tool, calls]) => `- ${tool}: ${calls.join('; ')}`).join('\n');
}

/** Returns the arguments in a key: their only text, else their JSON. */
function argumentsIn(key: string, tool: string): string {
  const text = key.slice(tool.length + 1);
  const given = parseRecord(text);
  const [only, ...more] = Object.values(given ?? {});
  if (given === null || more.length === 0)
    return preview(typeof only === 'string' ? only : text, LONGEST_NAMED);
  return preview(shortFirst(given), LONGEST_NAMED);
}

/** Returns JSON with short members first, so that a cut keeps what distinguishes calls: a path precedes a content. */
function shortFirst(args: unknown): string {
  if (!isRecord(args)) return canonicalJson(args);
  const members = Object.keys(args)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(args[key])}`);
  return `{${members.sort((a, b) => a.length - b.length).join(',')}}`;
}

// Arguments of a call in a batch.

/** Arguments up to this size travel with the activity; larger ones are read by query, so that history has them once. */
const INLINE_BYTES = 1_024;

export function inlineInput(given: Record<string, unknown>): { arguments?: Record<string, unknown> } {
  return utf8Length(JSON.stringify(given)) <= INLINE_BYTES ? { arguments: given } : {};
}
