/** What runs of a tree tell each other: one message after the other, each a moment after it was sent. */
import type { AgentMessage, FromCaller } from '../../src/rules/agents/agent-message.js';
import { modelFault } from '../../src/rules/limits/in-force.js';
import { hearAgent } from '../../src/workflows/agents/agents.js';
import {
  answerFromCaller,
  hearCaller,
  receive,
  requestPause,
  requestResume,
  requestStop,
} from '../../src/workflows/inbox/inbox-handlers.js';
import type { ToChild } from '../../src/workflows/run/ports.js';
import type { Seen } from './crowd.js';
import type { Timeline } from './timeline.js';

export class Line {
  readonly #timeline: Timeline;
  readonly #name: string;
  readonly #latency: () => number;
  #last: Promise<void> | null = null;
  #arrives = 0;
  #sent = 0;

  /** `name`: what comes by it at the same time as other things comes first. */
  constructor(timeline: Timeline, name: string, latency: () => number) {
    this.#timeline = timeline;
    this.#name = name;
    this.#latency = latency;
  }

  send(deliver: () => void): void {
    this.#sent += 1;
    this.#arrives = Math.max(this.#arrives, this.#timeline.now + this.#latency());
    const position = { path: ` ${this.#name}`, number: this.#sent };
    const arrived = new Promise<void>(resolve =>
      this.#timeline.schedule(this.#arrives, position, () => {
        if (this.#last === arrived) this.#last = null;
        deliver();
        resolve();
      }),
    );
    this.#last = arrived;
  }

  /** Resolves when all that was sent has arrived; null where nothing is on its way. */
  get empty(): Promise<void> | null {
    return this.#last;
  }
}

/** As the signal handler of the caller does. */
export function hear({ run, watcher }: Seen, message: AgentMessage): void {
  hearAgent(run, message);
  watcher.heard(run.state);
}

/** As the signal handlers of an agent do. */
export function deliver({ run, watcher }: Seen, { signal, input }: ToChild): void {
  switch (signal) {
    case 'steer': {
      const [marker = ''] = /«\d+»/.exec(input.text) ?? [];
      watcher.messages.sends(run.state, marker, () => receive(run, input, 'steer'));
      return;
    }
    case 'answer': {
      const open = run.state.people.gates.find(({ gate }) => gate.id === input.gateId);
      const isOpen = open?.answer === null;
      answerFromCaller(run, input);
      if (open?.answer && isOpen) watcher.answered(run.state, open.gate, { input, before: [] });
      return;
    }
    case 'pause':
      requestPause(run, input);
      return;
    case 'resume':
      requestResume(run, input);
      return;
    case 'stop':
      requestStop(run, input);
      return;
    case 'caller':
      tell({ run, watcher }, input);
  }
}

/** What its caller's person said: promised to them there, and held here. */
function tell({ run, watcher }: Seen, said: FromCaller): void {
  const { state } = run;
  if (said.type === 'withdraw' && state.people.inbox.items.some(({ id }) => id === said.messageId))
    watcher.messages.takenBack(said.messageId);
  hearCaller(run, said);
  watcher.seen.add(`told ${said.type}`);
  if (state.end) return;
  if (said.type === 'limits') watcher.promises.limitsSet(said.limits);
  if (said.type !== 'model_chosen' || modelFault(state, said.model) !== null) return;
  const roles = Object.keys(state.pinned?.roles ?? {});
  watcher.promises.modelSet(state, {
    model: said.model,
    roles: roles.filter(role => said.role === null || said.role === role),
  });
}
