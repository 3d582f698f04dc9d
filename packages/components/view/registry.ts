/** Components, custom elements and handlers by name, which a front end and modules of components register. */
import { signal } from '@preact/signals';
import { type ComponentChild, h } from 'preact';
import type {
  ComponentContext,
  ComponentDefinition,
  ElementListener,
  ElementOptions,
  Handler,
  Props,
  Registered,
  RenderedDefinition,
} from './definition.js';
import { Mounted } from './mounted.js';

interface KnownElement {
  attributes: ReadonlySet<string>;
  events: ReadonlyMap<string, ElementListener>;
}

export class ComponentRegistry {
  readonly #components = new Map<string, ComponentDefinition>();
  readonly #elements = new Map<string, KnownElement>();
  /** Changes at each registration, so that drawn components are drawn again. */
  readonly version = signal(0);

  /** Replaces an earlier component of this name. */
  register<P extends object = Props>(name: string, component: Registered<P>): void {
    this.#components.set(name, definitionOf(name, component) as ComponentDefinition);
    this.version.value += 1;
  }

  get(name: string): ComponentDefinition | undefined {
    return this.#components.get(name);
  }

  /** Returns null if the name is unknown. */
  render(name: string, props: Props, ctx: ComponentContext): ComponentChild {
    const component = this.get(name);
    if (component === undefined) return null;
    return 'mount' in component
      ? h(Mounted, { component, props, ctx })
      : h(Rendered, { component, props, ctx });
  }

  /** Registers an element for HTML of models and tools, with the attributes it observes, except those the page interprets. */
  element(
    name: string,
    type: CustomElementConstructor & { observedAttributes?: readonly string[] },
    { events = {} }: ElementOptions = {},
  ): void {
    if (customElements.get(name) === undefined) customElements.define(name, type);
    this.#elements.set(name, {
      attributes: new Set((type.observedAttributes ?? []).filter(isAllowedAttribute)),
      events: new Map(Object.entries(events)),
    });
    this.version.value += 1;
  }

  isElement(name: string): boolean {
    return this.#elements.has(name);
  }

  /** True if a registered element accepts the attribute. */
  takes(element: string, attribute: string): boolean {
    return this.#elements.get(element)?.attributes.has(attribute) === true;
  }

  /** The listeners of all elements, each with its element and its type of event. */
  *listeners(): Generator<{ element: string; type: string; listener: ElementListener }> {
    for (const [element, { events }] of this.#elements)
      for (const [type, listener] of events) yield { element, type, listener };
  }
}

function definitionOf<P extends object>(name: string, component: Registered<P>): ComponentDefinition<P> {
  if (typeof component === 'function')
    return { render: (props, ctx) => h(component, { ...props, ctx } as P & { ctx: ComponentContext }) };
  const draws = component as { render?: unknown; mount?: unknown };
  if (typeof draws?.render === 'function' || typeof draws?.mount === 'function') return component;
  throw new TypeError(`The component ${name} has no render function.`);
}

/** A separate component, so that a definition can use hooks and its errors stay its own. */
function Rendered(given: { component: RenderedDefinition; props: Props; ctx: ComponentContext }) {
  return given.component.render(given.props, given.ctx);
}

/** Attributes that run or load something, change the page's look, or name a part of it. */
const READ_BY_PAGE =
  /^(on.*|style|id|name|class|is|slot|part|src.*|href|.*:.*|action|formaction|data|form)$/i;

function isAllowedAttribute(attribute: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(attribute) && !READ_BY_PAGE.test(attribute);
}

/** Models supply the names, so they are looked up in a map, in which `constructor` has no meaning. */
export class HandlerRegistry {
  readonly #handlers = new Map<string, Handler>();
  /** Changes at each registration, so that components drawn earlier get the handler. */
  readonly version = signal(0);

  register(name: string, handler: Handler): void {
    if (typeof handler !== 'function') throw new TypeError(`The handler ${name} is not a function.`);
    this.#handlers.set(name, handler);
    this.version.value += 1;
  }

  get(name: string): Handler | undefined {
    return this.#handlers.get(name);
  }
}
