/** What the scripted model of a chaos asks for: batches of reads and effects, and now and then it is done. */
import { join } from 'node:path';
import type { FaultName } from '../../../src/protocol-server/faults/names.js';
import type { ChatRequest } from '../../../src/protocol-server/server.js';
import type { ScriptedReply, ScriptedToolCall } from '../../../src/testing/scripted-model.js';
import { Random } from '../../simulation/random.js';
import type { FakeMcp } from '../fake-mcp-server.js';
import { calls, content, planned, reported, roleOf } from '../steering.js';

/** A tool that is slow answers after a time between these. */
const SLOW_MS = [100, 1_200] as const;

/** What becomes of a reply that goes wrong, by the name of the fault or as another text. */
const MISHAPS: readonly (FaultName | 'no JSON')[] = [
  'http.rate-limited-ms',
  'http.rate-limited',
  'http.server-error',
  'http.overloaded',
  'stream.cut-in-text',
  'stream.not-json',
  'no JSON',
];
const OF_CALLS: readonly FaultName[] = ['stream.cut-in-call', 'call.arguments-broken'];

export interface WorkOptions {
  seed: number;
  fake: FakeMcp;
  dir: string;
  /** Share of the replies that go wrong, from 0 to 1. */
  badReplies: number;
}

export class Work {
  /** Replies so far: how it goes on. */
  replies = 0;
  /** Of them those that went wrong. */
  bad = 0;
  #at = 0;
  #finished = false;
  readonly #random: Random;
  readonly #fake: FakeMcp;
  readonly #dir: string;
  readonly #mishaps: Random;
  readonly #badReplies: number;

  constructor({ seed, fake, dir, badReplies }: WorkOptions) {
    this.#random = new Random(seed, 'model');
    this.#fake = fake;
    this.#dir = dir;
    // Of its own, so that what is asked for stays the same.
    this.#mishaps = new Random(seed, 'mishaps');
    this.#badReplies = badReplies;
  }

  /** From here on every goal is answered at once. */
  finish(): void {
    this.#finished = true;
  }

  reply(request: ChatRequest): ScriptedReply {
    this.replies += 1;
    return this.#spoil(this.#replyTo(request));
  }

  #spoil(reply: ScriptedReply): ScriptedReply {
    if (!this.#mishaps.chance(this.#badReplies)) return reply;
    this.bad += 1;
    const fault = this.#mishaps.pick(reply.toolCalls ? [...MISHAPS, ...OF_CALLS] : MISHAPS);
    return fault === 'no JSON'
      ? { text: 'As I see it: {"type": "component", "summary": ' }
      : { ...reply, fault };
  }

  #replyTo(request: ChatRequest): ScriptedReply {
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
