/** `@steersman/ag-ui`: the events of a run as AG-UI, and what its clients say as requests. */

export { agUiEvents } from './ag-ui.js';
export { type ClientMessage, Conversation, textOf } from './conversation.js';
export type {
  AgUiAgent,
  AgUiEvent,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiPatch,
  AgUiSpoken,
  AgUiToolCall,
} from './events.js';
export {
  asksPerson,
  gateOf,
  interruptId,
  interruptOf,
  type Resumed,
  replyOf,
  toolCallOf,
} from './interrupts.js';
export { type AgUiState, PLAN_ACTIVITY, patchOf, stateOf } from './shared-state.js';
