/**
 * Conversations between the project's own form and those of the protocols that models speak, both ways: transcripts
 * of runs for other programs, and theirs for runs. Nothing here reaches a model.
 */
export type { Message } from '../../run/messages/message.js';
export { fromAnthropicMessages, toAnthropicMessages } from './anthropic.js';
export { fromChatMessages, toChatMessages } from './chat.js';
export { readConversation } from './read-conversation.js';
export { fromResponsesItems, toResponsesInput } from './responses.js';
