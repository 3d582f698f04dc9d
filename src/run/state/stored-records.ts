/** How a store of sessions judges the records that it gets, and how it reads stored ones. */
import { isRecord, isText } from '../../base/json/json.js';
import type { Message } from '../messages/message.js';
import { isUsage } from '../messages/message.js';
import {
  isBehind,
  type Mark,
  NOTHING_KEPT,
  numberOf,
  type RunRecord,
  type StoredLine,
} from './stored-line.js';
import { isStoredTail } from './stored-tail.js';

export function isAfter(mark: Mark, record: StoredLine): boolean {
  return numberOf(record) > (record.kind === 'message' ? mark.id : mark.seq);
}

/** The number of earlier executions that are remembered: writes of older ones can't still be on their way. */
const EARLIER_EXECUTIONS = 10;

/** A run in the store after a write. */
interface WriteEffect {
  run: RunRecord;
  /** False: a later write of its execution came first. */
  isNews: boolean;
  /** Records after this mark no longer belong to the run. */
  resetTo: Mark | null;
}

/**
 * Returns a write's effect; null if a newer execution has replaced the one that writes. Times are not compared, because
 * a clock may step back.
 */
export function writeEffect(before: RunRecord | null, run: RunRecord, after?: Mark): WriteEffect | null {
  if (before === null) return { run, isNews: true, resetTo: null };
  const { runId, earlier = [] } = before;
  if (runId === run.runId) {
    const known = earlier.length > 0 ? { earlier } : {};
    const isNews = isLater(run, before);
    return { run: isNews ? { ...run, ...known } : before, isNews, resetTo: null };
  }
  if (earlier.includes(run.runId)) return null;
  const resetTo = after && isBehind(after, before.kept) ? after : null;
  return {
    run: { ...run, earlier: [runId, ...earlier].slice(0, EARLIER_EXECUTIONS) },
    isNews: true,
    resetTo,
  };
}

/**
 * Returns the mark from which a run must be written again, if the store was restored to an earlier state and lacks
 * records before `after`; null if it lacks no records. `before`: the run as stored.
 */
export function missingAfter(before: RunRecord | null, after: Mark | undefined): Mark | null {
  const stored = before?.kept ?? NOTHING_KEPT;
  if (after === undefined || !isBehind(stored, after)) return null;
  const { id, seq } = stored;
  return { id: Math.min(id, after.id), seq: Math.min(seq, after.seq) };
}

/** Compares two states of one execution. */
function isLater(run: RunRecord, before: RunRecord): boolean {
  if (isBehind(run.kept, before.kept)) return false;
  if (isBehind(before.kept, run.kept)) return true;
  return run.ended === before.ended ? run.changedAt >= before.changedAt : run.ended;
}

// Validators: a store's content may come from another program or a later version.

export function isRunRecord(value: unknown): value is RunRecord {
  if (!isRecord(value)) return false;
  const { answer, outcome, cause, parent = '', earlier = [] } = value;
  const texts = ['chain', 'session', 'workflowId', 'runId', 'namespaceId', 'goal', 'mode', 'workspace'];
  return (
    texts.every(name => isText(value[name])) &&
    ['number', 'startedAt', 'changedAt'].every(name => Number.isFinite(value[name])) &&
    [answer, outcome, cause].every(each => each === null || isText(each)) &&
    isText(parent) &&
    Array.isArray(earlier) &&
    (value.rest === undefined || isStoredTail(value.rest)) &&
    typeof value.ended === 'boolean' &&
    isUsage(value.usage) &&
    isMark(value.kept)
  );
}

export function isMark(value: unknown): value is Mark {
  return isRecord(value) && [value.id, value.seq].every(Number.isSafeInteger);
}

export function isStoredLine(value: unknown): value is StoredLine {
  if (!isRecord(value)) return false;
  const { kind, thread, message, event } = value;
  if (kind === 'message') return isText(thread) && isMessage(message);
  if (kind !== 'event' || !isRecord(event)) return false;
  return Number.isSafeInteger(event.seq) && isTime(event.at) && isText(event.type);
}

function isTime(value: unknown): boolean {
  return Number.isFinite(value);
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value) || !isText(value.id) || !isTime(value.at) || !Array.isArray(value.content))
    return false;
  const { kind, content } = value;
  if (kind === 'tool_result') return content.length === 1 && isResult(content[0]);
  if (kind === 'assistant')
    return isText(value.role) && isText(value.model) && isUsage(value.usage) && content.every(isReplyBlock);
  return (
    content.every(isTextBlock) &&
    ((kind === 'user' && isText(value.purpose)) || (kind === 'cut' && Number.isFinite(value.dropped)))
  );
}

function isTextBlock(block: unknown): boolean {
  return isRecord(block) && block.type === 'text' && isText(block.text);
}

function isReplyBlock(block: unknown): boolean {
  if (!isRecord(block)) return false;
  if (block.type === 'tool_use') return isText(block.id) && isText(block.name) && isRecord(block.input);
  return isTextBlock(block) || (block.type === 'reasoning' && isText(block.text));
}

function isResult(block: unknown): boolean {
  if (!isRecord(block) || block.type !== 'tool_result' || !Array.isArray(block.content)) return false;
  const names = [block.toolUseId, block.toolName, block.ending, block.note];
  return names.every(isText) && block.content.every(isToolContent);
}

function isToolContent(part: unknown): boolean {
  if (!isRecord(part)) return false;
  switch (part.type) {
    case 'text':
      return isText(part.text);
    case 'image':
      return isText(part.mimeType) && isText(part.ref);
    case 'resource':
      return isText(part.uri) && (part.text === undefined || isText(part.text));
    default:
      return part.type === 'json';
  }
}
