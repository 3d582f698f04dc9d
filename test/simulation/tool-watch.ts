/** Follows tool calls: none with effects runs twice, and what is reused is still true. */
import type { CallToolInput } from '../../src/activities/types.js';
import { canonicalJson, isRecord } from '../../src/base/json/json.js';
import { resultText } from '../../src/conversation/tool-result.js';
import type { Gate } from '../../src/run/gates/gate.js';
import type { CallFailure } from '../../src/run/limits/failure.js';
import { FAILURE } from '../../src/run/limits/failure.js';
import type { ToolResultBlock, ToolUseBlock } from '../../src/run/messages/message.js';
import { toolCallsOf } from '../../src/run/messages/message.js';
import type { RunState } from '../../src/run/state/run-state.js';
import type { ToolPolicy } from '../../src/run/tools/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../src/run/tools/tool.js';
import type { CallOptions } from '../../src/workflows/run/ports.js';
import { toolArguments } from '../../src/workflows/run/requests.js';
import { expectThat } from './expect-that.js';
import type { GateWatch } from './gate-watch.js';
import type { Scenario } from './scenario.js';

export class ToolWatch {
  readonly #scenario: Scenario;
  readonly #ran = new Map<string, ToolPolicy>();
  readonly #mayRunAgain = new Set<string>();
  readonly #runsOfReply = new Map<string, number>();
  /** Whole results of read-only calls since the last call that is not: call → content. */
  readonly #current = new Map<string, string>();
  /** Arguments that calls ran with, which a person may have edited. */
  readonly #inputs = new Map<string, unknown>();
  /** Calls that a client has run, with the gates that asked for it. */
  readonly #byClient = new Map<string, string>();
  /** Calls that have changed something outside, each with its tool: for an agent's caller too. */
  readonly effects = new Map<string, string>();
  /** Of this goal, whatever the end. */
  results = 0;
  /** Tools that agents have called, by the agent's id. */
  readonly #ofAgents = new Map<string, string[]>();
  readonly #gates: GateWatch;

  readonly #seen: Set<string>;

  constructor(scenario: Scenario, { gates, seen }: { gates: GateWatch; seen: Set<string> }) {
    this.#scenario = scenario;
    this.#gates = gates;
    this.#seen = seen;
  }

  /** An agent has ended, which may have changed what was read: all that it changed is its caller's to tell. */
  agentEnded(agent: string, effects: ReadonlyMap<string, string>): void {
    this.#ofAgents.set(agent, [...new Set(effects.values())]);
    for (const [callId, tool] of effects) this.effects.set(`${agent} ${callId}`, tool);
    this.doubted();
  }

  /** The call of an agent has its result. `unsaid`: the agent has no answer that would tell what it did. */
  agentTold(agent: string, result: ToolResultBlock, unsaid: boolean): void {
    const effects = this.#ofAgents.get(agent) ?? [];
    if (effects.length === 0) return;
    if (unsaid) this.#seen.add('an agent cut off after an effect');
    expectThat(isHonest(result), `${agent} has called ${effects}, and is told as ${result.ending}`);
    const text = resultText(result);
    const silent = effects.find(tool => unsaid && !text.includes(tool));
    expectThat(silent === undefined, `${agent} has called ${silent}, and its caller is not told: ${text}`);
  }

  goalStarted(): void {
    this.results = 0;
    this.#current.clear();
  }

  called(state: RunState, input: CallToolInput, options: CallOptions): void {
    const { tools, fallbackServer, limits } = this.#scenario.pinned;
    const tool = tools.find(candidate => candidate.name === input.tool);
    expectThat(tool !== undefined || fallbackServer === input.server, `nobody offers ${input.tool}`);
    const policy = tool?.policy ?? DEFAULT_TOOL_POLICY;
    const again = this.#ran.has(input.toolUseId);
    expectThat(!again || this.#mayRunAgain.has(input.toolUseId), `the call ${input.toolUseId} ran twice`);
    this.#mayRunAgain.delete(input.toolUseId);
    this.#ran.set(input.toolUseId, policy);
    const repeatable = policy.readOnly || policy.idempotent;
    expectThat(repeatable || options.attempts === 1, `${input.tool} has effects and may be tried again`);
    expectThat(repeatable || !options.interruptible, `${input.tool} has effects and may be interrupted`);
    expectThat(state.people.stop === null, `${input.tool} ran after the stop`);
    expectThat(state.people.pausedAt === null || again, `${input.tool} ran in a paused run`);
    const fallback = { name: input.tool, serverToolName: input.tool, policy };
    const reply = input.toolUseId.slice(0, input.toolUseId.indexOf('_'));
    const runs = (this.#runsOfReply.get(reply) ?? 0) + (again ? 0 : 1);
    this.#runsOfReply.set(reply, runs);
    expectThat(runs <= limits.toolCallsPerTurn, `${runs} tools ran for the reply to ${reply}`);
    const asked = toolArguments(state, input.callId);
    if (input.arguments) {
      expectThat(canonicalJson(asked) === canonicalJson(input.arguments), 'arguments by query differ');
    }
    this.#inputs.set(input.toolUseId, asked);
    this.#gates.toolCalled(state, tool ?? fallback, {
      id: input.toolUseId,
      given: asked,
      asked: askedInput(state, input.toolUseId),
    });
  }

  /** What was read of the same path, or of none, is read again. */
  #wrote(input: unknown): void {
    const path = pathOf(input);
    for (const key of this.#current.keys()) {
      const read = pathOf(JSON.parse(key.slice(key.indexOf(' ') + 1)));
      if (path === null || read === null || path === read) this.#current.delete(key);
    }
  }

  /** A person's word, a new try: all is read again. */
  doubted(): void {
    this.#current.clear();
  }

  /** A call that failed: what was not sent, or was lost and may be repeated, may be made again. */
  failed(input: CallToolInput, { kind, type }: CallFailure): void {
    const unsent: string[] = [FAILURE.tool.notSent, FAILURE.tool.noWorkspace, FAILURE.stateUnavailable];
    const notSent = unsent.includes(type);
    const lost = kind === 'lost';
    if (notSent || (lost && input.idempotent)) this.#mayRunAgain.add(input.toolUseId);
  }

  /** What the run carries out itself changes nothing outside it: it may be made again, and is never reused. */
  #isOfTheRun(name: string): boolean {
    return this.#scenario.pinned.tools.some(tool => tool.name === name && tool.origin.type === 'workflow');
  }

  /** What the tool is there for has happened, whatever is told of the call. */
  hasEffect(callId: string, tool: string): void {
    if (this.#ran.get(callId)?.readOnly === false) this.effects.set(callId, tool);
  }

  /** A client begins to run what a gate asks for: outside it happens once, whatever is said of it later. False: it has. */
  clientRuns({ id, subject: { callId } }: Extract<Gate, { kind: 'clientTool' }>): boolean {
    const before = this.#byClient.get(callId) ?? id;
    expectThat(before === id, `${callId} was run by a client, which is asked for it again at ${id}`);
    const isFirst = !this.#byClient.has(callId);
    this.#byClient.set(callId, id);
    return isFirst;
  }

  /** A result as it was written, with its call. Returns what it shows. */
  written(call: ToolUseBlock, result: ToolResultBlock): void {
    this.results += 1;
    const key = `${call.name} ${canonicalJson(this.#inputs.get(call.id) ?? call.input)}`;
    const policy = this.#ran.get(call.id);
    const byClient =
      !policy && this.#scenario.settings.clientTools?.some(({ name }) => name === call.name) === true;
    if (this.#isOfTheRun(call.name)) return;
    const ranEndings = ['executed', 'timed_out', 'unavailable', 'outcome_unknown', 'cancelled', 'invalid'];
    const isWorkflow = this.#scenario.pinned.tools.some(
      ({ name, origin }) => name === call.name && origin.type === 'child_workflow',
    );
    const isDenied = isWorkflow && this.effects.has(call.id) && !isHonest(result);
    expectThat(!isDenied, `${call.id} has ordered something, and is told as ${result.ending}`);
    if (policy) expectThat(ranEndings.includes(result.ending), `${call.id} ran and is ${result.ending}`);
    else expectThat(result.ending !== 'executed' || byClient, `${call.id} is executed and did not run`);
    if (byClient && result.ending === 'executed') {
      const given = this.#gates.given.has(call.id);
      expectThat(given || result.isError, `${call.id} has a result that no client gave`);
    }
    const hasRun = this.#byClient.has(call.id);
    const isTold = isHonest(result);
    if (hasRun) this.#seen.add(`a tool run by a client ${result.ending}`);
    expectThat(!hasRun || isTold, `${call.id} was run by a client, and is told as ${result.ending}`);
    if (hasRun || (byClient && isTold)) this.#wrote(call.input);
    if (result.ending === 'reused') {
      const known = this.#current.get(key);
      expectThat(known !== undefined, `${key} was reused after something that may have changed it`);
      expectThat(
        known !== undefined && isSameOrCut(JSON.stringify(result.content), known),
        `${key} was reused with other content than it had: ${JSON.stringify(result.content)}`,
      );
    }
    if (!policy || result.ending === 'invalid') return;
    if (!policy.readOnly) this.#wrote(this.#inputs.get(call.id));
    else if (result.ending === 'executed' && !result.isError) {
      this.#current.set(key, JSON.stringify(result.content));
    }
  }
}

/** Where there is too little room for all of it, the beginning stands with a note. */
function isSameOrCut(content: string, known: string): boolean {
  const [head = '', ...cut] = content.split('… [cut: ');
  return content === known || (cut.length > 0 && known.startsWith(head));
}

/** Of a call that has changed something. */
function isHonest({ ending }: Pick<ToolResultBlock, 'ending'>): boolean {
  return ending === 'executed' || ending === 'outcome_unknown';
}

/** What a write names besides paths would make it one of anything: the scenario's tools name a path, or nothing. */
function pathOf(input: unknown): string | null {
  return isRecord(input) && typeof input.path === 'string' ? input.path : null;
}

/** The arguments as the model gave them. */
function askedInput(state: RunState, id: string): unknown {
  for (const thread of Object.values(state.threads)) {
    for (const message of thread.messages) {
      const call = message.kind === 'assistant' && toolCallsOf(message).find(one => one.id === id);
      if (call) return call.input;
    }
  }
  return undefined;
}
