/**
 * `steersman/workflow`: for workflow code that starts runs as children, or sends messages to runs. The workflow itself is in
 * `agent.ts`, its steps in `run-mode.ts`, its loop in `turn/turn-loop.ts`.
 */

export { WORKFLOW_TYPE } from '../run/agents/run-config.js';
export type { Gate } from '../run/gates/gate.js';
export type { AnswerSchema, TypedSchema } from '../run/outputs/answer-schema.js';
export type {
  CallingRun,
  ChildRun,
  ChildRunOptions,
  ChildRunSettings,
  RunHandle,
} from './agents/child-run.js';
export { callingRun, executeRun, runHandle, startRun } from './agents/child-run.js';
export type { RunResult, RunView } from './run/definitions.js';
export {
  answerGateUpdate,
  claimToolCallUpdate,
  DEFAULT_TASK_QUEUE,
  editPlanUpdate,
  eventsQuery,
  finishSignal,
  followUpSignal,
  noteUpdate,
  pauseSignal,
  type RunInput,
  resumeSignal,
  setBudgetUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
  traceQuery,
  transcriptQuery,
  withdrawUpdate,
} from './run/definitions.js';
