/** `@steersman/ag-ui`: translates events of a run to AG-UI, and requests of its clients to calls of a run. */

export { agUiEvents } from './ag-ui.js';
export { type AgUiPicture, type ClientMessage, Conversation, goalOf, textOf } from './conversation.js';
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
