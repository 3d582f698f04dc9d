/** `steersman/workflow`: for workflow code. Runs as children of one's own workflows, and every message of a run. */

export type { ClientTool } from '../core/agents/run-config.js';
export type { Gate } from '../core/gates/gate.js';
export type { Limits } from '../core/limits/limits.js';
export type { UsageEntry } from '../core/limits/usage-by.js';
export type { Cause, Outcome } from '../core/plan/cause.js';
export type { Task } from '../core/plan/plan.js';
export type { JournalEvent } from '../core/state/journal.js';
export type { Message, Usage } from '../core/state/message.js';
export type { TraceReport } from '../core/state/trace.js';
export type {
  CallingRun,
  ChildRun,
  ChildRunOptions,
  ChildRunSettings,
  GateReply,
  RunHandle,
} from './agents/child-run.js';
export { callingRun, executeRun, runHandle, startRun } from './agents/child-run.js';
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
