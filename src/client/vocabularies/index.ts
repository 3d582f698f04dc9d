/** Translates the events of a run for other systems and their user interfaces. */

export { type Chunk, chunks } from './chunks.js';
export { type Routing, type SnapshotEvent, snapshots, type ToolInteraction } from './snapshots.js';
export {
  listenToStream,
  type StreamCallbacks,
  type StreamEvent,
  type StreamOptions,
  streamEvents,
} from './stream-events.js';
export { translate, type Vocabulary } from './translate.js';
export { type TurnEvent, turnEvents } from './turn-events.js';
