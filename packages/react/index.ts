/** `@steersman/react`: a run in a page of React, and components of React in its answers. Without Node. */

export type { AskFault, Console, Item } from '@steersman/view';
export { choicesOf } from 'steersman/run';
export { Content, type ContentProps, reactComponent } from './content.js';
export type { LiveText, Receipt, RunMessage, RunState, SendOptions } from './run-source.js';
export { type RunOfHook, type StartRunOptions, startRun, useRun } from './use-run.js';
