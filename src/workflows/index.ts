/** `steersman/workflow`: for workflow code. Runs as children of one's own workflows, and every message of a run. */
export type { Cause, Outcome } from '../core/cause.js';
export type { Gate } from '../core/gates/gate.js';
export type { JournalEvent } from '../core/journal.js';
export type { Limits } from '../core/limits.js';
export type { Message, Usage } from '../core/message.js';
export type { Task } from '../core/plan.js';
export type { ClientTool } from '../core/run-config.js';
export type { TraceReport } from '../core/trace.js';
export type { UsageEntry } from '../core/usage-by.js';
export type {
  CallingRun,
  ChildRun,
  ChildRunOptions,
  ChildRunSettings,
  GateReply,
  RunHandle,
} from './child-run.js';
export { callingRun, executeRun, runHandle, startRun } from './child-run.js';
export type {
  EventsPage,
  FollowUpInput,
  PauseInput,
  ReasonInput,
  RunResult,
  RunView,
  SteerInput,
} from './messages.js';
export {
  answerGateUpdate,
  claimToolCallUpdate,
  DEFAULT_TASK_QUEUE,
  editPlanUpdate,
  eventsQuery,
  finishSignal,
  followUpSignal,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
  traceQuery,
  transcriptQuery,
  WORKFLOW_TYPE,
  withdrawUpdate,
} from './messages.js';
