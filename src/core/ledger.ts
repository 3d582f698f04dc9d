/**
 * What tool calls were made with what arguments and where their results are: the memory behind dedupe
 * (D1 to D6, C32, C33). It holds references, not results, and is carried by continue-as-new.
 */
import { LEDGER_BYTES, sizeOf, sizeOfRecord } from './bounds.js';
import { canonicalJson, jsonBytes } from './json.js';
import type { ToolContent, ToolEnding, ToolResultBlock, ToolUseBlock } from './message.js';
import type { ToolPolicy } from './tool.js';

export interface LedgerEntry {
  toolUseId: string;
  tool: string;
  /** The message with the result. When that is trimmed away, so is the entry (`forgetResults`). */
  messageId: string;
  ending: ToolEnding;
  isError: boolean;
  /** The result is there as a whole, if only by reference. */
  complete: boolean;
  taskId: string | null;
}

/** Oldest entry first. Plain data: keys as `ledgerKey` makes them. */
export interface Ledger {
  entries: Record<string, LedgerEntry>;
}

/** Entries kept, fewer where their arguments are long; the oldest go first. */
export const LEDGER_KEPT = 500;

const LONGEST_PLAIN_ARGUMENTS = 200;
const HEAD_OF_LONG_ARGUMENTS = 80;

export function emptyLedger(): Ledger {
  return { entries: {} };
}

/**
 * Names a call by tool and canonical arguments (D1). Arguments up to 200 characters stand in the key as
 * they are, so those never collide. Of longer ones it has the head, the length and a 64-bit hash: safe
 * against chance, not against someone who builds two argument texts with one hash.
 */
export function ledgerKey(tool: string, args: unknown): string {
  const text = canonicalJson(args);
  if (text.length <= LONGEST_PLAIN_ARGUMENTS) return `${tool} ${text}`;
  return `${tool} ${text.slice(0, HEAD_OF_LONG_ARGUMENTS)}… (${text.length} characters, ${hash64(text)})`;
}

/** FNV-1a with 64 bits in two halves, over UTF-16 units (bytes, for ASCII), as 16 hex digits. */
export function hash64(text: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let index = 0; index < text.length; index += 1) {
    low = (low ^ text.charCodeAt(index)) >>> 0;
    // The prime is 2^40 + 0x1b3: the first part only moves the low half up by 8 bits.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 0x1_0000_0000) + ((low << 8) >>> 0)) % 0x1_0000_0000;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/**
 * What the ledger says of a call about to be made (D2, D3, C32): `reuse` its result (`enforce` and the
 * tool is read-only), `advise` that there is one, or null. Only a result that was executed, is complete
 * and no error counts, and none of a tool with `cache: none` (D5).
 */
export function lookUp(
  ledger: Ledger,
  tool: string,
  args: unknown,
  rules: { policy: ToolPolicy; dedupe: 'enforce' | 'advise' | 'off' },
): { reuse: LedgerEntry } | { advise: LedgerEntry } | null {
  if (rules.dedupe === 'off' || rules.policy.cache === 'none') return null;
  const key = ledgerKey(tool, args);
  const entry = Object.hasOwn(ledger.entries, key) ? ledger.entries[key] : undefined;
  if (entry === undefined || !isReusable(entry)) return null;
  return rules.dedupe === 'enforce' && rules.policy.readOnly ? { reuse: entry } : { advise: entry };
}

function isReusable(entry: LedgerEntry): boolean {
  return entry.ending === 'executed' && entry.complete && !entry.isError;
}

export interface LedgerCall {
  call: Pick<ToolUseBlock, 'id' | 'name' | 'input'>;
  result: Pick<ToolResultBlock, 'ending' | 'content' | 'isError'>;
  /** The message that holds the result. */
  messageId: string;
  taskId: string | null;
  policy: ToolPolicy;
}

/**
 * Notes a call that was made. One that is not read-only, and may have had effects, first clears all
 * reusable entries, for what they say may no longer be true. Changes `ledger`.
 */
export function recordCall(ledger: Ledger, { call, result, messageId, taskId, policy }: LedgerCall): void {
  if (!mayHaveRun(result.ending)) return;
  if (!policy.readOnly) dropEntries(ledger, isReusable);
  if (policy.cache === 'none') return;
  const { ending, isError } = result;
  const key = ledgerKey(call.name, call.input);
  // Deleted first, so that a repeated call moves to the young end.
  delete ledger.entries[key];
  ledger.entries[key] = {
    toolUseId: call.id,
    tool: call.name,
    messageId,
    ending,
    isError,
    complete: ending === 'executed' && result.content.every(isWhole),
    taskId,
  };
  dropOldest(ledger);
}

function dropOldest(ledger: Ledger): void {
  const entries = Object.entries(ledger.entries);
  let bytes = sizeOfRecord(ledger.entries);
  let left = entries.length;
  for (const [key, entry] of entries) {
    if (left <= LEDGER_KEPT && bytes <= LEDGER_BYTES) return;
    delete ledger.entries[key];
    bytes -= jsonBytes(key) + sizeOf(entry) + 2;
    left -= 1;
  }
}

function mayHaveRun(ending: ToolEnding): boolean {
  switch (ending) {
    case 'executed':
    case 'cancelled':
    case 'timed_out':
    case 'unavailable':
    case 'outcome_unknown':
      return true;
    case 'reused':
    case 'invalid':
    case 'denied':
    case 'skipped':
      return false;
  }
}

/** A text that was shortened is whole when the rest can be read by its reference (T17). */
function isWhole(content: ToolContent): boolean {
  return content.type === 'json' || content.totalBytes === undefined || content.ref !== undefined;
}

function dropEntries(ledger: Ledger, drop: (entry: LedgerEntry) => boolean): void {
  for (const [key, entry] of Object.entries(ledger.entries)) if (drop(entry)) delete ledger.entries[key];
}

/** Forgets the calls of a task that is tried again (F2, C33). Changes `ledger`. */
export function clearTask(ledger: Ledger, taskId: string): void {
  dropEntries(ledger, entry => entry.taskId === taskId);
}

/** Forgets calls whose results were trimmed away. Changes `ledger`. */
export function forgetResults(ledger: Ledger, messageIds: readonly string[]): void {
  const gone = new Set(messageIds);
  dropEntries(ledger, entry => gone.has(entry.messageId));
}

/** Forgets everything: a new goal, or a refresh that the user asked for (C33). Changes `ledger`. */
export function clearGoal(ledger: Ledger): void {
  ledger.entries = {};
}

/** The youngest `max` calls for a prompt (F12), one a line, oldest first; empty when there is none. */
export function ledgerSummary(ledger: Ledger, max: number): string {
  const entries = Object.entries(ledger.entries);
  return entries
    .slice(Math.max(0, entries.length - max))
    .map(([key, entry]) => `- ${key}: ${stateOf(entry)}`)
    .join('\n');
}

function stateOf(entry: LedgerEntry): string {
  if (isReusable(entry)) return 'has its result';
  if (entry.ending !== 'executed') return entry.ending;
  return entry.isError ? 'gave an error' : 'result incomplete';
}
