/** Conversations whose store alone goes away again and again while their runs work and end: what it has in the end. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { wireText } from '../../packages/test-kit/model-server.js';
import { connect, type SteersmanClient } from '../../src/client/index.js';
import { childId } from '../../src/run/agents/children.js';
import { textOf } from '../../src/run/messages/message.js';
import { UNKEPT } from '../../src/run/state/stored-line.js';
import type { SessionStore } from '../../src/shared/store/store.js';
import { stateQuery, steerSignal, stopSignal } from '../../src/workflows/run/definitions.js';
import { Random } from '../simulation/random.js';
import type { ChatRequest, ScriptedReply } from './endpoint/model.js';
import { startScriptedModel } from './endpoint/model.js';
import { startWorkerProcess } from './processes.js';
import { makeProject } from './project.js';
import { eventsOf, transcriptOf } from './run-views.js';
import { settingsYaml } from './steering.js';
import { lackOf } from './store-away.js';
import { until } from './wait.js';

/** A store that can be taken away from everybody, and given back with what it had. */
export interface StoreThatGoes {
  /** Of workers. */
  env: Record<string, string>;
  sessions: SessionStore;
  go(): Promise<void> | void;
  comeBack(): Promise<void> | void;
}

export interface OutagesOptions {
  client: Client;
  /** Of the Temporal server. */
  address: string;
  seed: number;
  outages: number;
  /** At once: each has one run after the other. */
  conversations: number;
  longestMs: number;
  /** `home`: of the workers. */
  store(home: string): StoreThatGoes;
  report?: (line: string) => void;
}

export interface OutagesFigures {
  outages: number;
  awayMs: number;
  /** Runs by how they were to end. */
  runs: Record<string, number>;
  /** They ended before their first word, such as where the store could not be read: they are in no conversation. */
  wordless: number;
  agents: number;
  /** Runs and agents that ended while the store lacked something of them. */
  late: number;
  /** From the last outage's end, and from the last run's, until the store had all. */
  settleMs: number;
  /** What it lacks all the same. */
  lacking: string[];
  /** Runs that began without the answer before, though nothing told them so, and those that were told. */
  begunWithout: string[];
  told: number;
}

const KINDS = ['answers', 'answers', 'agents', 'fails', 'stops', 'cancelled'] as const;
type Kind = (typeof KINDS)[number];
const MODES: Partial<Record<Kind, 'lead'>> = { agents: 'lead' };

/** Before an outage at most, once the work goes on, which is waited for so long. */
const CALM_MS = 4_000;
const WORK_MS = 30_000;
/** What a worker said last, where something goes wrong. */
const LOG_CHARS = 2_000;
const SETTLE_WITHIN_MS = 180_000;
const START_WITHIN_MS = 120_000;
const GOAL = /Goal (\d+) of ([\w-]+), which (\w+)/g;

interface Held {
  handle: WorkflowHandle;
  session: string;
  goal: string;
}

/** Plays one seed to its end. */
export async function storeOutages(options: OutagesOptions): Promise<OutagesFigures> {
  const { client, address, seed, report = () => {} } = options;
  const project = makeProject({
    config: { 'steersman.yaml': settingsYaml('steering: note') },
    workspace: { 'a.txt': 'The pool is 7 m long.' },
  });
  const home = `${project.dir}/home`;
  const store = options.store(home);
  const talk = new Talk(new Random(seed, 'model'));
  const model = await startScriptedModel({
    reply: request => {
      model.requests.length = 0;
      return talk.reply(request);
    },
  });
  const taskQueue = `away-${seed}-${randomUUID().slice(0, 8)}`;
  const worker = await startWorkerProcess({ address, taskQueue, project, model, env: store.env });
  const steersman = await connect({ temporal: { client }, home });
  const people = new People(steersman, { client, talk, taskQueue, seed, workspace: project.workspace });
  try {
    const striking = strike(store, talk, options).finally(() => people.finish());
    const [awayMs] = await Promise.all([striking, people.keep(options.conversations)]);
    const endedAt = performance.now();
    const held = await people.held();
    report(`all ${held.length} runs and agents have ended`);
    const lacking = await settle(store.sessions, held);
    const settleMs = Math.round(performance.now() - endedAt);
    const late = await Promise.all(held.map(({ handle }) => handle.describe()));
    const { without, told } = await begunWithout(talk, held);
    return {
      ...{ outages: options.outages, awayMs, ...people.counts(), settleMs, lacking, told },
      ...{ late: late.filter(({ memo }) => memo?.[UNKEPT] !== undefined).length, begunWithout: without },
    };
  } catch (error) {
    report(`${inspect(error)}\n${worker.log().slice(-LOG_CHARS)}`);
    throw error;
  } finally {
    await steersman.close();
    worker.end('SIGTERM');
    await worker.exited;
    await model.close();
    rmSync(project.dir, { recursive: true, force: true });
  }
}

/** Each outage comes when there is something to disturb. */
async function strike(
  store: StoreThatGoes,
  talk: Talk,
  { conversations, seed, outages, longestMs, report = () => {} }: OutagesOptions,
): Promise<number> {
  const random = new Random(seed, 'outages');
  let awayMs = 0;
  for (let outage = 1; outage <= outages; outage++) {
    const due = talk.replies + conversations;
    await until('the work goes on', () => talk.replies >= due, WORK_MS).catch(() => undefined);
    await sleep(random.int(100, CALM_MS));
    const ms = random.int(200, longestMs);
    await store.go();
    await sleep(ms);
    await store.comeBack();
    awayMs += ms;
    report(`outage ${outage}: away for ${(ms / 1_000).toFixed(1)} s`);
  }
  return awayMs;
}

/** What is lacking when nothing more comes. */
async function settle(sessions: SessionStore, held: readonly Held[]): Promise<string[]> {
  let left = [...held];
  let lacking: string[] = [];
  const look = async () => {
    const looks = await Promise.all(left.map(({ handle, session }) => lackOf(sessions, handle, session)));
    lacking = looks.filter(each => each !== null);
    left = left.filter((_, at) => looks[at] !== null);
    return left.length === 0;
  };
  await until('the store has all', look, SETTLE_WITHIN_MS).catch(() => undefined);
  return lacking;
}

async function begunWithout({ without }: Talk, held: readonly Held[]) {
  const silent: string[] = [];
  for (const goal of without) {
    const run = held.find(each => each.goal === goal);
    const [loaded] = run ? await eventsOf(run.handle, 'run_loaded') : [];
    if (!loaded?.warnings.some(text => text.includes('does not know all of it'))) silent.push(goal);
  }
  return { without: silent, told: without.size - silent.length };
}

/** The model: what it says follows from the goal, and it looks whether the answer before is there. */
class Talk {
  replies = 0;
  readonly without = new Set<string>();
  readonly #random: Random;
  readonly #answers = new Map<string, string>();
  readonly #begun = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** The last answer of the conversation: its next run must know it. */
  answered(session: string, text: string): void {
    this.#answers.set(session, text);
  }

  hasBegun(goal: string): boolean {
    return this.#begun.has(goal);
  }

  reply({ body }: ChatRequest): ScriptedReply {
    this.replies += 1;
    const delayMs = this.#random.int(100, 1_500);
    const texts = body.messages.map(wireText);
    const said = JSON.stringify(texts);
    if (said.includes('search-agent')) return { text: 'Three boats were counted.', delayMs };
    const at = texts.findLastIndex((text, index) => body.messages[index]?.role === 'user' && GOAL_IN(text));
    const [goal = '', number = '', session = '', kind = ''] = GOAL_IN(texts[at] ?? '') ?? [];
    const calls = body.messages.slice(at).filter(({ role }) => role === 'tool').length;
    if (!this.#begun.has(goal) && !said.includes(this.#answers.get(session) ?? '')) this.without.add(goal);
    this.#begun.add(goal);
    if (calls === 0 && kind === 'agents')
      return {
        toolCalls: [callOf('call_subagent', { agent_name: 'search', instruction: 'Count.' })],
        delayMs,
      };
    if (calls < Number(number) % 3)
      return { toolCalls: [callOf('read_text_file', { path: 'a.txt' })], delayMs };
    if (kind === 'fails') return { error: { status: 401, message: 'No.' } };
    const isHeld = kind === 'stops' || kind === 'cancelled';
    return { text: `Answer ${number} of ${session}.`, delayMs: isHeld ? 20_000 : delayMs };
  }
}

const GOAL_IN = (text: string) => [...text.matchAll(GOAL)].at(-1);
const callOf = (name: string, args: object) => ({ name, arguments: args as Record<string, unknown> });

interface Around {
  client: Client;
  talk: Talk;
  taskQueue: string;
  workspace: string;
  seed: number;
}

class People {
  readonly #steersman: SteersmanClient;
  readonly #given: Around;
  readonly #runs: Held[] = [];
  readonly #kinds: Record<string, number> = {};
  #wordless = 0;
  #agents = 0;
  #ending = false;

  constructor(steersman: SteersmanClient, given: Around) {
    this.#steersman = steersman;
    this.#given = given;
  }

  async keep(conversations: number): Promise<void> {
    const { seed, taskQueue } = this.#given;
    const numbers = Array.from({ length: conversations }, (_, at) => at + 1);
    await Promise.all(
      numbers.map(each => this.#converse(`${taskQueue}-${each}`, new Random(seed, 'people', each))),
    );
  }

  finish(): void {
    this.#ending = true;
  }

  counts() {
    return { runs: this.#kinds, wordless: this.#wordless, agents: this.#agents };
  }

  async #converse(session: string, random: Random): Promise<void> {
    for (let number = 1; !this.#ending; number++) {
      const kind = random.pick(KINDS);
      const goal = `Goal ${number} of ${session}, which ${kind}`;
      const run = { handle: await this.#start(session, goal, kind), session, goal };
      this.#runs.push(run);
      this.#kinds[kind] = (this.#kinds[kind] ?? 0) + 1;
      const ended = run.handle.result().catch(() => undefined);
      const begun = until('it has begun', () => this.#given.talk.hasBegun(goal), START_WITHIN_MS);
      await Promise.race([ended, begun.catch(() => undefined)]);
      await Promise.all([ended, this.#disturb(run, kind, random)]);
      const last = (await transcriptOf(run.handle)).at(-1);
      const text = last === undefined ? '' : textOf(last);
      if (text.startsWith('Answer ')) this.#given.talk.answered(session, text);
    }
  }

  /** Who can't read the store starts again, under the same request id. */
  async #start(session: string, goal: string, kind: Kind): Promise<WorkflowHandle> {
    const { client, taskQueue, workspace } = this.#given;
    const mode = MODES[kind] ?? 'react';
    const options = { session, mode, workspace, taskQueue, autoApprove: true, requestId: goal } as const;
    const started = () => this.#steersman.start(goal, options).catch(() => null);
    const run = await until(`${goal} is started`, started, START_WITHIN_MS);
    return client.workflow.getHandle(run.id);
  }

  /** A few words at any time, also when it ends; what ends it in the end. */
  async #disturb({ handle }: Held, kind: Kind, random: Random): Promise<void> {
    const words = Array.from({ length: random.int(0, 3) }, () => random.int(0, 6_000));
    const say = async (ms: number) => {
      await sleep(ms);
      await handle.signal(steerSignal, { text: `One more word after ${ms} ms.` }).catch(() => undefined);
    };
    const end = async () => {
      await sleep(random.int(500, 8_000));
      if (kind === 'stops') await handle.signal(stopSignal, { reason: 'Enough.' });
      if (kind === 'cancelled') await handle.cancel();
    };
    await Promise.all([...words.map(say), end().catch(() => undefined)]);
  }

  /** All runs that are in a conversation, and their agents. */
  async held(): Promise<Held[]> {
    const all: Held[] = [];
    for (const run of this.#runs) {
      const { children } = await run.handle.query(stateQuery);
      if ((await transcriptOf(run.handle)).length === 0) {
        this.#wordless += 1;
        continue;
      }
      this.#agents += children.length;
      const { workflow } = this.#given.client;
      const agents = children.map(({ id }) => workflow.getHandle(childId(run.handle.workflowId, id)));
      all.push(run, ...agents.map(handle => ({ handle, session: run.session, goal: '' })));
    }
    return all;
  }
}
