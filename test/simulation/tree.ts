/** A simulated run with its sub-agents, and theirs: every one a run of the same code in a world of its own. */

import { reportOf, totalsOf } from '../../src/rules/agents/subagent.js';
import type { AgentEnd } from '../../src/run/agents/children.js';
import { endCancelled } from '../../src/workflows/goals.js';
import type { ChildStart } from '../../src/workflows/run/ports.js';
import { resultOf } from '../../src/workflows/run/views.js';
import { deliver, hear, Line } from './agent-line.js';
import { agentScenario } from './agent-scenario.js';
import { Crowd } from './crowd.js';
import { Member } from './member.js';
import { Moments } from './moments.js';
import { Random } from './random.js';
import type { Scenario } from './scenario.js';
import type { AgentPorts, Surroundings } from './surroundings.js';
import { Timeline } from './timeline.js';
import { TreeBook } from './tree-book.js';
import type { Course, World } from './world.js';
import { Cancelled } from './world.js';

/** Share of agents that can not start. */
const LOST = 0.03;

export class Tree {
  readonly #course: Course;
  readonly #World: typeof World;
  readonly #timeline = new Timeline();
  readonly #crowd: Crowd;
  readonly #book: TreeBook;
  readonly #moments: Moments;
  readonly lead: Member;
  /** All of it, by the way to them. */
  readonly members = new Map<string, Member>();
  /** Paths of those at work. */
  readonly #atWork = new Set<string>();

  constructor(scenario: Scenario, course: Course, WorldOfRun: typeof World) {
    this.#course = course;
    this.#World = WorldOfRun;
    const atWork = () => [...this.#atWork].flatMap(path => this.members.get(path) ?? []);
    this.#book = new TreeBook(this.#timeline, () => this.lead, atWork);
    this.#crowd = new Crowd(scenario, { lead: () => this.lead, agents: atWork, book: this.#book });
    this.#moments = new Moments(scenario, this.#crowd, () => this.lead.world.cancel());
    this.lead = this.#member('', scenario, { tellCaller: () => {}, callerTold: () => null });
  }

  /** To its end, of all its runs. @throws Error that names the invariant that was broken. */
  async lives(): Promise<void> {
    let isOver = false;
    const lived = this.#leads().finally(() => {
      isOver = true;
    });
    await Promise.race([lived, this.#timeline.run(() => isOver).then(() => lived)]);
  }

  async #leads(): Promise<void> {
    const { lead } = this;
    try {
      await lead.lives();
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      endCancelled(lead.run);
    }
    this.#moments.strike('after', Number.POSITIVE_INFINITY);
    lead.ended();
    this.#book.ended(this.members.values());
  }

  #member(path: string, scenario: Scenario, caller: Pick<AgentPorts, 'tellCaller' | 'callerTold'>): Member {
    const around: Surroundings = {
      path,
      timeline: this.#timeline,
      crowd: this.#crowd,
      moments: this.#moments,
      book: this.#book,
      agents: { ...this.#agentsOf(path), ...caller },
    };
    const member = new Member(scenario, this.#course, around, this.#World);
    this.members.set(path, member);
    return member;
  }

  #of(path: string): Member {
    const member = this.members.get(path);
    if (!member) throw new Error(`there is no run ${path}`);
    return member;
  }

  #agentsOf(path: string): Pick<AgentPorts, 'callSubagent' | 'tellSubagent' | 'cancelSubagents'> {
    const open = new Map<string, Line>();
    const pathOf = (id: string) => (path === '' ? id : `${path}/${id}`);
    return {
      callSubagent: async child => {
        const down = this.#line(pathOf(child.id), 'down');
        open.set(child.id, down);
        try {
          return await this.#callAgent(this.#of(path), pathOf(child.id), child);
        } finally {
          open.delete(child.id);
          while (down.empty) await down.empty;
        }
      },
      tellSubagent: (id, message, told) => {
        const sent = asJson(message);
        const down = open.get(id);
        if (!down) told(false);
        else
          down.send(() => {
            const isOpen = open.has(id) && this.members.has(pathOf(id));
            if (isOpen) deliver(this.#of(pathOf(id)), sent);
            told(isOpen);
          });
      },
      cancelSubagents: () => {
        for (const id of open.keys()) this.members.get(pathOf(id))?.world.cancel();
      },
    };
  }

  async #callAgent(caller: Member, path: string, child: ChildStart): Promise<AgentEnd> {
    const scenario = agentScenario(caller.scenario, child);
    if (new Random(scenario.seed, 'lost').chance(LOST)) return { kind: 'lost', why: 'it could not start' };
    const up = this.#line(path, 'up');
    const agent = this.#member(path, scenario, {
      tellCaller: message => {
        const sent = asJson({ ...message, id: child.id, run: `lead/${path}` });
        up.send(() => hear(caller, sent));
      },
      callerTold: () => up.empty,
    });
    this.#atWork.add(path);
    this.#book.agentBegins(caller.path, path);
    const end = await this.#endOf(agent);
    this.#atWork.delete(path);
    this.#book.agentEnds(caller.path, path);
    agent.ended();
    caller.watcher.agentEnded(child.id, agent.run.state, agent.watcher);
    return end;
  }

  async #endOf(agent: Member): Promise<AgentEnd> {
    const { world } = agent;
    try {
      const end = await agent.lives();
      for (let told = world.callerTold(); told; told = world.callerTold()) await told;
      const report = reportOf(resultOf(agent.run.state, { ...end, id: agent.path, now: world.now() }));
      return { kind: 'ended', report: asJson(report) };
    } catch (error) {
      if (!(error instanceof Cancelled)) throw error;
      const end = endCancelled(agent.run);
      const result = resultOf(agent.run.state, { ...end, id: agent.path, now: world.now() });
      world.tellCaller({ type: 'cancelled', rest: totalsOf(result) });
      for (let told = world.callerTold(); told; told = world.callerTold()) await told;
      return { kind: 'cancelled' };
    }
  }

  /** Where a run handed over is compared with one that is not, messages take no time: a handover waits for them. */
  #line(path: string, way: 'up' | 'down'): Line {
    const { policy, inStep } = this.#course;
    const random = new Random(this.lead.scenario.seed, path, way);
    const isCompared = policy === 'every' || inStep;
    return new Line(this.#timeline, `${path} ${way}`, () =>
      isCompared ? 0 : random.pick([0, 0, 5, 50, 400]),
    );
  }
}

/** As it travels. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
