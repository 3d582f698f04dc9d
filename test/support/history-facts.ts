/** What happens in a recorded history, read from its events alone: which subjects it holds a later change to. */
import type { Payload } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { packedText } from '../../src/activities/pack.js';
import { parseRecord } from '../../src/base/json/json-in-text.js';
import { READ_ANSWER } from '../../src/features/answers/rules.js';
import { READ_SKILL } from '../../src/features/skills/rules.js';
import { BEHAVIOUR, WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { MODES } from '../../src/run/position/modes.js';

type HistoryEvent = NonNullable<History['events']>[number];

export interface Facts {
  /** Each as one of `SUBJECTS` is written. */
  facts: Set<string>;
  /** It begins with the state that the part before it has handed over. */
  isContinued: boolean;
}

/** What must be held, by histories that begin and by histories that go on. */
export const SUBJECTS: readonly string[] = [
  // Modes, and the roles that no mode has of its own.
  ...['team', 'plan', 'react', 'lead', 'direct', 'auto', 'declared'].map(mode => `mode ${mode}`),
  ...['reviewer', 'orchestrator', 'understanding', 'router', 'selector', 'summary', 'compactor'].map(
    role => `model call: ${role}`,
  ),
  // What workers do for runs.
  ...['turn', 'results', 'error', 'end', 'begin'].map(at => `hook: ${at}`),
  ...['before', 'now', 'again', 'start', 'list'].map(at => `look: ${at}`),
  'account charged',
  'tool call',
  'call cancelled',
  'call failed',
  'tool call: of an app',
  'tool call: of the application',
  'artifact',
  'check of the goal',
  'compared file',
  'context changed by a function',
  'conversation kept',
  'conversation read',
  'model chosen by the program',
  'text kept',
  'tools at once',
  'tasks at once',
  'refusal learnt',
  'skill read',
  'typed answer read',
  `behaviour ${BEHAVIOUR}`,
  // Agents and other workflows.
  'agent called',
  'agent told',
  'caller told',
  'workflow called',
  'run of its own started',
  // What people and programs send.
  ...['skip', 'after-batch', 'interrupt'].map(when => `steer: ${when}`),
  'steer: to a role',
  ...['followUp', 'finish', 'pause', 'resume', 'stop', 'cancel', 'form', 'componentAction'].map(
    name => `sent: ${name}`,
  ),
  ...['approval', 'plan', 'question', 'route', 'clientTool', 'budget', 'failure', 'form', 'step'].map(
    kind => `gate: ${kind}`,
  ),
  ...['approve', 'reject', 'deny', 'always', 'edit', 'raise', 'retry', 'text', 'with other arguments'].map(
    answer => `answered: ${answer}`,
  ),
  ...['submitToolResult', 'claimToolCall', 'editPlan', 'withdraw', 'callTool', 'setBudget', 'setModel'].map(
    name => `update: ${name}`,
  ),
  'update: join',
  'started by a schedule',
];

/** What runs of the tests do in a later part by chance or never. */
export const ONLY_BEGIN: readonly string[] = [
  'hook: begin',
  'conversation read',
  `behaviour ${BEHAVIOUR}`,
  'started by a schedule',
];

export function factsOf({ events }: History): Facts {
  const facts = new Set<string>();
  for (const event of events ?? []) for (const fact of factsOfEvent(event)) facts.add(fact);
  for (const fact of behavioursIn(events ?? [])) facts.add(fact);
  for (const [fact, type] of AT_ONCE) if (mostAtOnce(events ?? [], type) > 1) facts.add(fact);
  const begin = events?.[0]?.workflowExecutionStartedEventAttributes;
  return { facts, isContinued: Boolean(begin?.continuedExecutionRunId) };
}

/** The behaviour that a run pins: see `BEHAVIOUR`. */
function behavioursIn(events: HistoryEvent[]): string[] {
  return events.flatMap(event => {
    const { activityTaskCompletedEventAttributes: ended } = event;
    const called = events.find(({ eventId }) => String(eventId) === String(ended?.scheduledEventId));
    const type = called?.activityTaskScheduledEventAttributes?.activityType?.name;
    if (!ended || type !== 'steersmanLoadRun') return [];
    const [pinned] = ended.result?.payloads ?? [];
    return pinned?.data ? [`behaviour ${parseRecord(packedText(pinned.data))?.behaviour ?? 1}`] : [];
  });
}

const AT_ONCE = [
  ['tools at once', 'steersmanCallTool'],
  ['tasks at once', 'steersmanCallModel'],
] as const;

function mostAtOnce(events: HistoryEvent[], type: string): number {
  const open = new Set<string>();
  let most = 0;
  for (const event of events) {
    const { eventId, activityTaskScheduledEventAttributes: call } = event;
    if (call?.activityType?.name === type) open.add(String(eventId));
    most = Math.max(most, open.size);
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    open.delete(String(ended?.scheduledEventId));
  }
  return most;
}

/** A value of an event: of any shape. */
type Read = Record<string, unknown>;

function factsOfEvent(event: HistoryEvent): string[] {
  const called = event.activityTaskScheduledEventAttributes;
  if (called) return factsOfCall(called.activityType?.name ?? '', first(called.input?.payloads), event);
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  if (child) return [factOfChild(child.workflowType?.name ?? '', first(child.input?.payloads))];
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) return factsOfSignal(signal.signalName ?? '', first(signal.input?.payloads));
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  if (update) return factsOfUpdate(update.name ?? '', first(update.args?.payloads));
  const shown = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
  if (shown) return factsOfStatus(shown);
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) return factsOfStart(started.searchAttributes?.indexedFields ?? {}, started.input?.payloads);
  const told = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
  if (told) return [told.signalName === 'subagent' ? 'caller told' : 'agent told'];
  if (event.workflowExecutionCancelRequestedEventAttributes) return ['sent: cancel'];
  if (event.activityTaskCanceledEventAttributes) return ['call cancelled'];
  if (event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes)
    return ['call failed'];
  const { result } = event.workflowExecutionCompletedEventAttributes ?? {};
  if (result) return [`outcome: ${first(result.payloads).outcome}`];
  return event.workflowExecutionFailedEventAttributes ? ['outcome: failed'] : [];
}

/** Which mode a run begins in. */
function factsOfStart(attributes: Record<string, Payload>, input: Payload[] | null | undefined): string[] {
  const { settings, resume } = first(input);
  const own = isRead(resume) ? resume.settings : settings;
  const mode = isRead(own) ? String(own.mode) : 'team';
  const name = (MODES as readonly string[]).includes(mode) ? mode : 'declared';
  return [`mode ${name}`, ...(attributes.TemporalScheduledById ? ['started by a schedule'] : [])];
}

function factsOfCall(type: string, input: Read, { userMetadata }: HistoryEvent): string[] {
  switch (type) {
    case 'steersmanLoadRun':
      return [];
    case 'steersmanCallModel':
      return [`model call: ${roleIn(userMetadata?.summary)}`, ...(input.lessons ? ['refusal learnt'] : [])];
    case 'steersmanCallTool':
      return ['tool call', ...(input.app ? ['tool call: of an app'] : [])];
    case 'steersmanHook':
      return [`hook: ${input.at}`, ...(input.charges || input.account ? ['account charged'] : [])];
    case 'steersmanLook':
      // Only at what a verdict rests on.
      return [input.since === null && input.start === undefined ? 'look: again' : `look: ${input.at}`];
    default:
      return [CALLS[type] ?? 'tool call: of the application'];
  }
}

function factOfChild(type: string, { settings }: Read): string {
  if (type !== WORKFLOW_TYPE) return 'workflow called';
  return isRead(settings) && settings.calledAs !== undefined ? 'agent called' : 'run of its own started';
}

function factsOfSignal(name: string, { when, to }: Read): string[] {
  if (name !== 'steer') return [`sent: ${name}`];
  return [`steer: ${when ?? 'skip'}`, ...(to === undefined ? [] : ['steer: to a role'])];
}

function factsOfUpdate(name: string, { decision = 'text', arguments: edited }: Read): string[] {
  if (name !== 'answerGate') return [`update: ${name}`];
  return [`answered: ${decision}`, ...(edited === undefined ? [] : ['answered: with other arguments'])];
}

/** Updates and signals that need no frozen history. */
const NOT_FROZEN: readonly string[] = [
  // Agents send these to each other: the histories of the senders have `caller told` and `agent told`.
  ...['answer', 'caller', 'subagent'].map(name => `sent: ${name}`),
  // It only adds an event to the journal.
  'update: note',
];

/** Throws if an update or a signal is no subject, and was not left out by choice. */
export function allNamed(definitions: readonly { type: string; name: string }[]): void {
  const named = new Set([...SUBJECTS, ...NOT_FROZEN]);
  const unnamed = definitions
    .flatMap(({ type, name }) => {
      if (type === 'query') return [];
      return type === 'signal' ? factsOfSignal(name, {}) : factsOfUpdate(name, {});
    })
    .filter(fact => !named.has(fact));
  if (unnamed.length > 0)
    throw new Error(`test/support/history-facts.ts: add to SUBJECTS or NOT_FROZEN: ${unnamed.join(', ')}`);
}

/** The gate that a run shows: its id, its kind, and what it is about. */
function factsOfStatus({ AgentWaiting: waiting }: Record<string, Payload>): string[] {
  const shown = waiting ? JSON.parse(textOf(waiting)) : null;
  const [line] = [shown].flat();
  return typeof line === 'string' ? [`gate: ${line.match(/^\S+ (\w+):/)?.[1]}`] : [];
}

/** The first of some values, where it is a record. */
function first(payloads: readonly Payload[] | null | undefined): Read {
  const [payload] = payloads ?? [];
  if (!payload?.data || textOf({ data: payload.metadata?.encoding }) !== 'json/plain') return {};
  return parseRecord(textOf(payload)) ?? {};
}

function isRead(value: unknown): value is Read {
  return typeof value === 'object' && value !== null;
}

function textOf({ data }: { data?: Uint8Array | null | undefined }): string {
  return Buffer.from(data ?? []).toString();
}

/** Of a model call: a summary is asked of another role than the one that has the conversation. */
function roleIn(summary: Payload | null | undefined): string {
  const [role = ''] = summary ? String(JSON.parse(textOf(summary))).split(' ') : [];
  return role;
}

const CALLS: Readonly<Record<string, string>> = {
  steersmanCheckCall: 'workflow called',
  steersmanResolveModel: 'model chosen by the program',
  steersmanTransform: 'context changed by a function',
  steersmanEditArtifact: 'artifact',
  steersmanCompareFile: 'compared file',
  steersmanRunCheck: 'check of the goal',
  steersmanStoreText: 'text kept',
  steersmanKeep: 'conversation kept',
  steersmanOpenSession: 'conversation read',
  [READ_ANSWER]: 'typed answer read',
  [READ_SKILL]: 'skill read',
};
