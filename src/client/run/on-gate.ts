/** Answers a run's questions from a program: handlers for its gates, and functions for its client tools. */

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
import { pollMsOf, watchRun } from '../watch/watch-run.js';
import { boundedOutcome, type ClientTool, runClientTool } from './client-tools.js';
import { answerAndKeep, type GateAnswers, isOutput, type ToolOutput, update } from './send.js';

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
  // The compiler cannot see that a gate goes to the handler of its own kind.
  return ((handlers[kind] ?? handlers.default) as GateHandler | undefined) ?? null;
}

/**
 * Hands each gate of the run to its handler, once, until the run ends or the returned function is called. `failed` is
 * told of a handler that throws, and of an answer that the run refuses while the gate is open.
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
      // Somebody else may have answered it meanwhile: then a refusal is no fault.
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
 * Runs the calls of these tools in this process, until the run ends or the client is closed. Each is claimed before it
 * is run, so that of two clients one runs it. Calls that were claimed before this client came are taken over,
 * because their client is gone.
 */
export function answerTools(scope: ClientScope, looks: RunReader, tools: readonly ClientTool[]): void {
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
    const given = await runClientTool(tool, input, { runId: id, idempotencyKey, signal });
    if (given !== null) await giveResult(scope, id, { gate, given, signal });
  });
}

/** What fails is told to the client's `report`. Returns how to end it. */
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
 * Gives the result of a call that was run. If the run refuses it, the refusal is the result, so that the gate does not
 * wait out its day.
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
    const refused = { content: `It was run, and its result was not taken: ${why}`, isError: true };
    await submit(refused).catch(() => null);
    throw error;
  }
}

const PASSING: ReadonlySet<string> = new Set(['unserved', 'unreachable']);

/** Repeats the request while no worker or server answers, or it gives nothing; null when nobody waits any more. */
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
 * Takes a gate. The signal is aborted when the gate is closed, or the watch is. `wasOpen`: since before this watch saw
 * the run for the first time.
 */
export type TakeGate = (gate: Gate, signal: AbortSignal, wasOpen: boolean) => void;

/**
 * Hands each gate of the run that is open, or will be, to `take`, once, until the run ends or `signal` says so: by the
 * same events that others are told of it, through restarts of server and workers.
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
      // Of a notice too: events may have been lost.
      if (event.type !== 'gate_opened' && event.type !== 'notice') continue;
      const now = await gatesOf(scope, looks, signal);
      if (now !== null) handOver(now.gates, false);
    }
  } finally {
    for (const open of taken.values()) open.abort();
  }
}

/** The open gates, and the last event by then, as soon as a worker tells; null where the run has ended. */
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

/** Null for trouble that passes. */
function passing(error: unknown): null {
  if (isFinalQueryError(error)) throw error;
  return null;
}
