/** Where calls are made: the same, whatever else goes on at the same time. */
import type { CallModelInput } from '../../src/activities/types.js';
import { taskAt } from '../../src/run/state/cursor.js';
import type { RunState } from '../../src/run/state/run-state.js';

export class CallPlaces {
  /** Of model calls, by their ids. */
  readonly #places = new Map<string, string>();
  readonly #calls = new Map<string, number>();

  /** The role, and the task that it is asked for. */
  ofModel({ cursor, models, threads }: RunState, { callId, role }: CallModelInput): string {
    const { thread = '' } = models.calls.find(call => call.callId === callId) ?? {};
    const place = `${role} ${threads[thread]?.branch?.taskId ?? taskAt(cursor)}`;
    this.#places.set(callId, `${place} ${this.#callsAt(place) + 1}`);
    return place;
  }

  /** The reply that asks for it, and the number of the call there. */
  ofTool(toolUseId: string): string {
    const [reply = '', index] = toolUseId.split('_');
    return `${this.#places.get(reply)} call ${index}`;
  }

  /** Of one more call there. */
  numbered(place: string): string {
    const number = this.#callsAt(place) + 1;
    this.#calls.set(place, number);
    return `${place} ${number}`;
  }

  #callsAt(place: string): number {
    return this.#calls.get(place) ?? 0;
  }
}
