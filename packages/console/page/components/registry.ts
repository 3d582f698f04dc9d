/** The components and handlers by name, which the page and a project's module register. */
import { signal } from '@preact/signals';
import { type ComponentChild, type ComponentType, h } from 'preact';

export type Props = Readonly<Record<string, unknown>>;

/** The context of a component besides its properties. */
export interface ComponentContext {
  /** True while the text around the component is being written: any property may be missing. */
  partial: boolean;
  /** Shows a proposal above the composer. It sends nothing; a person may. */
  propose(label: string, data?: unknown): void;
}

export interface ComponentDefinition {
  /** A JSON Schema that its properties must match once the text is complete. */
  props?: Record<string, unknown>;
  /** Returns faults of the properties, for components of the page itself, which have no schema. */
  faults?(props: Props): string[];
  /** Default properties. */
  defaults?: Props;
  render(props: Props, ctx: ComponentContext): ComponentChild;
}

/** A definition, or a component of Preact or React, which gets `ctx` as a further property. */
export type Registered = ComponentDefinition | ComponentType<Props & { ctx: ComponentContext }>;

export class ComponentRegistry {
  readonly #components = new Map<string, ComponentDefinition>();
  readonly #elements = new Map<string, ReadonlySet<string>>();
  /** Changes at each registration, so that drawn components are drawn again. */
  readonly version = signal(0);

  /** Replaces an earlier component of this name. */
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

  /** Returns null if the name is unknown. */
  render(name: string, props: Props, ctx: ComponentContext): ComponentChild {
    const component = this.get(name);
    return component === undefined ? null : h(Drawn, { component, props, ctx });
  }

  /** Registers an element for HTML of models and tools, with the attributes it observes, except those the page interprets. */
  element(name: string, type: CustomElementConstructor & { observedAttributes?: readonly string[] }): void {
    if (customElements.get(name) === undefined) customElements.define(name, type);
    this.#elements.set(name, new Set((type.observedAttributes ?? []).filter(mayBeGiven)));
    this.version.value += 1;
  }

  isElement(name: string): boolean {
    return this.#elements.has(name);
  }

  /** True if a registered element accepts the attribute. */
  takes(element: string, attribute: string): boolean {
    return this.#elements.get(element)?.has(attribute) === true;
  }
}

/** A separate component, so that a definition can use hooks and its errors stay its own. */
function Drawn(given: { component: ComponentDefinition; props: Props; ctx: ComponentContext }) {
  return given.component.render(given.props, given.ctx);
}

/** Attributes that run or load something, change the page's look, or name a part of it. */
const READ_BY_PAGE =
  /^(on.*|style|id|name|class|is|slot|part|src.*|href|.*:.*|action|formaction|data|form)$/i;

function mayBeGiven(attribute: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(attribute) && !READ_BY_PAGE.test(attribute);
}

export type Handler = (data: unknown, ctx: Pick<ComponentContext, 'propose'>) => void;

/** Models supply the names, so they are looked up in a map, in which `constructor` has no meaning. */
export class HandlerRegistry {
  readonly #handlers = new Map<string, Handler>();
  /** Changes at each registration, so that components drawn earlier get the handler. */
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
