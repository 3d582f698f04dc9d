/** Folds a run's events into the entries of a conversation; a changed entry is a new object. Pure. */

import type { JournalPayloads, JournalType, RunEvent, RunSnapshot, Usage } from 'steersman/client';
import type { AppResult } from 'steersman/run';
import { lastLines } from 'steersman/run';
import { childProgress, newProgress, type RunProgress, take } from './run-progress.js';
import { spokenText } from './spoken-text.js';

export type Durable = Extract<RunEvent, { seq: number }>;
type EventOf<T extends JournalType> = Extract<Durable, { type: T }>;

export type NoteLevel = 'info' | 'warn' | 'bad';

export interface ReceiptStep {
  state: 'accepted' | 'applied' | 'queued' | 'dropped';
  how: string;
  at: number;
}

interface ItemBase {
  /** Unique in the run. */
  key: string;
  at: number;
  /** Path of the sub-agent; empty for the run itself. */
  path: string;
}

export interface GoalItem extends ItemBase {
  kind: 'goal';
  number: number;
  text: string;
}

export interface ReplyItem extends ItemBase {
  kind: 'said';
  role: string;
  model: string;
  text: string;
  reasoning: string;
  form: 'words' | 'json';
  usage: Usage | null;
  durationMs: number | null;
  stopReason: string;
}

export interface ToolItem extends ItemBase {
  kind: 'tool';
  callId: string;
  tool: string;
  arguments: string;
  edited: boolean;
  /** Null while the tool runs. */
  ending: string | null;
  isError: boolean;
  result: string;
  durationMs: number | null;
  /** The data of the tool's app. */
  app: AppResult | null;
  /** Id of the message with its result; empty while it has no result. */
  messageId: string;
  /** Set if the result has content to draw; `server`: the MCP server of the tool. */
  parts: { server: string | null } | null;
}

export interface MessageItem extends ItemBase {
  kind: 'message';
  id: string;
  text: string;
  receipts: ReceiptStep[];
  /** True for a follow-up whose words stand as a goal further down. */
  becameGoal: boolean;
}

/** `edited`: other arguments were approved; `reason`: why, in the person's words. */
export type GateClosed = Pick<JournalPayloads['gate_closed'], 'by' | 'decision' | 'edited' | 'reason'>;

export interface GateItem extends ItemBase {
  kind: 'gate';
  gateId: string;
  gateKind: string;
  title: string;
  body: string;
  closed: GateClosed | null;
}

export interface AgentItem extends ItemBase {
  kind: 'agent';
  id: string;
  role: string;
  outcome: string | null;
}

export interface AnswerItem extends ItemBase {
  kind: 'answer';
  number: number;
  outcome: string;
  cause: string;
  text: string;
  /** True if a role's entry above has the same text. */
  repeats: boolean;
}

/** A name that the page translates. */
type Named = readonly [prefix: 'status' | 'phase' | 'budget' | 'next' | 'check', name: string];

export type NoteItem = ItemBase & {
  kind: 'note';
  level: NoteLevel;
  about: JournalType;
  text: string;
  /** Shown after the text, in the page's language. */
  named: Named | null;
  /** Output of the noted event, as lines. */
  said?: string;
};

export type Item =
  | GoalItem
  | (ItemBase & { kind: 'phase'; phase: string; cycle: number })
  | (ItemBase & { kind: 'told'; role: string; text: string })
  | ReplyItem
  | ToolItem
  | MessageItem
  | GateItem
  | AgentItem
  | AnswerItem
  | NoteItem;

export interface Fold {
  items: Item[];
  /** Index in `items` of incomplete entries, by their key. */
  places: Map<string, number>;
  /** The state before the next event. */
  progress: RunProgress;
  /** The last text of each speaker, because roles and answers repeat some of them. */
  lastWords: Map<string, string>;
}

export function newFold(): Fold {
  return { items: [], places: new Map(), progress: newProgress(''), lastWords: new Map() };
}

type Take<T extends JournalType> = (fold: Fold, event: EventOf<T>, base: ItemBase) => void;

const TAKE: { [T in JournalType]?: Take<T> } = {
  run_started: (fold, { goal }, base) =>
    void fold.items.push({ ...base, kind: 'goal', number: 1, text: goal }),
  goal_started: (fold, { number, text }, base) => {
    const message = waitingMessage(fold, text, base.path);
    if (message)
      change(fold, message, item => (item.kind === 'message' ? { ...item, becameGoal: true } : item));
    fold.items.push({ ...base, kind: 'goal', number, text });
  },
  run_loaded: (fold, { warnings: [text, ...more] }, base) => {
    if (text === undefined) return;
    note(fold, base, 'warn', 'warning', {
      text,
      named: null,
      ...(more.length > 0 && { said: more.join('\n') }),
    });
  },
  phase_started: (fold, { phase, cycle }, base) =>
    void fold.items.push({ ...base, kind: 'phase', phase, cycle }),
  model_call_ended: replyEnded,
  model_call_failed: (fold, { model, message, next }, base) =>
    note(fold, base, 'warn', 'model_call_failed', {
      // Most messages of endpoints begin with the model.
      text: message.includes(model) ? message : `${model}: ${message}`,
      named: TOLD_NEXT.has(next) ? ['next', next] : null,
    }),
  tool_call_started: toolStarted,
  app_call_started: toolStarted,
  app_call_ended: toolEnded,
  tool_call_ended: toolEnded,
  user_message: (fold, { role, text }, base) => {
    if (fold.lastWords.get(base.path) === text.trim()) return;
    fold.items.push({ ...base, kind: 'told', role, text });
  },
  receipt: receiptCame,
  gate_opened: (fold, { gateId, kind, title, body }, base) =>
    open(fold, `gate ${base.path} ${gateId}`, {
      ...base,
      ...{ kind: 'gate', gateId, gateKind: kind, title, body, closed: null },
    }),
  gate_closed: (fold, closed, { path }) =>
    change(fold, `gate ${path} ${closed.gateId}`, item =>
      item.kind === 'gate' ? { ...item, closed } : item,
    ),
  subagent_started: (fold, { id, role }, base) =>
    open(fold, `agent ${base.path} ${id}`, { ...base, kind: 'agent', id, role, outcome: null }),
  subagent_ended: (fold, { id, outcome }, { path }) =>
    change(fold, `agent ${path} ${id}`, item => (item.kind === 'agent' ? { ...item, outcome } : item)),
  goal_ended: (fold, { number, outcome, cause, answer }, base) => {
    const repeats = fold.lastWords.get(base.path) === answer.trim();
    fold.items.push({ ...base, kind: 'answer', number, outcome, cause, text: answer, repeats });
  },
};

/** Returns the answer of an ended run from its record, if no event has it; else null. */
export function recordedAnswer({ items }: Fold, record: RunSnapshot | null): AnswerItem | null {
  if (record === null || record.endedAt === null || record.answer === null || record.outcome === null)
    return null;
  if (items.some(({ kind, path }) => kind === 'answer' && path === '')) return null;
  const { outcome, cause, answer: text } = record;
  const base = { key: 'record', at: Date.parse(record.endedAt), path: '' };
  return { ...base, kind: 'answer', number: 0, outcome, cause: cause ?? outcome, text, repeats: false };
}

/** Reactions to a failed call that later events do not report. */
const TOLD_NEXT = new Set(['retry', 'next_model', 'compact']);
const PHASES = new Set(['planning', 'execution', 'verification']);

type NoteText = Pick<NoteItem, 'text' | 'named' | 'said'>;

/** Events that become a note: their level, and their text besides the name. */
const NOTES: { [T in JournalType]?: [NoteLevel, (event: EventOf<T>) => string | NoteText] } = {
  mode_chosen: ['info', ({ mode, why }) => `${mode}: ${why}`],
  task_started: ['info', ({ taskId, description }) => `${taskId}: ${description}`],
  task_ended: [
    'info',
    ({ taskId, status, reason }) => ({
      text: `${taskId}${reason ? ` (${reason.replaceAll('_', ' ')})` : ''}:`,
      named: ['status', status],
    }),
  ],
  task_overdue: ['warn', ({ taskId }) => taskId],
  provider_switch: ['warn', ({ role, toModel, why }) => `${role} → ${toModel}: ${why}`],
  reask: ['info', ({ role, errors }) => `${role}: ${errors.join(' ')}`],
  output_fallback: ['warn', ({ role, fallback }) => `${role}: ${fallback}`],
  verdict: ['info', ({ done, feedback }) => `${done ? '✓' : '✗'} ${feedback}`],
  check_ended: [
    'info',
    ({ check, status, why, output, before }) => ({
      text: `${check}: ${status}${why ? `, ${why}` : ''}`,
      // Without this, a failure from before the work reads as one of what was just written.
      named: before ? ['check', 'before'] : null,
      ...(status !== 'passed' && output !== '' && { said: lastLines(output).join('\n') }),
    }),
  ],
  limit_reached: [
    'warn',
    ({ limit }) => ({ text: '', named: [PHASES.has(limit) ? 'phase' : 'budget', limit] }),
  ],
  warning: ['warn', ({ text }) => text],
  context_note: ['info', ({ text }) => text],
  system_event: ['info', ({ text }) => text],
  tool_log: ['info', ({ text }) => text],
  skill_loaded: ['info', ({ name, file }) => [name, file].filter(Boolean).join(' · ')],
  budget_warning: ['warn', ({ budget }) => ({ text: '', named: ['budget', budget] })],
  budget_set: [
    'info',
    ({ limits }) =>
      Object.entries(limits)
        .map(pair => pair.join(' = '))
        .join(', '),
  ],
  thread_trimmed: ['info', ({ why }) => why],
  thread_compacted: ['info', ({ before, after }) => `${before} → ${after}`],
  compaction_failed: ['warn', ({ why }) => why],
  route: ['info', ({ act, reason }) => `${act}: ${reason}`],
  review: [
    'info',
    ({ subject, approved, fixes }) => [`${approved ? '✓' : '✗'} ${subject}`, ...fixes].join(' · '),
  ],
  orchestration: ['info', ({ why }) => why],
  new_run: ['info', ({ goal }) => goal],
  paused: ['warn', ({ reason }) => reason],
  resumed: ['info', ({ reason }) => reason],
  stop_requested: ['warn', ({ reason }) => reason],
  signal_ignored: ['warn', ({ signal, reason }) => `${signal}: ${reason}`],
  store_failed: ['bad', ({ what, why }) => `${what}: ${why}`],
  store_gap: ['warn', ({ messages, events }) => `${messages + events}`],
};

/** Adds an event to `fold`, which it changes. */
export function takeItem(fold: Fold, event: Durable): void {
  const { path = '', seq, at, type } = event;
  const base: ItemBase = { key: `${path} ${seq}`, at, path };
  (TAKE[type] as Take<JournalType> | undefined)?.(fold, event, base);
  const worth = NOTES[type] as [NoteLevel, (event: Durable) => string | NoteText] | undefined;
  if (worth) note(fold, base, worth[0], type, worth[1](event));
  take(fold.progress, event);
}

function note(
  fold: Fold,
  base: ItemBase,
  level: NoteLevel,
  about: JournalType,
  said: string | NoteText,
): void {
  const words = typeof said === 'string' ? { text: said, named: null } : said;
  fold.items.push({ ...base, kind: 'note', level, about, ...words });
}

function open(fold: Fold, name: string, item: Item): void {
  fold.places.set(name, fold.items.length);
  fold.items.push(item);
}

function change(fold: Fold, name: string, make: (item: Item) => Item): void {
  const at = fold.places.get(name);
  const item = at === undefined ? undefined : fold.items[at];
  if (at === undefined || item === undefined) return;
  fold.items[at] = make(item);
}

function replyEnded(fold: Fold, event: EventOf<'model_call_ended'>, base: ItemBase): void {
  const { callId, role, model, usage, durationMs, stopReason, text = '', reasoning = '' } = event;
  const { calls } = base.path === '' ? fold.progress : childProgress(fold.progress, base.path);
  const { form = 'words' } = calls.get(callId) ?? {};
  if (text.trim() !== '')
    // A text that is not in a form of the run is itself the answer.
    fold.lastWords.set(base.path, form === 'words' ? text.trim() : (spokenText(text, form) ?? ''));
  if (text.trim() === '' && reasoning.trim() === '') return;
  fold.items.push({
    ...base,
    ...{ kind: 'said', role, model, text, reasoning, form, usage, durationMs, stopReason },
  });
}

type Started = EventOf<'tool_call_started' | 'app_call_started'>;
type Ended = EventOf<'tool_call_ended' | 'app_call_ended'>;

function toolStarted(fold: Fold, { callId, tool, arguments: given, edited }: Started, base: ItemBase): void {
  open(fold, `tool ${base.path} ${callId}`, {
    ...base,
    ...{ kind: 'tool', callId, tool, arguments: given, edited: edited === true },
    ...{ ending: null, isError: false, result: '', durationMs: null },
    ...{ messageId: '', parts: null, app: null },
  });
}

function toolEnded(fold: Fold, event: Ended, base: ItemBase): void {
  const { callId, tool, ending, isError, durationMs, text, app = null } = event;
  const { messageId, parts = null } = event.type === 'tool_call_ended' ? event : { messageId: '' };
  const name = `tool ${base.path} ${callId}`;
  const ended = { ending, isError, durationMs, result: text, messageId, parts, app };
  // A call that never began (invalid, denied, skipped) has no start event.
  if (!fold.places.has(name))
    open(fold, name, {
      ...base,
      ...{ kind: 'tool', callId, tool, arguments: '', edited: false, ...ended },
    });
  else change(fold, name, item => (item.kind === 'tool' ? { ...item, ...ended } : item));
  fold.places.delete(name);
}

function receiptCame(
  fold: Fold,
  { id, state, how, text = '', at }: EventOf<'receipt'>,
  base: ItemBase,
): void {
  const name = messageName(id);
  if (!fold.places.has(name))
    open(fold, name, { ...base, kind: 'message', id, text, receipts: [], becameGoal: false });
  change(fold, name, item =>
    item.kind === 'message'
      ? { ...item, text: item.text || text, receipts: [...item.receipts, { state, how, at }] }
      : item,
  );
}

function messageName(id: string): string {
  return `message ${id}`;
}

/** Returns the name of the message that became the goal: the oldest one with its text that the run has not applied. */
function waitingMessage({ items }: Fold, goal: string, path: string): string | null {
  const found = items.find(item => {
    if (item.kind !== 'message' || item.path !== path || item.becameGoal) return false;
    const state = item.receipts.at(-1)?.state;
    return (state === 'accepted' || state === 'queued') && isBeginningOf(item.text, goal);
  });
  return found?.kind === 'message' ? messageName(found.id) : null;
}

/** A receipt has fewer characters of a long message than the goal has. */
function isBeginningOf(text: string, goal: string): boolean {
  return text === goal || (text.endsWith('…') && goal.startsWith(text.slice(0, -1).trimEnd()));
}
