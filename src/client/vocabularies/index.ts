/** `steersman/vocabularies`: the events of a run in the words that other systems and their front ends know. */
export { agUiEvents } from './ag-ui/ag-ui.js';
export { type ClientMessage, Conversation, textOf } from './ag-ui/conversation.js';
export type {
  AgUiAgent,
  AgUiEvent,
  AgUiInterrupt,
  AgUiMessage,
  AgUiOutcome,
  AgUiPatch,
  AgUiSpoken,
  AgUiToolCall,
} from './ag-ui/events.js';
export {
  asksPerson,
  gateOf,
  interruptId,
  interruptOf,
  type Resumed,
  replyOf,
  toolCallOf,
} from './ag-ui/interrupts.js';
export { type AgUiState, PLAN_ACTIVITY, patchOf, stateOf } from './ag-ui/shared-state.js';
export { type Chunk, chunks } from './chunks.js';
export { type Routing, type SnapshotEvent, snapshots, type ToolInteraction } from './snapshots.js';
export { listenToStream, type StreamCallbacks, type StreamEvent, streamEvents } from './stream-events.js';
export { translate, type Vocabulary } from './translate.js';
export { type TurnEvent, turnEvents } from './turn-events.js';
