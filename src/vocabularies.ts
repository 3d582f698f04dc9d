/** `steersman/vocabularies`: the events of a run in the words that other systems and their front ends know. */
export type {
  AgUiAgent,
  AgUiEvent,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiPatch,
  AgUiSpoken,
  AgUiToolCall,
} from '@steersman/ag-ui';
export {
  type AgUiState,
  agUiEvents,
  asksPerson,
  type ClientMessage,
  Conversation,
  gateOf,
  interruptId,
  interruptOf,
  PLAN_ACTIVITY,
  patchOf,
  type Resumed,
  replyOf,
  stateOf,
  textOf,
  toolCallOf,
} from '@steersman/ag-ui';
export * from './client/vocabularies/index.js';
