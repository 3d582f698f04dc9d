/** What a session sends to its run. */
import type { Gate } from '../../core/gates/gate.js';
import { readLimits } from '../../print/limit-words.js';
import { noColors, textSink } from '../../print/output.js';
import { printRun, readRun } from '../../print/show-run.js';
import type { Temporal } from '../runs/connect.js';
import { explainError } from '../runs/grpc-errors.js';
import { describeRun } from '../runs/runs.js';
import {
  answerGate,
  deliver,
  editPlan,
  newMessageId,
  type OutgoingMessage,
  sendSwitch,
  setBudget,
  submitToolResult,
  takeBack,
} from '../runs/send.js';
import { stopRun } from '../runs/stop-run.js';
import type { Effect } from './talk-state.js';

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
  signal(signal: 'pause' | 'hold' | 'resume' | 'finish' | 'stop'): Promise<void>;
}

export function doer(temporal: Temporal, id: string): Does {
  return {
    status: async () => {
      const { shown, end } = await readRun(temporal, await describeRun(temporal, id));
      let text = '';
      const sink = textSink(part => {
        text += part;
      }, noColors);
      printRun(sink, temporal, { ...shown, answer: null }, end);
      return text.trimEnd().split('\n');
    },
    deliver: message => deliver(temporal, id, message),
    answer: async (gate, input) => {
      if (gate.kind === 'clientTool') await submitToolResult(temporal, id, input);
      else await answerGate(temporal, id, input);
    },
    takeBack: ids => takeBack(temporal, id, ids),
    addTask: async (description, taken) => {
      await editPlan(temporal, id, [{ id: freeId(taken), description }]);
    },
    setBudget: async words => {
      await setBudget(temporal, id, readLimits(words));
    },
    signal: async signal => {
      if (signal === 'stop') await stopRun(temporal, id, 'asked for in the terminal');
      else await sendSwitch(temporal, id, signal, 'asked for in the terminal');
    },
  };
}

function freeId(taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const id = `added-${number}`;
    if (!taken.includes(id)) return id;
  }
}

/** The message that an effect is, under an id of its own. */
export function outgoing(effect: Extract<Effect, { do: 'steer' | 'follow-up' }>): OutgoingMessage {
  const input = { id: newMessageId(), text: effect.text };
  return effect.do === 'follow-up'
    ? { kind: 'follow-up', input }
    : { kind: 'steer', input: { ...input, when: effect.when, ...(effect.to ? { to: effect.to } : {}) } };
}

/** An error as lines for the person at the terminal. */
export function describeError(error: unknown): string[] {
  const known = explainError(error);
  if (known === null) return [error instanceof Error ? error.message : String(error)];
  return [known.message, known.remedy].filter(line => line !== '');
}
