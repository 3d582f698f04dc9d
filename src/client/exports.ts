/** The exports that all clients share: start runs of agents, watch them, steer them, answer their gates. */

export { PICTURE_TYPES, type StartPicture } from '../run/agents/run-config.js';
export type { Check, CheckResult } from '../run/checks/check.js';
export type { Basis, FilesChanged } from '../run/evidence/evidence.js';
export type { Gate, GateKind } from '../run/gates/gate.js';
export { basisText, type Cause, causeText, mayPass, OUTCOMES, type Outcome } from '../run/limits/cause.js';
export type { ToolProgress } from '../run/limits/heartbeats.js';
export { DEFAULT_LIMITS, type Limits } from '../run/limits/limits.js';
export type { UsageEntry } from '../run/limits/usage-by.js';
export type { Message, Usage } from '../run/messages/message.js';
export type { AnswerSchema, TypedSchema } from '../run/outputs/answer-schema.js';
export type { Artifact } from '../run/outputs/artifact.js';
export type { Task } from '../run/plan/plan.js';
export { STEP_FAILURE_POLICIES, type StepFailurePolicy } from '../run/plan/plan.js';
export type { Phase } from '../run/position/position.js';
export type {
  CallEnded,
  JournalEvent,
  JournalPayloads,
  JournalType,
  ReplyForm,
} from '../run/state/journal.js';
export type { Note } from '../run/state/note.js';
export type { RunRecord } from '../run/state/stored-line.js';
export type { TraceReport, TraceStep } from '../run/state/trace.js';
export { STEER_TIMES, type SteerTime } from '../run/steering/inbox.js';
export { type ErrorCode, type FaultBody, SteersmanError } from '../shared/process/errors.js';
export type { RunResult, RunView } from '../workflows/run/definitions.js';
export type { SteersmanClient } from './client.js';
export { cutToBytes } from './connection/cut-to-bytes.js';
export { explainError } from './connection/grpc-errors.js';
export { httpFault } from './connection/http-fault.js';
export type { ChildTree } from './record/child-tree.js';
export type { ToolInput } from './record/gate-input.js';
export type { ListedRun, ListOptions } from './record/list-runs.js';
export type { ModelRequest } from './record/model-request.js';
export { type RunEnd, UNREADABLE } from './record/run-end.js';
export type { RunSnapshot } from './record/run-snapshot.js';
export type { RunStart } from './record/run-start.js';
export { noRun } from './record/runs.js';
export { readStuckTask, stuckLine } from './record/stuck-task.js';
export type { GateHandler, GateHandlers, OpenGate } from './run/on-gate.js';
export type { Run } from './run/run-handle.js';
export type { Asked, GateAnswers, GateReply, SentMessage } from './run/send.js';
export { type ClientTool, clientTool } from './start/client-tools.js';
export { OVERLAPS, type Overlap, type ScheduleSnapshot } from './start/schedule-snapshot.js';
export type { ScheduleOptions, Schedules } from './start/schedules.js';
export type { StartOptions } from './start/start-run.js';
export {
  forgetPermissions,
  type SavedPermission,
  savedPermissions,
} from './stored/saved-permissions.js';
export type { ThreadTranscript } from './stored/stored-runs.js';
export { type Addition, ReplyText } from './vocabularies/reply-text.js';
export type { Vocabulary } from './vocabularies/translate.js';
export { oneAtATime } from './vocabularies/translate.js';
export type { TextDelta } from './watch/live-text.js';
export type { Retry } from './watch/pending-calls.js';
export { type OfAgent, ownSeq, type RunEvent } from './watch/run-event.js';
export type { WatchOptions } from './watch/watch-run.js';
