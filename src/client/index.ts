/** `steersman/client`: a client with the local stack, the project's configuration and the store. */

export { type ComposedPrompt, type ComposeOptions, composePrompt } from '../config/prompts/compose-prompt.js';
export type { Account, Hit, SessionLine } from '../shared/store/store.js';
export * from './exports.js';
export { Accounts } from './here/accounts.js';
export { type ConnectOptions, checkStart, connect, openTemporal } from './here/connect.js';
export { Sessions, type SessionsAsked, type SpentRun, type StoredRun } from './here/sessions.js';
export { type StartChoices, servedModels, startChoices } from './here/start-choices.js';
export { fromChatMessages } from './messages/index.js';
export { readConversation } from './messages/read-conversation.js';
