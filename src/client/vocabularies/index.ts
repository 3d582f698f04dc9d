/** `steersman/vocabularies`: the events of a run in the words that other systems and their front ends know. */
export type { Chunk, FinishReason } from './chunks.js';
export { chunks } from './chunks.js';
export type { AgentSnapshot, SnapshotEvent, SnapshotType } from './snapshots.js';
export { snapshots } from './snapshots.js';
export type { StreamCallbacks, StreamEvent, StreamToolCall } from './stream-events.js';
export { listenToStream, streamEvents } from './stream-events.js';
export { translate, type Vocabulary } from './translate.js';
export type { TurnEvent } from './turn-events.js';
export { turnEvents } from './turn-events.js';
