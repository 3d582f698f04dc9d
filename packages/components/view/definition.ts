/** The authors' side of components: types, with completion in editors. */
import type { ComponentChild, ComponentType } from 'preact';

export type Props = Readonly<Record<string, unknown>>;

/** The context of a component besides its properties. */
export interface ComponentContext {
  /** True while the text around the component is being written: any property may be missing. */
  partial: boolean;
  /** Shows a proposal to the person. It sends nothing; the person may. */
  propose(label: string, data?: unknown): void;
}

/** The context of a component that is drawn by another library. */
export interface MountContext extends ComponentContext {
  /** Shows a hint in the component's place: for faults after `mount` has returned. */
  fail(error: unknown): void;
}

/** The result of `mount`. Without `update`, the component is mounted again when its properties change. */
export interface MountedComponent<P extends object = Props> {
  update?(props: P, ctx: MountContext): void;
  /** Called when the component goes: remove listeners and roots here. */
  remove?(): void;
}

interface Definition<P extends object> {
  /** A JSON Schema that its properties must match once the text is complete. */
  props?: Record<string, unknown>;
  /** Returns faults of the properties, for components without a schema. */
  faults?(props: P): string[];
  /** Default properties. */
  defaults?: Partial<P>;
}

/** Draws by Preact. */
export interface RenderedDefinition<P extends object = Props> extends Definition<P> {
  render(props: P, ctx: ComponentContext): ComponentChild;
}

/** Draws in an element of the page, by any library: React, Lit, Vue, or the DOM alone. */
export interface MountedDefinition<P extends object = Props> extends Definition<P> {
  mount(element: HTMLElement, props: P, ctx: MountContext): MountedComponent<P> | undefined;
}

export type ComponentDefinition<P extends object = Props> = RenderedDefinition<P> | MountedDefinition<P>;

/** A definition, or a component of Preact, or of React by `preact/compat`, which gets `ctx` as a further property. */
export type Registered<P extends object = Props> =
  | ComponentDefinition<P>
  | ComponentType<P & { ctx: ComponentContext }>;

/** Handles an event of a custom element. `detail`: the event's own, for a `CustomEvent`; else null. */
export type ElementListener = (
  detail: unknown,
  ctx: Pick<ComponentContext, 'propose'> & { element: Element; event: Event },
) => void;

export interface ElementOptions {
  /** A listener for each type of event. It listens to these elements in drawn HTML, and is removed with them. */
  events?: Readonly<Record<string, ElementListener>>;
}

/** The function that `"onClick": "name"` calls. `data`: what the component gives it. */
export type Handler = (data: unknown, ctx: Pick<ComponentContext, 'propose'>) => void;

/** The argument of a module of components. */
export interface ModuleTools {
  registry: {
    /** Replaces an earlier component of this name. */
    register<P extends object = Props>(name: string, component: Registered<P>): void;
    get(name: string): ComponentDefinition | undefined;
    render(name: string, props: Props, ctx: ComponentContext): ComponentChild;
    /** Registers a custom element, which HTML of roles and tools may then have. */
    element(
      name: string,
      type: CustomElementConstructor & { observedAttributes?: readonly string[] },
      options?: ElementOptions,
    ): void;
  };
  handlers: { register(name: string, handler: Handler): void };
  /** Creates nodes of Preact. */
  h: typeof import('preact').h;
  /** Hooks and `createElement` as React names them (`preact/compat`). */
  react: typeof import('preact/compat');
  /** Loads a further module. If it fails, all other modules stay as they are. */
  use(load: () => Promise<{ default?: unknown }>): Promise<void>;
}

/** The default export of a module of components. */
export type ComponentModule = (tools: ModuleTools) => void | Promise<void>;
