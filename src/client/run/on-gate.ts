/** Answers a run's gates from a program: with handlers, and with functions for its client tools. */

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '../../base/text/error-text.js';
import { GATE_CHOICES, type Gate, type GateKind } from '../../run/gates/gate.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { claimToolCallUpdate, stateQuery, submitToolResultUpdate } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { ClientScope } from '../connection/client-scope.js';
import { explainError, isFinalQueryError } from '../connection/grpc-errors.js';
import { gateInput, type ToolInput } from '../record/gate-input.js';
import type { RunReader } from '../record/run-reader.js';
import { isOpen } from '../record/runs.js';
import {
  boundedOutcome,
  type ClientTool,
  type ClientToolContext,
  runClientTool,
  type ToolOutput,
} from '../start/client-tools.js';
import { pollMsOf, watchRun } from '../watch/watch-run.js';
import { answerAndKeep, type GateAnswers, isOutput, update } from './send.js';

/** An open gate, with all arguments of its tool call. */
export type OpenGate<K extends GateKind = GateKind> = Extract<Gate, { kind: K }> & {
  input: ToolInput | null;
};

/** Answers a gate with the form of its kind; without a return value it stays open for others. */
export type GateHandler<K extends GateKind = GateKind> = (
  gate: OpenGate<K>,
  /** The signal is aborted when the gate is closed by others, and when the client is closed. */
  given: { signal: AbortSignal },
) => GateAnswers[K] | null | undefined | Promise<GateAnswers[K] | null | undefined>;

/** Handlers by the kind of the gate; `default` handles all other kinds. */
export type GateHandlers = { [K in GateKind]?: GateHandler<K> } & { default?: GateHandler };

/** Returns the handler for gates of this kind. */
export function handlerOf(handlers: GateHandler | GateHandlers, kind: GateKind): GateHandler | null {
  if (typeof handlers === 'function') return handlers;
  // The compiler can't see that a gate goes to the handler of its own kind.
  return ((handlers[kind] ?? handlers.default) as GateHandler | undefined) ?? null;
}

/**
 * Passes each gate of the run to its handler, once, until the run ends or the returned function is called. `failed`
 * receives errors of a handler, and refusals of an answer while the gate is open.
 */
export function onGate(
  scope: ClientScope,
  looks: RunReader,
  handlers: GateHandler | GateHandlers,
  failed: (error: SteersmanError) => void,
): () => void {
  const { id } = looks;
  const answer = async (gate: Gate, signal: AbortSignal) => {
    const handler = handlerOf(handlers, gate.kind);
    if (handler === null) return;
    const input = await gateInput(scope.temporal, id, gate);
    const given = await handler({ ...gate, input }, { signal });
    if (given === null || given === undefined || signal.aborted) return;
    if (isOutput(given)) return giveResult(scope, id, { gate, given, signal });
    await patiently(scope, signal, async () => {
      await answerAndKeep(scope.temporal, id, gate.id, given);
      return true;
    });
  };
  return takeGates(scope, looks, (gate, signal) =>
    answer(gate, signal).catch(async error => {
      if (signal.aborted) return;
      // Another answer may have come first: then a refusal is not a fault.
      const now = await gatesOf(scope, looks, signal).catch(() => ({ gates: [gate] }));
      if (now?.gates.some(open => open.id === gate.id)) failed(gateFault(gate, error));
    }),
  );
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

/**
 * Runs the calls of these tools in this process, until the run ends or the client is closed. Each call is claimed
 * before it runs, so that only one of several clients runs it. Calls that were claimed before this client started are
 * taken over, because their client is gone.
 */
export function answerTools(
  scope: ClientScope,
  looks: RunReader,
  { tools, values }: { tools: readonly ClientTool[]; values: ClientToolContext['values'] },
): void {
  const own = tools.filter(tool => tool.run !== undefined);
  if (own.length === 0) return;
  const by = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const { id } = looks;
  takeGates(scope, looks, async (gate, signal, wasOpen) => {
    if (gate.kind !== 'clientTool') return;
    const { tool: name, idempotencyKey } = gate.subject;
    const tool = own.find(candidate => candidate.name === name);
    if (tool === undefined) return;
    const input = await patiently(scope, signal, () => gateInput(scope.temporal, id, gate));
    if (input === null) return;
    const takeOver = wasOpen && gate.subject.claimedBy !== undefined;
    const claim = { gateId: gate.id, by, takeOver };
    const claimed = await patiently(scope, signal, () =>
      update(scope.temporal, id, claimToolCallUpdate, claim),
    );
    if (!claimed?.run) return;
    const given = await runClientTool(tool, input, { runId: id, idempotencyKey, values, signal });
    if (given !== null) await giveResult(scope, id, { gate, given, signal });
  });
}

/** Reports errors to the client's `report`. Returns a function that ends the handling. */
function takeGates(
  scope: ClientScope,
  looks: RunReader,
  answer: (...given: Parameters<TakeGate>) => Promise<void>,
): () => void {
  const ending = new AbortController();
  const failed = (error: unknown) => {
    if (ending.signal.aborted) return;
    scope.report(`Gates of ${looks.id}: ${explainError(error)?.message ?? errorText(error)}`);
  };
  const take: TakeGate = (...given) => void answer(...given).catch(failed);
  const stopped = AbortSignal.any([ending.signal, scope.closing]);
  void watchGates(scope, looks, take, stopped).catch(failed);
  return () => ending.abort();
}

/**
 * Submits the result of a call. If the run refuses it, the refusal becomes the result, so that the gate does not stay
 * open for a day.
 */
async function giveResult(
  scope: ClientScope,
  id: string,
  { gate: { id: gateId }, given, signal }: { gate: Gate; given: ToolOutput; signal: AbortSignal },
): Promise<void> {
  const submit = (output: ToolOutput) =>
    patiently(scope, signal, () =>
      update(scope.temporal, id, submitToolResultUpdate, { gateId, ...boundedOutcome(output) }),
    );
  try {
    await submit(given);
  } catch (error) {
    const why = explainError(error)?.message ?? errorText(error);
    const refused = { content: `The call ran, but its result was not accepted: ${why}`, isError: true };
    await submit(refused).catch(() => null);
    throw error;
  }
}

const PASSING: ReadonlySet<string> = new Set(['unserved', 'unreachable']);

/** Repeats the request until a worker or server answers with a value; null once the signal is aborted. */
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

/**
 * Handles a gate. The signal is aborted when the gate is closed, or the watch ends. `wasOpen`: the gate was open before
 * this watch first saw the run.
 */
export type TakeGate = (gate: Gate, signal: AbortSignal, wasOpen: boolean) => void;

/**
 * Passes each open or future gate of the run to `take`, once, until the run ends or `signal` aborts. It uses the run's
 * events, and survives restarts of server and workers.
 */
async function watchGates(
  scope: ClientScope,
  looks: RunReader,
  take: TakeGate,
  signal: AbortSignal,
): Promise<void> {
  const taken = new Map<string, AbortController>();
  const handOver = (gates: readonly Gate[], wasOpen: boolean) => {
    for (const [gateId, open] of taken) if (!gates.some(gate => gate.id === gateId)) open.abort();
    for (const gate of gates) {
      if (taken.has(gate.id)) continue;
      const open = new AbortController();
      taken.set(gate.id, open);
      take(gate, open.signal, wasOpen);
    }
  };
  try {
    const first = await gatesOf(scope, looks, signal);
    if (first === null) return;
    handOver(first.gates, true);
    const options = { since: first.lastEventSeq, live: false, children: false, signal };
    for await (const event of watchRun(looks, options)) {
      if (event.type === 'gate_closed') taken.get(event.gateId)?.abort();
      // A notice may mean that events were lost.
      if (event.type !== 'gate_opened' && event.type !== 'notice') continue;
      const now = await gatesOf(scope, looks, signal);
      if (now !== null) handOver(now.gates, false);
    }
  } finally {
    for (const open of taken.values()) open.abort();
  }
}

/** Returns the open gates and the last event number, once a worker answers; null if the run has ended. */
function gatesOf(
  scope: ClientScope,
  looks: RunReader,
  signal: AbortSignal,
): Promise<{ gates: readonly Gate[]; lastEventSeq: number } | null> {
  const { temporal, id } = looks;
  const ended = { ended: true } as const;
  const asked = patiently(scope, signal, async () => {
    if (!isOpen(await looks.look(pollMsOf(temporal) / 2))) return ended;
    return askRun(temporal, { id }, stateQuery).catch(passing);
  });
  return asked.then(state =>
    state === null || 'ended' in state
      ? null
      : { gates: state.gates, lastEventSeq: state.internals.lastEventSeq },
  );
}

/** Returns null for a temporary error; throws others. */
function passing(error: unknown): null {
  if (isFinalQueryError(error)) throw error;
  return null;
}
