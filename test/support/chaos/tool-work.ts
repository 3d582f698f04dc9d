/** Which tools the model of a chaos calls, and the gates at which slow ones wait. */
import { join } from 'node:path';
import { Random } from '../../simulation/random.js';
import type { ScriptedToolCall } from '../endpoint/model.js';
import type { FakeMcp } from '../fake-mcp-server.js';

/** A tool that is slow answers after a time between these. */
const SLOW_MS = [100, 1_200] as const;

const SIMPLE = ['echo', 'slow', 'append_line', 'append_line', 'append_slow'] as const;
const MIXED = [...SIMPLE, 'echo', 'slow', 'remember', 'recall', 'recall', 'write', 'write'] as const;

/** The server whose sessions keep a text. */
export const KEEPER = 'keeper';

export interface ToolWorkOptions {
  seed: number;
  fake: FakeMcp;
  dir: string;
}

export class ToolWork {
  #at = 0;
  readonly #random: Random;
  readonly #fake: FakeMcp;
  readonly #dir: string;

  constructor({ seed, fake, dir }: ToolWorkOptions) {
    this.#random = new Random(seed, 'tools');
    this.#fake = fake;
    this.#dir = dir;
  }

  /** A number that nothing else has. */
  next(): number {
    this.#at += 1;
    return this.#at;
  }

  /** Reads and effects. */
  simple(): ScriptedToolCall[] {
    return this.#some(3, () => this.#call(this.#random.pick(SIMPLE)));
  }

  /** Also in the session of a stateful server, and of artifacts. */
  mixed(): ScriptedToolCall[] {
    return this.#some(5, () => this.#call(this.#random.pick(MIXED)));
  }

  /** Pieces for agents, and now and then something of its own among them. */
  agents(): ScriptedToolCall[] {
    return this.#some(3, () => {
      if (this.#random.chance(0.2)) return this.#call(this.#random.pick(MIXED));
      const agent_name = this.#random.pick(['search', 'search', 'middle', 'middle', 'nobody']);
      return { name: 'call_subagent', arguments: { agent_name, instruction: `Do piece ${this.next()}.` } };
    });
  }

  #some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.#random.int(1, most) }, make);
  }

  #call(tool: (typeof MIXED)[number]): ScriptedToolCall {
    // Long arguments are read from the run, not sent along.
    const line = `line ${this.next()}${this.#random.chance(0.2) ? ` ${'x'.repeat(2_000)}` : ''}`;
    const file = join(this.#dir, 'lines.txt');
    switch (tool) {
      case 'echo':
        return { name: 'echo', arguments: { text: line } };
      case 'append_line':
        return { name: 'append_line', arguments: { file, line } };
      case 'append_slow':
        return { name: 'append_slow', arguments: { file, line, gate: this.#gate() } };
      case 'slow':
        return { name: 'slow', arguments: { gate: this.#gate() } };
      case 'remember':
        return { name: `${KEEPER}__remember`, arguments: { text: line } };
      case 'recall':
        return {
          name: `${KEEPER}__recall`,
          arguments: this.#random.chance(0.3) ? { gate: this.#gate() } : {},
        };
      case 'write':
        return this.#write(line);
    }
  }

  /** Of few names, so that most are there already: what the run makes of that is its own. */
  #write(content: string): ScriptedToolCall {
    const id = this.#random.pick(['a', 'b']);
    return this.#random.chance(0.4)
      ? { name: 'create_artifact', arguments: { id, type: 'text', content } }
      : { name: 'rewrite_artifact', arguments: { id, content } };
  }

  /** It opens by itself, also where the call never comes: nobody minds an open gate. */
  #gate(): string {
    const gate = `gate-${this.next()}`;
    setTimeout(() => this.#fake.openGate(gate), this.#random.int(...SLOW_MS)).unref();
    return gate;
  }
}
