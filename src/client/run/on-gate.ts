/** Answering what a run asks, from a program: a handler for its gates, and functions for its tools. */

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GATE_CHOICES, type Gate, type GateKind } from '../../core/gates/gate.js';
import { errorText } from '../../core/text/error-text.js';
import { SteersmanError } from '../../shared/errors.js';
import { stateQuery } from '../../workflows/messages.js';
import { askRun } from '../ask-run.js';
import type { ClientScope } from '../client-scope.js';
import type { Temporal } from '../connect.js';
import { explainError, isFinalQueryError } from '../grpc-errors.js';
import { boundedOutcome, type ClientTool, runClientTool } from '../start/client-tools.js';
import { pollMsOf } from '../watch/watch-run.js';
import { gateInput, type ToolInput } from './gate-input.js';
import { answerAndKeep } from './keep-permission.js';
import { describeRun, isOpen } from './runs.js';
import {
  claimToolCall,
  type GateAnswers,
  type GateReply,
  submitToolResult,
  type ToolOutput,
} from './send.js';

/** An open gate, with all arguments of the tool call that it is about. */
export type OpenGate<K extends GateKind = GateKind> = Extract<Gate, { kind: K }> & {
  input: ToolInput | null;
};

/** Answers a gate, as its kind takes it; with nothing it stays open for somebody else. */
export type GateHandler<K extends GateKind = GateKind> = (
  gate: OpenGate<K>,
  /** The signal is aborted when the gate is closed by somebody else, and when the client is. */
  given: { signal: AbortSignal },
) => GateAnswers[K] | null | undefined | Promise<GateAnswers[K] | null | undefined>;

/** Handlers by the kind of the gate; `default` takes those of all other kinds. */
export type GateHandlers = { [K in GateKind]?: GateHandler<K> } & { default?: GateHandler };

/** The one that takes gates of this kind. */
export function handlerOf(handlers: GateHandler | GateHandlers, kind: GateKind): GateHandler | null {
  if (typeof handlers === 'function') return handlers;
  // That a gate comes to the handler of its own kind the compiler does not follow.
  return ((handlers[kind] ?? handlers.default) as GateHandler | undefined) ?? null;
}

/**
 * Hands each gate of the run to its handler, once, until the run ends or the returned function is called. `failed` is
 * told of a handler that throws, and of an answer that the run refuses while the gate is open.
 */
export function onGate(
  scope: ClientScope,
  id: string,
  handlers: GateHandler | GateHandlers,
  failed: (error: SteersmanError) => void,
): () => void {
  const answer = async (gate: Gate, signal: AbortSignal) => {
    const handler = handlerOf(handlers, gate.kind);
    if (handler === null) return;
    const input = await gateInput(scope.temporal, id, gate);
    const given = await handler({ ...gate, input }, { signal });
    if (given === null || given === undefined || signal.aborted) return;
    if (isOutput(given)) return giveResult(scope, id, { gate, given, signal });
    await patiently(scope, signal, async () => {
      await answerAndKeep(scope.temporal, id, { gateId: gate.id, ...given });
      return true;
    });
  };
  return takeGates(scope, id, (gate, signal) =>
    answer(gate, signal).catch(async error => {
      if (!signal.aborted && (await isOpenGate(scope.temporal, id, gate))) failed(gateFault(gate, error));
    }),
  );
}

/** False where somebody else has answered it meanwhile: then a refusal is no fault. */
async function isOpenGate(temporal: Temporal, id: string, gate: Gate): Promise<boolean> {
  const question = { id, timeoutMs: STATE_TIMEOUT_MS };
  const gates = await askRun(temporal, question, stateQuery).then(
    state => state.gates,
    () => [gate],
  );
  return gates.some(open => open.id === gate.id);
}

function gateFault({ id, kind }: Gate, error: unknown): SteersmanError {
  const known = explainError(error);
  const what = known?.code === 'rejected' ? 'the run refuses the answer' : 'its handler failed';
  return new SteersmanError(
    `onGate, gate ${id} (${kind}): ${what}: ${known?.message ?? errorText(error)}`,
    `The gate is open. It takes: ${GATE_CHOICES[kind].join(', ') || 'a text or a result'}.`,
    'rejected',
  );
}

function isOutput(given: GateReply | ToolOutput): given is ToolOutput {
  return 'content' in given && !('decision' in given);
}

/**
 * Runs the calls of these tools in this process, until the run ends or the client is closed. Each is claimed before it
 * is run, so that of two clients one runs it. What was claimed when this one came is taken over: whoever had it is gone.
 */
export function answerTools(scope: ClientScope, id: string, tools: readonly ClientTool[]): void {
  const own = tools.filter(tool => tool.run !== undefined);
  if (own.length === 0) return;
  const by = `${process.pid}-${randomBytes(4).toString('hex')}`;
  takeGates(scope, id, async (gate, signal, wasOpen) => {
    if (gate.kind !== 'clientTool') return;
    const { tool: name, idempotencyKey } = gate.subject;
    const tool = own.find(candidate => candidate.name === name);
    if (tool === undefined) return;
    const input = await patiently(scope, signal, () => gateInput(scope.temporal, id, gate));
    if (input === null) return;
    const takeOver = wasOpen && gate.subject.claimedBy !== undefined;
    const claim = { gateId: gate.id, by, takeOver };
    const claimed = await patiently(scope, signal, () => claimToolCall(scope.temporal, id, claim));
    if (!claimed?.run) return;
    const given = await runClientTool(tool, input, { runId: id, idempotencyKey, signal });
    if (given !== null) await giveResult(scope, id, { gate, given, signal });
  });
}

/** What fails is told to the client's `report`. Returns how to end it. */
function takeGates(
  { temporal, closing, report }: ClientScope,
  id: string,
  answer: (...given: Parameters<TakeGate>) => Promise<void>,
): () => void {
  const ending = new AbortController();
  const failed = (error: unknown) => {
    if (ending.signal.aborted) return;
    report(`Gates of ${id}: ${explainError(error)?.message ?? errorText(error)}`);
  };
  const take: TakeGate = (...given) => void answer(...given).catch(failed);
  const stopped = AbortSignal.any([ending.signal, closing]);
  void watchGates(temporal, id, take, stopped).catch(failed);
  return () => ending.abort();
}

/** The result of a call that was run: where the run refuses it, that is the result. Nobody waits for it for a day. */
async function giveResult(
  scope: ClientScope,
  id: string,
  { gate: { id: gateId }, given, signal }: { gate: Gate; given: ToolOutput; signal: AbortSignal },
): Promise<void> {
  const submit = (output: ToolOutput) =>
    patiently(scope, signal, () =>
      submitToolResult(scope.temporal, id, { gateId, ...boundedOutcome(output) }),
    );
  try {
    await submit(given);
  } catch (error) {
    const why = explainError(error)?.message ?? errorText(error);
    const refused = { content: `It was run, and its result was not taken: ${why}`, isError: true };
    await submit(refused).catch(() => null);
    throw error;
  }
}

const PASSING: ReadonlySet<string> = new Set(['unserved', 'unreachable']);

/** Asks again, while no worker or server answers, and nothing comes; null where nobody waits any more. */
async function patiently<T>(
  { temporal }: ClientScope,
  signal: AbortSignal,
  ask: () => Promise<T | null>,
): Promise<T | null> {
  while (!signal.aborted) {
    try {
      const answer = await ask();
      if (answer !== null) return answer;
    } catch (error) {
      const known = explainError(error);
      if (signal.aborted) return null;
      if (!known || !PASSING.has(known.code)) throw error;
    }
    await delay(pollMsOf(temporal), undefined, { signal, ref: false }).catch(() => undefined);
  }
  return null;
}

// Answering what a run asks, from a program: each open gate is handed over once.

const STATE_TIMEOUT_MS = 10_000;

/**
 * Takes a gate. The signal is aborted when the gate is closed, or the watch is. `wasOpen`: since before this watch saw
 * the run for the first time.
 */
export type TakeGate = (gate: Gate, signal: AbortSignal, wasOpen: boolean) => void;

/**
 * Hands each gate of the run that is open, or will be, to `take`, once, until the run ends or `signal` says so.
 * Goes on through restarts of server and workers. Rejects where the run can not be asked, now or ever.
 */
export async function watchGates(
  temporal: Temporal,
  id: string,
  take: TakeGate,
  signal: AbortSignal,
): Promise<void> {
  const taken = new Map<string, AbortController>();
  let read = '';
  try {
    while (!signal.aborted) {
      const run = await describeRun(temporal, id).catch(passing);
      if (run !== null && !isOpen(run)) return;
      const mark = run === null ? read : `${run.runId} ${run.historyLength}`;
      if (mark !== read) {
        const question = { id, timeoutMs: STATE_TIMEOUT_MS };
        const gates = (await askRun(temporal, question, stateQuery).catch(passing))?.gates;
        if (signal.aborted) return;
        if (gates !== undefined) {
          handOver(gates, taken, (gate, closed) => take(gate, closed, read === ''));
          read = mark;
        }
      }
      await delay(pollMsOf(temporal), undefined, { signal, ref: false }).catch(() => undefined);
    }
  } finally {
    for (const open of taken.values()) open.abort();
  }
}

function handOver(
  gates: readonly Gate[],
  taken: Map<string, AbortController>,
  take: (gate: Gate, signal: AbortSignal) => void,
): void {
  for (const [gateId, open] of taken) {
    if (!gates.some(gate => gate.id === gateId)) open.abort();
  }
  for (const gate of gates) {
    if (taken.has(gate.id)) continue;
    const open = new AbortController();
    taken.set(gate.id, open);
    take(gate, open.signal);
  }
}

/** Null for trouble that passes. */
function passing(error: unknown): null {
  if (isFinalQueryError(error)) throw error;
  return null;
}
