/** The context of a drawn component: its kit, and the function that takes its proposals. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ComponentAction } from './action.js';
import type { ComponentRegistry, HandlerRegistry } from './registry.js';
import type { Say } from './words.js';

/** The components of a front end. */
export interface Kit {
  readonly registry: ComponentRegistry;
  readonly handlers: HandlerRegistry;
  /** Faults of modules that could not be loaded. The hint of a missing component shows them. */
  readonly faults: { readonly value: readonly string[] };
  /** True while modules are loaded: a missing component may still come. */
  readonly isLoading: { readonly value: boolean };
  readonly say: Say;
  /** Returns the name of a task's status for people. */
  readonly status: (status: string) => string;
  /** Says what a schema finds wrong with properties. */
  readonly invalid: (fault: string) => string;
  /** Loads a module of components. If it fails, the others stay as they are, and `faults` says why. */
  use(load: () => Promise<{ default?: unknown }>): Promise<void>;
  /** Adds a fault, which the hints of missing components show. */
  fault(text: string): void;
}

export interface Surroundings {
  kit: Kit;
  /** Receives a component's proposal. Returns why it is refused; null if it is accepted. */
  propose(action: ComponentAction): string | null;
}

export const Here = createContext<Surroundings | null>(null);

export function useHere(): Surroundings {
  const here = useContext(Here);
  if (here === null) throw new Error('There is no kit around this component: use `draw`, or `Here`.');
  return here;
}
