/** What draws components, and what their handlers do, by name: filled by the page and by the module of a project. */
import { signal } from '@preact/signals';
import { type ComponentChild, type ComponentType, h } from 'preact';

export type Props = Readonly<Record<string, unknown>>;

/** What a component may do besides drawing. */
export interface ComponentContext {
  /** The text that it stands in is still being written: anything may be missing. */
  partial: boolean;
  /** Puts something that the person may send above the composer. It sends nothing by itself. */
  propose(label: string, data?: unknown): void;
}

export interface ComponentDefinition {
  /** A JSON Schema that its properties must fit, once the text is complete. */
  props?: Record<string, unknown>;
  /** In place of a schema, for components of the page itself: what is wrong with properties. */
  faults?(props: Props): string[];
  /** Properties where none are given. */
  defaults?: Props;
  render(props: Props, ctx: ComponentContext): ComponentChild;
}

/** A definition, or a component of Preact or React, which gets `ctx` beside its properties. */
export type Registered = ComponentDefinition | ComponentType<Props & { ctx: ComponentContext }>;

export class ComponentRegistry {
  readonly #components = new Map<string, ComponentDefinition>();
  readonly #elements = new Map<string, ReadonlySet<string>>();
  /** Other at each change: what was drawn is drawn again. */
  readonly version = signal(0);

  /** Takes the place of the one that had the name. */
  register(name: string, component: Registered): void {
    if (typeof component === 'function')
      this.#components.set(name, { render: (props, ctx) => h(component, { ...props, ctx }) });
    else if (typeof component?.render === 'function') this.#components.set(name, component);
    else throw new TypeError(`The component ${name} has no render function.`);
    this.version.value += 1;
  }

  get(name: string): ComponentDefinition | undefined {
    return this.#components.get(name);
  }

  /** Null where there is none of this name. */
  render(name: string, props: Props, ctx: ComponentContext): ComponentChild {
    const component = this.get(name);
    return component === undefined ? null : h(Drawn, { component, props, ctx });
  }

  /** A custom element that HTML of models and tools may have. What it observes it is given, but for what the page reads. */
  element(name: string, type: CustomElementConstructor & { observedAttributes?: readonly string[] }): void {
    if (customElements.get(name) === undefined) customElements.define(name, type);
    this.#elements.set(name, new Set((type.observedAttributes ?? []).filter(mayBeGiven)));
    this.version.value += 1;
  }

  isElement(name: string): boolean {
    return this.#elements.has(name);
  }

  /** Whether an element of ours takes the attribute. */
  takes(element: string, attribute: string): boolean {
    return this.#elements.get(element)?.has(attribute) === true;
  }
}

/** A component of its own, so that a definition may use hooks and its fault is its own. */
function Drawn(given: { component: ComponentDefinition; props: Props; ctx: ComponentContext }) {
  return given.component.render(given.props, given.ctx);
}

/** What runs something, loads something, changes how the page looks or names a part of it. */
const READ_BY_PAGE =
  /^(on.*|style|id|name|class|is|slot|part|src.*|href|.*:.*|action|formaction|data|form)$/i;

function mayBeGiven(attribute: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(attribute) && !READ_BY_PAGE.test(attribute);
}

export type Handler = (data: unknown, ctx: Pick<ComponentContext, 'propose'>) => void;

/** Names come from models: they are looked up in a map, where `constructor` is nothing. */
export class HandlerRegistry {
  readonly #handlers = new Map<string, Handler>();
  /** Other at each change: what was drawn before a handler was there gets it. */
  readonly version = signal(0);

  register(name: string, handler: Handler): void {
    if (typeof handler !== 'function') throw new TypeError(`The handler ${name} is no function.`);
    this.#handlers.set(name, handler);
    this.version.value += 1;
  }

  get(name: string): Handler | undefined {
    return this.#handlers.get(name);
  }
}

export const registry = new ComponentRegistry();
export const handlers = new HandlerRegistry();
