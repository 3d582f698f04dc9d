/** Answering what a run asks, from a program: a handler for its gates, and functions for its tools. */
import { errorText } from '../../core/error-text.js';
import type { Gate } from '../../core/gates/gate.js';
import type { ClientScope } from './client-scope.js';
import { type ClientTool, runClientTool } from './client-tools.js';
import { gateInput, type ToolInput } from './gate-input.js';
import { watchGates } from './gate-watch.js';
import { explainError } from './grpc-errors.js';
import { answerAndKeep } from './keep-permission.js';
import { type GateReply, submitToolResult, type ToolOutput } from './send.js';

/** An open gate, with all arguments of the tool call that it is about. */
export type OpenGate = Gate & { input: ToolInput | null };

/** An answer as the gate's kind takes it: for a client tool its output, for any other a reply. */
export type GateAnswer = GateReply | ToolOutput;

/** Answers a gate; with nothing it stays open for somebody else. */
export type GateHandler = (
  gate: OpenGate,
  /** The signal is aborted when the gate is closed by somebody else, and when the client is. */
  given: { signal: AbortSignal },
) => GateAnswer | null | undefined | Promise<GateAnswer | null | undefined>;

/** Hands each gate of the run to `handler`, once, until the run ends or the returned function is called. */
export function onGate(scope: ClientScope, id: string, handler: GateHandler): () => void {
  const { temporal, closing, report } = scope;
  const ending = new AbortController();
  const failed = (error: unknown) => {
    if (ending.signal.aborted) return;
    report(`Gates of ${id}: ${explainError(error)?.message ?? errorText(error)}`);
  };
  const answer = async (gate: Gate, signal: AbortSignal) => {
    const input = await gateInput(temporal, id, gate);
    const given = await handler({ ...gate, input }, { signal });
    if (given === null || given === undefined || signal.aborted) return;
    const gateId = gate.id;
    if ('content' in given) await submitToolResult(temporal, id, { gateId, ...given });
    else await answerAndKeep(temporal, id, { gateId, ...given });
  };
  const take = (gate: Gate, signal: AbortSignal) => void answer(gate, signal).catch(failed);
  const stopped = AbortSignal.any([ending.signal, closing]);
  void watchGates(temporal, id, take, stopped).catch(failed);
  return () => ending.abort();
}

/** Runs the calls of these tools in this process, until the run ends or the client is closed. */
export function answerTools(scope: ClientScope, id: string, tools: readonly ClientTool[]): void {
  const own = tools.filter(tool => tool.run !== undefined);
  if (own.length === 0) return;
  onGate(scope, id, async (gate, { signal }) => {
    if (gate.kind !== 'clientTool') return null;
    const { tool: name, idempotencyKey } = gate.subject;
    const tool = own.find(candidate => candidate.name === name);
    if (tool === undefined) return null;
    return runClientTool(tool, gate.input ?? {}, { runId: id, idempotencyKey, signal });
  });
}
