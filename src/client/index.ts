/** `steersman/client`: start runs of agents, follow them, steer them, answer what they ask. */

export type { Mode, ModeName } from '../core/agents/modes.js';
export type { Gate, GateKind } from '../core/gates/gate.js';
export type { ToolProgress } from '../core/limits/heartbeats.js';
export type { Counters, Limits } from '../core/limits/limits.js';
export type { UsageEntry } from '../core/limits/usage-by.js';
export type { Cause, Outcome } from '../core/plan/cause.js';
export { causeText } from '../core/plan/cause.js';
export type { PlannedTask, Task } from '../core/plan/plan.js';
export type { GoalRecord } from '../core/state/goal.js';
export type { JournalEvent, JournalPayloads, JournalType } from '../core/state/journal.js';
export type { Message, Usage } from '../core/state/message.js';
export type { TraceReport, TraceStep } from '../core/state/trace.js';
export type { InboxItem, SteerTime } from '../core/steering/inbox.js';
export type { Receipt } from '../core/steering/receipt.js';
export type { JsonSchema } from '../core/tools/tool.js';
export { type ErrorCode, SteersmanError } from '../shared/errors.js';
export { forgetPermissions, type KeptPermission, keptPermissions } from '../stack/trust/kept-permissions.js';
export type { RunResult, RunView } from '../workflows/messages.js';
export type { Abortable } from './abortable.js';
export type { ConnectOptions, LeftOpenRun } from './client.js';
export { connect, SteersmanClient } from './client.js';
export { explainError } from './grpc-errors.js';
export type { ChildTree } from './run/child-tree.js';
export type { ToolInput } from './run/gate-input.js';
export { type ListFilter, OUTCOMES } from './run/list-filter.js';
export type { ListedRun, ListOptions } from './run/list-runs.js';
export type { GateHandler, GateHandlers, OpenGate } from './run/on-gate.js';
export type { MessageOptions, PauseOptions, SteerOptions } from './run/run.js';
export { Run } from './run/run.js';
export type { RunEnd } from './run/run-end.js';
export type { RunSnapshot } from './run/run-snapshot.js';
export {
  type Asked,
  type GateAnswers,
  type GateReply,
  newMessageId,
  type ToolOutput,
  type ToolResultInput,
} from './run/send.js';
export type { SentMessage } from './run/sent-message.js';
export { type ThreadTranscript, toolExchange } from './run/transcript.js';
export type { ClientTool, ClientToolContext, ClientToolOptions } from './start/client-tools.js';
export { clientTool } from './start/client-tools.js';
export {
  OVERLAPS,
  type Overlap,
  type ScheduledRun,
  type ScheduleSnapshot,
} from './start/schedule-snapshot.js';
export type { ScheduleTimes } from './start/schedule-when.js';
export type { ScheduleOptions, Schedules } from './start/schedules.js';
export { checkStart, type StartOptions } from './start/start-run.js';
export type { TextDelta } from './watch/live-text.js';
export type { Retry } from './watch/pending-calls.js';
export type { OfAgent, RunEvent } from './watch/run-event.js';
export type { StuckTask } from './watch/stuck-task.js';
export type { WaitOptions } from './watch/wait-for-end.js';
export type { WatchOptions } from './watch/watch-run.js';
