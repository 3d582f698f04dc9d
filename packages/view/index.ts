/** `@steersman/view`: the view of a run for people, shared by all user interfaces. Without Node. */

export { AskFault, ask, type Console, runPath } from './ask.js';
export type { Frame, RunFigures, StartAsk, StreamAsk, UntoldRun, WaitingGate } from './frames.js';
export {
  type AgentItem,
  type AnswerItem,
  type Durable,
  type Fold,
  type GateClosed,
  type GateItem,
  type GoalItem,
  type Item,
  type MessageItem,
  type NoteItem,
  newFold,
  type ReceiptStep,
  type ReplyItem,
  recordedAnswer,
  type ToolItem,
  takeItem,
} from './items.js';
export { isCostly, isCostlyHtml } from './markdown-cost.js';
export { phaseName } from './phases.js';
export { phaseOf, RunFold, takesNextGoal } from './run-fold.js';
export {
  type CallInFlight,
  childProgress,
  type Known,
  lastWords,
  newProgress,
  type RunProgress,
  take,
  takeState,
  wordsOf,
} from './run-progress.js';
export { isJson, jsonStart, mayBecomeJson, spokenText } from './spoken-text.js';
export { Stream, type StreamEnds, type StreamState } from './stream.js';
