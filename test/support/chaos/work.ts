/** What the scripted model of a chaos asks for: batches of reads and effects, and now and then it is done. */
import { join } from 'node:path';
import type { ChatRequest } from '../../../src/protocol-server/server.js';
import type { ScriptedReply, ScriptedToolCall } from '../../../src/testing/scripted-model.js';
import type { Random } from '../../simulation/random.js';
import type { FakeMcp } from '../fake-mcp-server.js';
import { calls, content, planned, reported, roleOf } from '../steering.js';

/** A tool that is slow answers after a time between these. */
const SLOW_MS = [100, 1_200] as const;

export class Work {
  /** Replies so far: how it goes on. */
  replies = 0;
  #at = 0;
  #finished = false;
  readonly #random: Random;
  readonly #fake: FakeMcp;
  readonly #dir: string;

  constructor(random: Random, fake: FakeMcp, dir: string) {
    this.#random = random;
    this.#fake = fake;
    this.#dir = dir;
  }

  /** From here on every goal is answered at once. */
  finish(): void {
    this.#finished = true;
  }

  reply(request: ChatRequest): ScriptedReply {
    this.replies += 1;
    const role = roleOf(request);
    if (role === 'planner') return planned;
    if (role === 'verifier') return content;
    if (this.#finished || this.#random.chance(0.12)) return reported();
    const batch = Array.from({ length: this.#random.int(1, 3) }, () => this.#call());
    const text = 'I look at what there is, and go on from there step by step. ';
    return { ...calls(...batch), text, chunkChars: 6, delayMs: this.#random.pick([0, 0, 10, 40]) };
  }

  #call(): ScriptedToolCall {
    this.#at += 1;
    // Long arguments are read from the run, not sent along.
    const line = `line ${this.#at}${this.#random.chance(0.2) ? ` ${'x'.repeat(2_000)}` : ''}`;
    const file = join(this.#dir, 'lines.txt');
    switch (this.#random.pick(['echo', 'slow', 'append_line', 'append_line', 'append_slow'] as const)) {
      case 'echo':
        return { name: 'echo', arguments: { text: line } };
      case 'append_line':
        return { name: 'append_line', arguments: { file, line } };
      case 'append_slow':
        return { name: 'append_slow', arguments: { file, line, gate: this.#gate() } };
      case 'slow':
        return { name: 'slow', arguments: { gate: this.#gate() } };
    }
  }

  /** It opens by itself, also where the call never comes: nobody minds an open gate. */
  #gate(): string {
    const gate = `gate-${this.#at}`;
    setTimeout(() => this.#fake.openGate(gate), this.#random.int(...SLOW_MS)).unref();
    return gate;
  }
}
