/**
 * `@steersman/components`: components that roles and tools name, for any page in a browser. Without Node.
 */
export {
  type ContentPart,
  type ExecutionOutput,
  type PlanOutput,
  type PlanReading,
  parseExecutorResponse,
  parsePlannerResponse,
  parseVerifierResponse,
  type RoleReply,
  readParts,
  type VerdictOutput,
} from 'steersman/rules';
export type {
  BuiltInProps,
  ComponentPart,
  OnClick,
  ResourceProps,
  TodoProps,
} from './built-in/built-in-props.js';
export { createKit, type KitOptions } from './kit.js';
export { isPlain, linesOf } from './text/is-plain.js';
export { lazily } from './text/lazy.js';
export { Markdown } from './text/markdown.js';
export { pretty, ToolContent } from './text/plain.js';
export { loadSafeMarkup } from './text/safe-markup.js';
export { type ComponentAction, readAction } from './view/action.js';
export { listenForActions } from './view/action-events.js';
export { ContentText, Parts, type PartsProps } from './view/content-view.js';
export type {
  ComponentContext,
  ComponentDefinition,
  ComponentModule,
  ElementListener,
  ElementOptions,
  Handler,
  ModuleTools,
  MountContext,
  MountedComponent,
  MountedDefinition,
  Props,
  Registered,
  RenderedDefinition,
} from './view/definition.js';
export { type Content, type Drawing, draw } from './view/draw.js';
export { Here, type Kit, type Surroundings } from './view/here.js';
export { type PartialJson, parsePartialJson, partialParts } from './view/partial-json.js';
export type { ComponentRegistry, HandlerRegistry } from './view/registry.js';
export { type KitWord, type Say, sayIn } from './view/words.js';
