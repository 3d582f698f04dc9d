/** What people say with an answer, in their own words: whoever is asked something after that reads it. */

import { isRecord } from '../../src/base/json/json.js';
import type { Gate } from '../../src/run/gates/gate.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import { expectThat } from './expect-that.js';

/** Roles that are asked aside: they are not told what others are. */
const ASIDE: readonly string[] = ['understanding', 'router', 'reviewer', 'orchestrator'];

interface Said {
  text: string;
  gate: Gate;
  /** The gate closed by it. */
  isTaken: boolean;
  /** Roles that were asked something since. */
  asked: Set<string>;
}

export class SaidAtGates {
  readonly #said = new Map<string, Said>();
  readonly #wasRead: (text: string) => boolean;
  readonly #seen: Set<string>;

  constructor(wasRead: (text: string) => boolean, seen: Set<string>) {
    this.#wasRead = wasRead;
    this.#seen = seen;
  }

  answered(gate: Gate, input: unknown): void {
    if (!isRecord(input)) return;
    const text = gate.kind === 'question' ? input.text : input.reason;
    if (typeof text !== 'string' || text.trim() === '') return;
    this.#said.set(gate.id, { text: text.trim(), gate, isTaken: false, asked: new Set() });
  }

  happened(event: JournalEvent): void {
    if (event.type !== 'gate_closed') return;
    const said = this.#said.get(event.gateId);
    if (said && event.by === 'person') {
      said.isTaken = true;
      this.#seen.add(`said at a gate ${event.kind}`);
    } else this.#said.delete(event.gateId);
  }

  /** After what it sends was noted. */
  modelCalled(role: string): void {
    for (const { isTaken, asked, text, gate } of this.#said.values()) {
      if (!isTaken || this.#wasRead(text)) continue;
      asked.add(role);
      expectThat(role !== readerOf(gate), `${role} is called, and does not read "${text}" (${gate.kind})`);
    }
  }

  /** A message became a run of its own: so did what was answered about it. */
  startedRun(goal: string): void {
    for (const [gateId, { isTaken, text, gate }] of this.#said) {
      const isAbout = isTaken && gate.kind === 'question' && gate.subject.role === 'understanding';
      const [message] = isAbout ? (/«\d+»/.exec(gate.body) ?? []) : [];
      // Who reads it is in that run.
      if (goal.includes(text)) this.#said.delete(gateId);
      if (message === undefined || !goal.includes(message)) continue;
      this.#seen.add('an answer on a message that became a run of its own');
      expectThat(goal.includes(text), `${message} became a run of its own, without "${text}"`);
    }
  }

  ended(): void {
    for (const { isTaken, text, gate, asked } of this.#said.values()) {
      if (!isTaken || this.#wasRead(text)) continue;
      const readers = [...asked].filter(role => !ASIDE.includes(role));
      const what = gate.kind === 'route' ? `route: ${gate.subject.act}` : gate.kind;
      expectThat(
        readers.length === 0,
        `nobody was told "${text}" (${what}), and ${readers} were asked since`,
      );
    }
  }
}

/** Who asked, and is told at its next call: what carries out tasks may be at work on another one beside. */
function readerOf(gate: Gate): string | null {
  if (gate.kind === 'plan') return 'planner';
  const asks = gate.kind === 'question' ? gate.subject.role : '';
  return ['planner', 'verifier', 'understanding'].includes(asks) ? asks : null;
}
