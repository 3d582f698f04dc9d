/** `@steersman/ai-sdk-ui`: runs in the words of the AI SDK's UI message stream, and requests of `useChat`. Without Node. */

export type { UiChunk } from './chunks.js';
export { agUiRequest, CHAT_REQUEST, type ChatRequest } from './request.js';
export { closedGate, placeChunk, type UiChunkOptions, UiChunks } from './ui-chunks.js';
