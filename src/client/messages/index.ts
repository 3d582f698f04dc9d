/**
 * Converts conversations between the project's own form and those of model protocols, in both directions: transcripts
 * for other programs, and their conversations for runs. No model is called.
 */

export {
  type ExecutionOutput,
  type PlanOutput,
  type PlanReading,
  parseExecutorResponse,
  parsePlannerResponse,
  parseVerifierResponse,
  type RoleReply,
  type VerdictOutput,
} from '../../rules/outputs/role-replies.js';
export type { AssistantMessage, Message } from '../../run/messages/message.js';
export { fromAnthropicMessages, toAnthropicMessages } from './anthropic.js';
export { fromChatMessages, toChatMessages } from './chat.js';
export { readConversation } from './read-conversation.js';
export { type ChatReply, fromReply, toChatReply } from './replies.js';
export { fromResponsesItems, toResponsesInput } from './responses.js';
export {
  type DescribedTool,
  fromTools,
  toAnthropicTools,
  toChatTools,
  toResponsesTools,
} from './tool-definitions.js';
