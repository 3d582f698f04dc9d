/** `steersman/client`: start runs of agents, follow them, steer them, answer what they ask. */

export type { Check, CheckResult } from '../core/checks/check.js';
export type { Basis } from '../core/evidence/evidence.js';
export type { Gate, GateKind } from '../core/gates/gate.js';
export type { ToolProgress } from '../core/limits/heartbeats.js';
export { DEFAULT_LIMITS, type Limits } from '../core/limits/limits.js';
export type { UsageEntry } from '../core/limits/usage-by.js';
export type { Artifact } from '../core/outputs/artifacts.js';
export { type Cause, causeText, OUTCOMES, type Outcome, restText } from '../core/plan/cause.js';
export type { Task } from '../core/plan/plan.js';
export { STEP_FAILURE_POLICIES, type StepFailurePolicy } from '../core/plan/plan.js';
export type {
  CallEnded,
  JournalEvent,
  JournalPayloads,
  JournalType,
  ReplyForm,
} from '../core/state/journal.js';
export type { RunRecord } from '../core/state/kept.js';
export type { Message, Usage } from '../core/state/message.js';
export type { Phase } from '../core/state/position.js';
export type { TraceReport, TraceStep } from '../core/state/trace.js';
export { STEER_TIMES, type SteerTime } from '../core/steering/inbox.js';
export { type ErrorCode, SteersmanError } from '../shared/errors.js';
export type { Account, Hit, SessionLine } from '../shared/store/store.js';
export { forgetPermissions, type KeptPermission, keptPermissions } from '../stack/trust/kept-permissions.js';
export type { RunResult, RunView } from '../workflows/messages.js';
export { type ConnectOptions, connect, type SteersmanClient } from './client.js';
export { explainError } from './grpc-errors.js';
export { Accounts } from './kept/accounts.js';
export { type KeptRun, Sessions, type SessionsAsked, type ThreadTranscript } from './kept/kept-runs.js';
export { readConversation } from './messages/read-conversation.js';
export type { ChildTree } from './run/child-tree.js';
export type { ToolInput } from './run/gate-input.js';
export type { ListedRun, ListOptions } from './run/list-runs.js';
export type { GateHandler, GateHandlers, OpenGate } from './run/on-gate.js';
export type { Asked, Run } from './run/run.js';
export { type RunEnd, UNREADABLE } from './run/run-end.js';
export type { RunSnapshot } from './run/run-snapshot.js';
export type { GateAnswers, GateReply } from './run/send.js';
export type { SentMessage } from './run/sent-message.js';
export { type ClientTool, clientTool } from './start/client-tools.js';
export { OVERLAPS, type Overlap, type ScheduleSnapshot } from './start/schedule-snapshot.js';
export type { ScheduleOptions, Schedules } from './start/schedules.js';
export { checkStart, type StartOptions } from './start/start-run.js';
export type { TextDelta } from './watch/live-text.js';
export type { Retry } from './watch/pending-calls.js';
export type { OfAgent, RunEvent } from './watch/run-event.js';
export { stuckLine } from './watch/stuck-task.js';
export type { WatchOptions } from './watch/watch-run.js';
