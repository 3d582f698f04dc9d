/** `steersman/client`: start runs of agents, follow them, steer them, answer what they ask. */

export type { Cause, Outcome } from '../core/cause.js';
export { causeText } from '../core/cause.js';
export type { Gate, GateKind } from '../core/gates/gate.js';
export type { GoalRecord } from '../core/goal.js';
export type { ToolProgress } from '../core/heartbeats.js';
export type { InboxItem, SteerTime } from '../core/inbox.js';
export type { JournalEvent, JournalPayloads, JournalType } from '../core/journal.js';
export type { Counters, Limits } from '../core/limits.js';
export type { Message, Usage } from '../core/message.js';
export type { Mode, ModeName } from '../core/modes.js';
export type { PlannedTask, Task } from '../core/plan.js';
export type { Receipt } from '../core/receipt.js';
export type { JsonSchema } from '../core/tools/tool.js';
export type { TraceReport, TraceStep } from '../core/trace.js';
export type { UsageEntry } from '../core/usage-by.js';
export { type ErrorCode, SteersmanError } from '../shared/errors.js';
export { forgetPermissions, type KeptPermission, keptPermissions } from '../stack/kept-permissions.js';
export type { RunResult, RunView } from '../workflows/messages.js';
export type { Abortable } from './runs/abortable.js';
export type { ChildTree } from './runs/child-tree.js';
export type { ConnectOptions, LeftOpenRun } from './runs/client.js';
export { connect, SteersmanClient } from './runs/client.js';
export type { ClientTool, ClientToolContext, ClientToolOptions } from './runs/client-tools.js';
export { clientTool } from './runs/client-tools.js';
export type { ToolInput } from './runs/gate-input.js';
export { explainError } from './runs/grpc-errors.js';
export { type ListFilter, OUTCOMES } from './runs/list-filter.js';
export type { ListedRun, ListOptions } from './runs/list-runs.js';
export type { TextDelta } from './runs/live-text.js';
export type { GateAnswer, GateHandler, OpenGate } from './runs/on-gate.js';
export type { Retry } from './runs/pending-calls.js';
export type { MessageOptions, PauseOptions, SteerOptions } from './runs/run.js';
export { Run } from './runs/run.js';
export type { RunEnd } from './runs/run-end.js';
export type { OwnEvent, RunEvent } from './runs/run-event.js';
export type { RunSnapshot } from './runs/run-snapshot.js';
export {
  OVERLAPS,
  type Overlap,
  type ScheduledRun,
  type ScheduleSnapshot,
} from './runs/schedule-snapshot.js';
export type { ScheduleTimes } from './runs/schedule-when.js';
export type { ScheduleOptions, Schedules } from './runs/schedules.js';
export {
  type Asked,
  type GateReply,
  newMessageId,
  type ToolOutput,
  type ToolResultInput,
} from './runs/send.js';
export type { SentMessage } from './runs/sent-message.js';
export { checkStart, type StartOptions } from './runs/start-run.js';
export type { StuckTask } from './runs/stuck-task.js';
export { type ThreadTranscript, toolExchange } from './runs/transcript.js';
export type { WaitOptions } from './runs/wait-for-end.js';
export type { WatchOptions } from './runs/watch-run.js';
