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
export { type ComponentAction, readAction } from './action.js';
export { listenForActions } from './action-events.js';
export type {
  BuiltInProps,
  ComponentPart,
  OnClick,
  ResourceProps,
  TodoProps,
} from './built-in/built-in-props.js';
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
} from './definition.js';
export { Here, type Kit, type Surroundings } from './here.js';
export { createKit, type KitOptions } from './kit.js';
export { lazily } from './lazy.js';
export { type PartialJson, parsePartialJson, partialParts } from './partial-json.js';
export type { ComponentRegistry, HandlerRegistry } from './registry.js';
export { isPlain, linesOf } from './text/is-plain.js';
export { Markdown } from './text/markdown.js';
export { pretty, ToolContent } from './text/plain.js';
export { loadSafeMarkup } from './text/safe-markup.js';
export { ContentText, Parts, type PartsProps } from './view/content-view.js';
export { type Content, type Drawing, draw } from './view/draw.js';
export { type KitWord, type Say, sayIn } from './words.js';
