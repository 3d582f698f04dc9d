/** `@steersman/session`: shows a run in a terminal, and steers it while it works. */

export type { Context } from './context.js';
export { leftOutLine, promptServers, promptsOf, promptText } from './input/server-prompts.js';
export { type Ask, answerOf, tellUnread, trustedConfigDir, trustForStart } from './input/trusted-dir.js';
export { NOTIFY_HELP, Notifier, notifyOption, webHook } from './notify.js';
export { isTerminal } from './screen/terminal.js';
export { runSession, type SessionOptions } from './session.js';
