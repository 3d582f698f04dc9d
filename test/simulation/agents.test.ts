import { expect, test } from 'vitest';
import { openChildren } from '../../src/core/children.js';
import { textOf } from '../../src/core/message.js';
import { usageOf } from '../../src/core/usage-by.js';
import { endCancelled } from '../../src/workflows/goals.js';
import {
  answerFromCaller,
  receive,
  requestPause,
  requestResume,
  requestStop,
  takeAnswer,
} from '../../src/workflows/platform/inbox-handlers.js';
import { answerReader } from '../../src/workflows/platform/read-input.js';
import type { Run } from '../../src/workflows/run.js';
import { type AgentTree, agentTree, Cancelled, call, type TreeReply } from '../support/agent-tree.js';
import { pairingFaults } from '../support/pairing.js';
import { expectThat } from './expect-that.js';
import { randomAnswer } from './people.js';
import { Random } from './random.js';

const SEEDS = 250;
/** After these ticks nobody disturbs the tree any more, and whoever is asked says yes. */
const DISTURBED = 60;
const MOST_TICKS = 3_000;
const MOST_REPLIES = 5;

test(`sub-agents: ${SEEDS} random trees, whole and handed over at every safe point, with messages, gates and ends at any moment → nothing is lost or counted twice (A1, A7)`, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) await simulate(seed, seen);
  expect(MUST_HAPPEN.filter(tag => !seen.has(tag))).toEqual([]);
}, 120_000);

const MUST_HAPPEN = [
  ...['unverified', 'stopped', 'cancelled'].flatMap(end => [`lead ${end}`, `agent ${end}`]),
  ...['person', 'timeout', 'superseded'].map(by => `agent's gate ${by}`),
  ...['two levels', 'at once', 'passed on', 'given back', 'refused', 'always', 'handed over'],
];

async function simulate(seed: number, seen: Set<string>): Promise<void> {
  const random = new Random(seed, 'tree');
  const tree = agentTree({
    handsOver: seed % 2 === 0,
    settings: { autoApprove: random.chance(0.2), attended: random.chance(0.85) },
    limits: { parallelTools: random.pick([1, 4]) },
    reply: ({ path, times }) => replyOf(new Random(seed, path, times), path, times),
  });
  let isOver = false;
  const end = tree.end.then(
    () => {},
    error => {
      if (!(error instanceof Cancelled)) throw error;
      endCancelled(tree.lead);
    },
  );
  end.finally(() => {
    isOver = true;
  });
  const crowd = new Disturbance(tree, random);
  for (let tick = 0; !isOver; tick += 1) {
    await new Promise(setImmediate);
    if (isOver) break;
    expectThat(tick < MOST_TICKS, `seed ${seed}: the tree hangs`);
    tree.clock.now += 10;
    if (tick < DISTURBED) crowd.acts();
    else crowd.helps();
    for (const run of [tree.lead, ...tree.agents.values()]) expectNoStrayGate(run, seed);
  }
  await end;
  check(tree, seed, crowd.markers, seen);
}

async function replyOf(random: Random, path: string, times: number): Promise<TreeReply> {
  for (let wait = random.int(0, 4); wait > 0; wait -= 1) await new Promise(setImmediate);
  const name = path.split('/').at(-2) ?? 'lead';
  if (times >= MOST_REPLIES || random.chance(0.2)) return `Answer of ${path}.`;
  const put = (index: number): [string, Record<string, unknown>] => [
    'put',
    { path: `${path} ${times} ${index}` },
  ];
  if (name === 'search') return Array.from({ length: random.int(1, 2) }, (_, index) => put(index));
  const agents = name === 'lead' ? ['search', 'middle', 'nobody'] : ['search'];
  return Array.from({ length: random.int(1, 3) }, (_, index) =>
    name === 'lead' && random.chance(0.2)
      ? put(index)
      : call(random.pick(agents), `Piece ${times} ${index}.`),
  );
}

/** People at the lead, and now and then at an agent's own run. */
class Disturbance {
  readonly #tree: AgentTree;
  readonly #random: Random;
  readonly markers: string[] = [];

  constructor(tree: AgentTree, random: Random) {
    this.#tree = tree;
    this.#random = random;
  }

  acts(): void {
    const tree = this.#tree;
    const random = this.#random;
    const act = random.weighted([
      [30, 'nothing'],
      [6, 'say'],
      [6, 'answer'],
      [0.6, 'pause'],
      [2, 'resume'],
      [0.15, 'stop'],
      [0.15, 'cancel'],
      [0.5, 'time'],
    ] as const);
    if (act === 'say') this.#says();
    if (act === 'answer') this.#answers(random.chance(0.1) ? this.#anyRun() : tree.lead);
    if (act === 'pause') requestPause(tree.lead, {});
    if (act === 'resume') requestResume(tree.lead, {});
    if (act === 'stop') requestStop(tree.lead, {});
    if (act === 'cancel') tree.cancel();
    if (act === 'time') tree.clock.now += 61_000;
  }

  helps(): void {
    const { lead } = this.#tree;
    if (lead.state.people.pausedAt !== null) requestResume(lead, {});
    this.#answers(lead);
  }

  #anyRun(): Run {
    return this.#random.pick([this.#tree.lead, ...this.#tree.agents.values()]);
  }

  #says(): void {
    if (this.markers.length >= 6) return;
    const random = this.#random;
    const marker = `«${this.markers.length + 1}»`;
    this.markers.push(marker);
    const to = random.pick([
      null,
      null,
      'search',
      'middle',
      'search/1',
      'middle/1',
      'middle/1/search/1',
      'nobody',
    ]);
    const input = {
      id: marker,
      text: `Mind this ${marker}`,
      when: random.pick(['skip', 'skip', 'after-batch', 'interrupt']),
      ...(to !== null && { to }),
    };
    const isDirect = random.chance(0.15);
    receive(isDirect ? this.#anyRun() : this.#tree.lead, input, random.chance(0.1) ? 'follow-up' : 'steer');
  }

  #answers(run: Run): void {
    const open = run.state.people.gates.filter(({ answer }) => answer === null);
    if (open.length === 0 || !run.state.pinned) return;
    const { gate } = this.#random.pick(open);
    const { input } = randomAnswer(this.#random, gate, { tasks: [], marker: '' });
    const read = answerReader(run.state, 'answerGate')(input);
    if ('ok' in read) takeAnswer(run, read.ok);
    // What comes twice changes nothing.
    if ('ok' in read && this.#random.chance(0.1)) answerFromCaller(run, input);
  }
}

/** What an agent asks is open at its caller no longer than the agent is. */
function expectNoStrayGate({ state }: Run, seed: number): void {
  const open = openChildren(state.children).map(({ id }) => id);
  for (const { agent, gate } of state.people.gates)
    expectThat(
      !agent || open.includes(agent.id),
      `seed ${seed}: ${gate.id} of ${agent?.id} is open after its end`,
    );
}

function check(tree: AgentTree, seed: number, markers: readonly string[], seen: Set<string>): void {
  const runs = [['', tree.lead] as const, ...tree.agents];
  for (const [path, { state }] of runs) {
    const at = `seed ${seed}, ${path || 'lead'}`;
    expectThat(state.end !== null, `${at}: has not ended`);
    expectThat(openChildren(state.children).length === 0, `${at}: an agent is open`);
    expectThat(state.people.gates.length === 0, `${at}: a gate is open`);
    for (const { messages } of Object.values(state.threads)) {
      const { open, stray } = pairingFaults(messages);
      expectThat(open.length + stray.length === 0, `${at}: open calls ${open}, stray results ${stray}`);
    }
    const sum = state.total.usageBy.reduce((all, entry) => all + usageOf(entry).inputTokens, 0);
    expectThat(sum === state.total.usage.inputTokens, `${at}: the parts of the usage are not its sum`);
    expectThat(path === '' || state.goals.length <= 1, `${at}: an agent has ${state.goals.length} goals`);
    expectSameGates(path, new Map(runs), seed);
    note(path, { state }, seen);
  }
  const { inputTokens } = tree.lead.state.total.usage;
  expectThat(
    inputTokens === 10 * tree.replies,
    `seed ${seed}: ${inputTokens} tokens, ${tree.replies} replies`,
  );
  for (const marker of markers)
    expectKept(
      runs.map(([, run]) => run),
      seed,
      marker,
    );
}

/** What an agent asked, its caller asked, and it closed for the same reason. */
function expectSameGates(path: string, runs: ReadonlyMap<string, Run>, seed: number): void {
  const [agent, caller] = [runs.get(path), runs.get(path.split('/').slice(0, -2).join('/'))];
  if (path === '' || !agent || !caller) return;
  const id = path.split('/').slice(-2).join('/');
  const [asked, shown] = [closings(agent, ''), closings(caller, `${id} asks: `)];
  expectThat(asked === shown, () => `seed ${seed}, ${path}: asked ${asked}, and its caller ${shown}`);
}

function closings({ state }: Run, prefix: string): string {
  const { events } = state.log.journal;
  const open = events.flatMap(event =>
    event.type === 'gate_opened' && event.title.startsWith(prefix) ? [event.gateId] : [],
  );
  return events
    .flatMap(event => (event.type === 'gate_closed' && open.includes(event.gateId) ? [event.by] : []))
    .sort()
    .join(', ');
}

/** A message is in one conversation of the tree, or its sender was told that it is in none. */
function expectKept(runs: readonly Run[], seed: number, marker: string): void {
  const places = runs.flatMap(({ state }) =>
    Object.values(state.threads).flatMap(({ messages }) =>
      messages.filter(
        each => each.kind === 'user' && each.purpose !== 'brief' && textOf(each).includes(marker),
      ),
    ),
  );
  const last = runs.map(({ state }) =>
    state.log.journal.events.findLast(event => event.type === 'receipt' && event.id === marker),
  );
  // What goes back is read by the caller, or dropped there.
  const isDropped = last.some(
    event => event?.type === 'receipt' && event.state === 'dropped' && !event.how.includes('goes back'),
  );
  expectThat(
    places.length === 1 || (places.length === 0 && isDropped),
    `seed ${seed}: ${marker} is in ${places.length} places`,
  );
}

function note(path: string, { state }: Pick<Run, 'state'>, seen: Set<string>): void {
  const who = path === '' ? 'lead' : 'agent';
  seen.add(`${who} ${state.end?.outcome}`);
  if (path.split('/').length > 2) seen.add('two levels');
  if (state.part > 1) seen.add('handed over');
  if (state.people.allowedTools.length > 0) seen.add('always');
  let open = 0;
  for (const event of state.log.journal.events) {
    if (event.type === 'gate_closed' && who === 'agent') seen.add(`agent's gate ${event.by}`);
    if (event.type === 'subagent_started') open += 1;
    if (event.type === 'subagent_ended') open -= 1;
    if (open > 1) seen.add('at once');
    if (event.type !== 'receipt') continue;
    if (event.how.startsWith('Read by')) seen.add('passed on');
    if (event.how.includes('ended before it read this')) seen.add('given back');
    if (event.how.includes('one of the roles')) seen.add('refused');
  }
}
