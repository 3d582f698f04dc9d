/** `steersman/console`: the console as a function, to mount behind your own login. */
export type { ComponentOptions } from './components.js';
export { type Console, type ConsoleOptions, createConsole } from './console.js';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.js';
export { linkOfRunning, pageToLink, serveConsole } from './serve.js';
