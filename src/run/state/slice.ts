/** A part of the state that only one feature reads and writes: see `RunState.features`. */
import { isRecord } from '../../base/json/json.js';
import type { RunState } from './run-state.js';

type Holder = Pick<RunState, 'features'>;

export interface SliceInput<S> {
  initial(): S;
  /** The maximum size as JSON. Its writers respect it; all slices together have `FEATURES_BYTES`. */
  bytes: number;
  /** Extracts the value from a state of earlier code, such as `{ tools: { apps } }`. */
  earlier?(state: Record<string, unknown>): S | undefined;
}

export interface AnySlice {
  readonly name: string;
  readonly bytes: number;
  adopt(state: RunState): void;
}

export class Slice<S> implements AnySlice {
  readonly name: string;
  readonly bytes: number;
  readonly #given: SliceInput<S>;

  constructor(name: string, given: SliceInput<S>) {
    this.name = name;
    this.bytes = given.bytes;
    this.#given = given;
  }

  /** Returns its value, or the initial one: only `set` changes the state. */
  of({ features }: Holder): S {
    // The cast is safe: only `set` writes under this name.
    return Object.hasOwn(features, this.name) ? (features[this.name] as S) : this.#given.initial();
  }

  set({ features }: Holder, value: S): void {
    features[this.name] = value;
  }

  /** Converts a handed-over state to this code: new fields start as in a new run. */
  adopt(state: RunState): void {
    const known = Object.hasOwn(state.features, this.name)
      ? state.features[this.name]
      : this.#given.earlier?.(state as unknown as Record<string, unknown>);
    if (known === undefined) return;
    const fresh = this.#given.initial();
    const filled = isRecord(known) && isRecord(fresh) ? { ...fresh, ...known } : known;
    this.set(state, filled as S);
  }
}
