/** One run under a storm of messages, pauses and answers, whose only worker is killed: is anything lost or doubled? */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { textOf } from '../../src/run/messages/message.js';
import type { SteerTime } from '../../src/run/steering/inbox.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  answerGateUpdate,
  finishSignal,
  followUpSignal,
  pauseSignal,
  resumeSignal,
  stateQuery,
  steerSignal,
} from '../../src/workflows/run/definitions.js';
import { Random } from '../simulation/random.js';
import type { ScriptedReply, ScriptedToolCall } from './endpoint/model.js';
import { startScriptedModel } from './endpoint/model.js';
import { type FakeMcp, fakeMcp } from './fake-mcp-server.js';
import { partsOf, type RecordedPart } from './histories.js';
import { pairingFaults } from './pairing.js';
import { startWorkerProcess, type WorkerProcess } from './processes.js';
import { makeProject } from './project.js';
import { runSettings } from './rig.js';
import { eventsOf, transcriptOf } from './run-views.js';
import { calls, content, planned, reported, roleOf, settingsYaml } from './steering.js';
import { until } from './wait.js';

export interface SteerStormOptions {
  client: Client;
  /** Of the Temporal server. */
  address: string;
  seed: number;
  /** Steering messages and follow-ups. */
  messages: number;
  /** How often the only worker is killed, evenly spread over the messages. */
  kills: number;
  report?: (line: string) => void;
}

export interface SteerStormFigures {
  messages: number;
  kills: number;
  pauses: number;
  /** Gates that were answered. */
  answers: number;
  /** Answers that came too late for their gate. */
  answersRefused: number;
  wallMs: number;
  outcome: string;
  /** Messages by what became of them. */
  notes: number;
  goals: number;
  dropped: number;
  /** Of the messages: in no position, or in several, or not in the order of arrival. */
  lost: string[];
  doubled: string[];
  outOfOrder: string[];
  /** Tool calls without a result, and results without a call. */
  unpaired: number;
  toolCalls: number;
  toolCallsSkipped: number;
  modelCallsInterrupted: number;
  effectsDoubled: number;
  parts: number;
  historyEvents: number;
}

/** The time between two messages is drawn from 0 to this. */
const MOST_PAUSE_MS = 700;
const LIMITS = {
  execution: 10_000,
  replies: 10_000,
  turns: 100_000,
  totalTurns: 100_000,
  tokens: 1_000_000_000,
};

/** Holds the first tool call until the first message was sent. */
const OPENING_GATE = 'prefix';

/** Runs the storm to its end. `histories` are for a replay. */
export async function steerStorm(
  options: SteerStormOptions,
): Promise<{ figures: SteerStormFigures; histories: RecordedPart[] }> {
  const { client, address, seed, messages, kills, report = () => {} } = options;
  const fake = fakeMcp();
  const project = makeProject({
    config: {
      '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
      'steersman.yaml': settingsYaml('steering: note', 'dedupe: off'),
    },
  });
  const work = new Work(new Random(seed, 'model'), fake, join(project.dir, 'lines.txt'));
  const model = await startScriptedModel({ reply: request => work.reply(roleOf(request)) });
  const taskQueue = `steer-storm-${randomUUID().slice(0, 8)}`;
  const worker = () =>
    startWorkerProcess({
      address,
      taskQueue,
      project,
      model,
    });
  let current: WorkerProcess = await worker();
  const startedAt = performance.now();
  try {
    const settings = runSettings(project.workspace, { attended: true, keepOpenSeconds: 600, limits: LIMITS });
    const handle = await client.workflow.start(WORKFLOW_TYPE, {
      args: [{ goal: 'Weather the storm', settings }],
      taskQueue,
      workflowId: taskQueue,
    });
    const people = new People(handle, new Random(seed, 'people'));
    const answering = people.answerGates(new Random(seed, 'answers'));
    await people.open(fake);
    for (let sent = 2; sent <= messages; sent++) {
      await people.act(sent);
      const due = Array.from({ length: kills }, (_, kill) =>
        Math.ceil((messages * (kill + 1)) / (kills + 1)),
      );
      if (!due.includes(sent)) continue;
      await current.kill();
      report(`killed the worker after ${sent} messages`);
      // Messages reach a run that nobody works on.
      const [next] = await Promise.all([worker(), people.act(0)]);
      current = next;
    }
    work.finish();
    await handle.signal(resumeSignal);
    await handle.signal(finishSignal);
    const { outcome } = (await handle.result()) as RunResult;
    people.end();
    await answering;
    const wallMs = Math.round(performance.now() - startedAt);
    const histories = await partsOf(client, handle);
    const found = await findings(handle, histories);
    const { pauses, answers, answersRefused } = people;
    const effects = fake.effects('append_line').map(({ args }) => String(args?.line));
    return {
      figures: {
        ...{ messages, kills, pauses, answers, answersRefused, wallMs, outcome },
        ...found,
        effectsDoubled: effects.length - new Set(effects).size,
      },
      histories,
    };
  } finally {
    current.end('SIGTERM');
    await current.exited;
    await model.close();
    fake.remove();
    rmSync(project.dir, { recursive: true, force: true });
  }
}

/** What the model asks for: batches, effects that ask first, long replies; now and then it is done with a goal. */
class Work {
  #at = 0;
  #finished = false;
  readonly #random: Random;
  readonly #fake: FakeMcp;
  readonly #file: string;
  /** A batch that a message cuts short, and a call that is asked about: what a quick or slow machine might never draw. */
  readonly #prefix: ScriptedToolCall[][];

  constructor(random: Random, fake: FakeMcp, file: string) {
    this.#random = random;
    this.#fake = fake;
    this.#file = file;
    const append = (line: string) => ({ name: 'append_line', arguments: { file, line } });
    this.#prefix = [
      [{ name: 'slow', arguments: { gate: OPENING_GATE } }, append('never written')],
      [append('asked about')],
    ];
  }

  /** From here on every goal is answered at once. */
  finish(): void {
    this.#finished = true;
  }

  reply(role: string): ScriptedReply {
    if (role === 'planner') return planned;
    if (role === 'verifier') return content;
    const prefix = this.#prefix.shift();
    if (prefix) return calls(...prefix);
    if (this.#finished || this.#random.chance(0.1)) return reported();
    const batch = Array.from({ length: this.#random.int(1, 4) }, () => this.#call());
    const text = 'I look at what there is, and go on from there step by step. ';
    return { ...calls(...batch), text, chunkChars: 6, delayMs: this.#random.pick([0, 10, 40]) };
  }

  #call(): ScriptedToolCall {
    this.#at += 1;
    const line = `line ${this.#at}`;
    switch (this.#random.pick(['echo', 'slow', 'append_line', 'append_line'] as const)) {
      case 'echo':
        return { name: 'echo', arguments: { text: line } };
      case 'append_line':
        return { name: 'append_line', arguments: { file: this.#file, line } };
      case 'slow': {
        const gate = `gate-${this.#at}`;
        // Also where the call never comes: nobody minds an open gate.
        setTimeout(() => this.#fake.openGate(gate), this.#random.int(300, 900)).unref();
        return { name: 'slow', arguments: { gate } };
      }
    }
  }
}

class People {
  pauses = 0;
  answers = 0;
  answersRefused = 0;
  #paused = false;
  #ended = false;
  readonly #handle: WorkflowHandle;
  readonly #random: Random;

  constructor(handle: WorkflowHandle, random: Random) {
    this.#handle = handle;
    this.#random = random;
  }

  /** Sends the first message in the middle of a batch, and waits for the first answer to a gate. */
  async open(fake: FakeMcp): Promise<void> {
    await until('the first call runs', () => fake.events().some(({ tool }) => tool === 'slow'));
    await this.#handle.signal(steerSignal, { id: 'm1', text: 'message 1', when: 'skip' });
    fake.openGate(OPENING_GATE);
    await until('a gate was answered', () => this.answers > 0);
  }

  /** Sends the message number `sent`, then or before it a pause or its end; 0 sends only those. */
  async act(sent: number): Promise<void> {
    await sleep(this.#random.int(0, MOST_PAUSE_MS));
    if (this.#paused ? this.#random.chance(0.5) : this.#random.chance(0.1)) await this.#pauseOrResume();
    if (sent === 0) return;
    const message = { id: `m${sent}`, text: `message ${sent}` };
    const when = this.#random.weighted<SteerTime>([
      [2, 'skip'],
      [4, 'after-batch'],
      [1, 'interrupt'],
    ]);
    if (this.#random.chance(0.15)) await this.#handle.signal(followUpSignal, message);
    else await this.#handle.signal(steerSignal, { ...message, when });
    // A client that is not sure whether it was heard says it again.
    if (this.#random.chance(0.2)) await this.#handle.signal(steerSignal, { ...message, when });
  }

  async #pauseOrResume(): Promise<void> {
    this.#paused = !this.#paused;
    if (this.#paused) this.pauses += 1;
    await this.#handle.signal(this.#paused ? pauseSignal : resumeSignal);
  }

  end(): void {
    this.#ended = true;
  }

  /** Answers what is asked, until the run has ended. Gates are withdrawn by messages meanwhile. */
  async answerGates(random: Random): Promise<void> {
    while (!this.#ended) {
      await sleep(random.int(10, 80));
      const view = await this.#handle.query(stateQuery).catch(() => null);
      for (const { id: gateId } of view?.gates ?? []) {
        const decision = random.pick(['approve', 'deny']);
        await this.#handle.executeUpdate(answerGateUpdate, { args: [{ gateId, decision }] }).then(
          () => {
            this.answers += 1;
          },
          () => {
            this.answersRefused += 1;
          },
        );
      }
    }
  }
}

/** Compares what arrived, by the histories, with what the conversation holds. */
async function findings(handle: WorkflowHandle, histories: readonly RecordedPart[]) {
  const transcript = await transcriptOf(handle);
  const said = transcript.flatMap(message =>
    message.kind === 'user' && (message.purpose === 'steer' || message.purpose === 'goal')
      ? [{ purpose: message.purpose, text: textOf(message) }]
      : [],
  );
  const dropped = (await eventsOf(handle, 'receipt')).filter(({ state }) => state === 'dropped');
  const gone = new Set(dropped.map(({ id }) => id.replace('m', 'message ')));
  const arrived = arrivals(histories);
  const positions = (text: string) => said.filter(each => each.text === text).length;
  const textsOf = (purpose: string) => said.filter(each => each.purpose === purpose).map(each => each.text);
  const [notes, goals] = [textsOf('steer'), textsOf('goal').slice(1)];
  const { open, stray } = pairingFaults(transcript);
  const results = transcript.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
  return {
    notes: notes.length,
    goals: goals.length,
    dropped: dropped.length,
    lost: arrived.filter(text => positions(text) === 0 && !gone.has(text)),
    doubled: arrived.filter(text => positions(text) > 1),
    outOfOrder: [...outOfOrder(notes, arrived), ...outOfOrder(goals, arrived)],
    unpaired: open.length + stray.length,
    toolCalls: results.length,
    toolCallsSkipped: results.filter(({ ending }) => ending === 'skipped').length,
    modelCallsInterrupted: transcript.filter(
      message => message.kind === 'assistant' && message.stopReason === 'interrupted',
    ).length,
    parts: histories.length,
    historyEvents: histories.reduce((sum, { history }) => sum + (history.events?.length ?? 0), 0),
  };
}

/** Texts of messages in the order in which the server took them, each once. */
function arrivals(histories: readonly RecordedPart[]): string[] {
  const texts = histories.flatMap(({ history }) =>
    (history.events ?? []).flatMap(event => {
      const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
      const [payload] = input?.payloads ?? [];
      if ((signalName !== 'steer' && signalName !== 'followUp') || !payload) return [];
      return [defaultPayloadConverter.fromPayload<{ text: string }>(payload).text];
    }),
  );
  return [...new Set(texts)];
}

/** Texts that stand before one which arrived earlier. */
function outOfOrder(texts: readonly string[], arrived: readonly string[]): string[] {
  const at = texts.map(text => arrived.indexOf(text));
  return texts.filter((_, index) => (at[index] ?? 0) > (at[index + 1] ?? Number.POSITIVE_INFINITY));
}
