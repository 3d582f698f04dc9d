/** What a run that does nothing waits for, told to whoever waits for the run. */

import type { RunSnapshot } from '../client/runs/run-snapshot.js';
import { stuckLine } from '../client/runs/stuck-task.js';
import { verbCall } from '../shared/called-as.js';
import type { Colors } from './output.js';
import { gateLines } from './show-run.js';

interface Thing {
  key: string;
  lines: string[];
}

/** Tells each thing once, however often it is asked. */
export class WaitTeller {
  readonly #colors: Colors;
  readonly #told = new Set<string>();

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  /** Lines on what the run waits for that were not told before; none while it works, or no worker answers. */
  news(state: RunSnapshot): string[] {
    const fresh = this.#thingsOf(state).filter(({ key }) => !this.#told.has(key));
    for (const { key } of fresh) this.#told.add(key);
    return fresh.flatMap(({ lines }) => lines);
  }

  #thingsOf({ id, stuck, gates, inputs, phase, pausedAgents, goals, lastEventSeq }: RunSnapshot): Thing[] {
    if (stuck) return [{ key: stuck.what, lines: [stuckLine(stuck), stuck.todo] }];
    const things: Thing[] = gates.map(gate => ({
      key: gate.id,
      lines: gateLines(id, [gate], this.#colors, inputs),
    }));
    if (phase === 'paused' || pausedAgents.length > 0) {
      const who = phase === 'paused' ? 'It' : pausedAgents.join(', ');
      const lines = [`${who} is paused. Go on: ${verbCall(`resume ${id}`)}`];
      things.push({ key: `${who} ${phase === 'paused' ? lastEventSeq : ''}`, lines });
    }
    if (phase === 'idle') {
      const lines = [`It is answered, and open for a follow-up. End it: ${verbCall(`finish ${id}`)}`];
      things.push({ key: `idle ${goals.length}`, lines });
    }
    return things;
  }
}
