/** `steersman/run`: types and constructors of runs, without Node. */

export { childEnd, childId } from './agents/children.js';
export type { RunSettings } from './agents/run-config.js';
export { lastLines } from './checks/check.js';
export { choiceText, formFields, valueText } from './gates/form.js';
export { choicesOf, type Gate, safeAnswer } from './gates/gate.js';
export { optionLine } from './gates/options.js';
export { type Cause, causeText, mayPass, OUTCOMES, type Outcome, TRY_LATER } from './limits/cause.js';
export { FAILURE } from './limits/failure.js';
export {
  beginHearing,
  endOf,
  hear,
  progressWords,
  type ReceivedReply,
} from './limits/heartbeats.js';
export { cachedFacts, cachedPercent, usageByRole, usageOf } from './limits/usage-by.js';
export {
  type AppResult,
  addUsage,
  type Block,
  type Message,
  NO_USAGE,
  type ToolResultBlock,
  type ToolUseBlock,
  textOf,
  type WrittenCall,
} from './messages/message.js';
export { contentOf } from './outputs/artifact.js';
export type { Control, IntentAction, Route, TaskRelation } from './outputs/contracts.js';
export { isOpen, type PlannedTask, planInForce } from './plan/plan.js';
export { DEFAULT_MODE, MODES, MODES_HELP, modeFor, READERS } from './position/modes.js';
export type { JournalEvent } from './state/journal.js';
export {
  idInSession,
  type Mark,
  messageNumber,
  numberOf,
  type RunRecord,
  type StoredLine,
} from './state/stored-line.js';
export {
  isAfter,
  isMark,
  isRunRecord,
  isStoredLine,
  missingAfter,
  writeEffect,
} from './state/stored-records.js';
export { STEP_TEXT_CHARS } from './state/trace.js';
export { deniedPath, idlePermissions } from './tools/permission.js';
export type { ToolDefinition } from './tools/tool.js';
export { addWorkflowTools } from './tools/workflow-tools.js';
