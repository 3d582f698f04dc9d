/** What a session sends to its run. */

import { randomUUID } from 'node:crypto';
import { type GateReply, type Run, SteersmanError } from '../../client/index.js';
import type { Gate } from '../../core/gates/gate.js';
import type { SteerTime } from '../../core/steering/inbox.js';
import { errorText } from '../../core/text/error-text.js';
import { noColors, textSink } from '../../shared/output.js';
import { readLimits } from '../arguments.js';
import { printRun } from '../print/show-run.js';
import type { Effect } from './input/talk-state.js';

export interface Does {
  /** Lines of `show`. */
  status(): Promise<string[]>;
  /** Resolves when the server has the message. The receipt comes with the journal. */
  deliver(message: OutgoingMessage): Promise<unknown>;
  answer(gate: Gate, input: Record<string, unknown>): Promise<void>;
  /** Takes back the last of these messages that waits to be read; null when none does. */
  takeBack(ids: readonly string[]): Promise<string | null>;
  /** Adds a task that a person wants, under an id of its own. */
  addTask(description: string, taken: readonly string[]): Promise<void>;
  /** `name=value` words. Throws a SteersmanError for what is none. */
  setBudget(words: string[]): Promise<void>;
  /** Of all roles where none is named. */
  setModel(change: { model: string; role?: string }): Promise<void>;
  signal(signal: 'pause' | 'hold' | 'resume' | 'finish' | 'stop'): Promise<void>;
}

export function doer(run: Run): Does {
  return {
    status: async () => {
      const shown = await run.show();
      let text = '';
      const sink = textSink(part => {
        text += part;
      }, noColors);
      printRun(sink, { ...shown, answer: null }, { children: await run.children(), webUi: run.webUi });
      return text.trimEnd().split('\n');
    },
    deliver: ({ kind, id, text, when, to }) => {
      const options = { id, waitForReceipt: false };
      if (kind === 'follow-up') return run.followUp(text, options);
      return run.steer(text, { ...options, ...(when ? { when } : {}), ...(to ? { to } : {}) });
    },
    answer: async ({ id: gateId, kind }, { gateId: _, ...input }) => {
      // The run judges what a person has put together.
      if (kind === 'clientTool') await run.submitToolResult({ content: undefined, ...input, gateId });
      else await run.answerGate(gateId, input as GateReply);
    },
    takeBack: ids => run.withdraw(ids),
    addTask: async (description, taken) => {
      await run.editPlan([{ id: freeId(taken), description }]);
    },
    setBudget: async words => {
      await run.setBudget(readLimits(words));
    },
    setModel: async ({ model, role }) => {
      await run.setModel(model, role === undefined ? {} : { role });
    },
    signal: async signal => {
      const reason = 'asked for in the terminal';
      if (signal === 'finish') await run.finish();
      else if (signal === 'hold') await run.pause(reason, { interrupt: true });
      else await run[signal](reason);
    },
  };
}

function freeId(taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const id = `added-${number}`;
    if (!taken.includes(id)) return id;
  }
}

/** A message under an id of its own: sent again, it does nothing twice. */
export type OutgoingMessage = { id: string } & (
  | { kind: 'follow-up'; text: string; when?: never; to?: never }
  | { kind: 'steer'; text: string; when: SteerTime; to?: string | undefined }
);

/** The message that an effect is. */
export function outgoing(effect: Extract<Effect, { do: 'steer' | 'follow-up' }>): OutgoingMessage {
  const { text } = effect;
  const id = `m-${randomUUID().slice(0, 8)}`;
  return effect.do === 'follow-up'
    ? { kind: 'follow-up', id, text }
    : { kind: 'steer', id, text, when: effect.when, to: effect.to };
}

/** An error as lines for the person at the terminal. */
export function describeError(error: unknown): string[] {
  if (!(error instanceof SteersmanError)) return [errorText(error)];
  return [error.message, error.remedy].filter(line => line !== '');
}
