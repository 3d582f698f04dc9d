/**
 * `@steersman/ai-sdk-ui`: translates a run to the AI SDK's UI message stream, and requests of `useChat` to calls of a
 * run. Without Node.
 */

export type { UiChunk } from './chunks.js';
export { agUiRequest, CHAT_REQUEST, type ChatRequest } from './request.js';
export { closedGate, placeChunk, type UiChunkOptions, UiChunks } from './ui-chunks.js';
