/** Follows gates: each is closed once, and what a person said there is what happens. */

import { canonicalJson, isRecord } from '../../src/base/json/json.js';
import type { Gate } from '../../src/run/gates/gate.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { decidePermission } from '../../src/run/tools/permission.js';
import type { ToolDefinition } from '../../src/run/tools/tool.js';
import { expectThat } from './expect-that.js';
import { openCalls } from './transcript.js';

interface Approval {
  allowed: boolean;
  arguments: Record<string, unknown> | null;
}

export class GateWatch {
  readonly #open = new Map<string, string>();
  readonly #closed = new Set<string>();
  /** What a person said on a call, by its id. */
  readonly #approvals = new Map<string, Approval>();
  readonly #always = new Set<string>();
  /** Gates whose answer was taken, by id. */
  readonly #answers = new Set<string>();
  /** Calls whose result a client gave, or the deadline. */
  readonly given = new Set<string>();
  questionsAnswered = 0;

  /** Of this run's own gates: what is said at that of an agent is the agent's to take. */
  answered(gate: Gate, input: unknown): void {
    expectThat(
      this.#open.has(gate.id) || !this.#closed.has(gate.id),
      `${gate.id} took an answer after it closed`,
    );
    this.#answers.add(gate.id);
    if (gate.kind === 'clientTool') this.given.add(gate.subject.callId);
    if (gate.kind !== 'approval' || !isRecord(input)) return;
    const allowed = input.decision !== 'deny';
    if (input.decision === 'always') this.#always.add(gate.subject.tool);
    this.#approvals.set(gate.subject.callId, {
      allowed,
      arguments: isRecord(input.arguments) ? input.arguments : null,
    });
  }

  happened(event: JournalEvent): void {
    if (event.type === 'gate_opened') {
      expectThat(
        !this.#open.has(event.gateId) && !this.#closed.has(event.gateId),
        `${event.gateId} is opened twice`,
      );
      this.#open.set(event.gateId, event.kind);
    }
    if (event.type !== 'gate_closed') return;
    expectThat(!this.#closed.has(event.gateId), `${event.gateId} is closed twice`);
    expectThat(
      event.by === 'rule' || this.#open.has(event.gateId),
      `${event.gateId} closes, and was not open`,
    );
    const kept = event.by === 'person' || event.by === 'superseded';
    expectThat(
      kept || !this.#answers.has(event.gateId),
      `${event.gateId} has an answer, and closes by ${event.by}`,
    );
    this.#open.delete(event.gateId);
    this.#closed.add(event.gateId);
    if (event.kind === 'question' && event.by === 'person') this.questionsAnswered += 1;
  }

  /** A tool is about to run: nothing that asks runs unasked, and it runs with what the person made of it. */
  toolCalled(
    state: RunState,
    tool: Pick<ToolDefinition, 'name' | 'serverToolName' | 'policy'>,
    call: { id: string; given: unknown; asked: unknown },
  ): void {
    const { permissions } = state.pinned ?? { permissions: { auto: [], confirm: [], deny: [] } };
    const { autoApprove, workspace } = state.settings;
    const called = { input: isRecord(call.given) ? call.given : {}, workspace };
    const wanted = decidePermission(tool, called, permissions, {
      alwaysThisRun: state.people.allowedTools,
      autoApprove,
    });
    expectThat(
      state.people.allowedTools.every(name => this.#always.has(name)),
      'nobody allowed a tool for always',
    );
    expectThat(wanted !== 'deny', `${tool.name} ran, and is denied by the configuration`);
    const said = this.#approvals.get(call.id);
    expectThat(said?.allowed !== false, `${call.id} ran, and a person denied it`);
    expectThat(
      wanted === 'run' || said?.allowed === true,
      `${call.id} (${tool.name}) ran before it was approved`,
    );
    const right = said?.arguments ?? call.asked;
    expectThat(
      canonicalJson(call.given) === canonicalJson(right),
      `${call.id} ran with ${canonicalJson(call.given)}, not ${canonicalJson(right)}`,
    );
  }

  /** Somebody looks: what a client is to run is asked for when its turn has come, and not before. */
  looked({ people: { gates }, threads }: RunState): void {
    for (const { gate } of gates) {
      if (gate.kind !== 'clientTool') continue;
      const { callId } = gate.subject;
      const waiting = Object.values(threads).map(({ messages }) => openCalls(messages).map(({ id }) => id));
      const [next] = waiting.find(ids => ids.includes(callId)) ?? [callId];
      expectThat(next === callId, `${gate.id} asks a client for ${callId}, and ${next} comes before it`);
    }
  }

  safePoint({ people: { gates } }: RunState): void {
    for (const { gate } of gates) expectThat(this.#open.has(gate.id), `${gate.id} is in state and not open`);
    expectThat(
      gates.length === this.#open.size,
      `open: ${[...this.#open.keys()]}, in state: ${gates.length}`,
    );
  }

  ended(state: RunState): void {
    const broken =
      ['stopped', 'failed', 'cancelled'].includes(state.end?.outcome ?? '') || state.people.stop !== null;
    const open = [...this.#open].map(([id, kind]) => `${id} (${kind})`);
    expectThat(broken || open.length === 0, `${open} open at the end, which is ${state.end?.outcome}`);
  }
}
