/** Translates the events of a run and its sub-agents into AG-UI events. */

import type { OfAgent, RunEvent, Vocabulary } from 'steersman/client';
import { causeText, childId } from 'steersman/run';
import { AgentWords } from './agent-words.js';
import type { AgUiAgent, AgUiSpoken } from './events.js';

type Begun = Extract<RunEvent, { type: 'subagent_started' }>;
type Done = Extract<RunEvent, { type: 'subagent_ended' }>;

/** Returns the translation for the run of this id. Events of sub-agents name the sub-agent, because several may be active. */
export function agUiEvents(run: string): Vocabulary<AgUiSpoken | AgUiAgent> {
  const agents = new Agents(run);
  return event => agents.take(event);
}

class Agents {
  readonly #run: string;
  /** The state of each agent, by its run id. */
  readonly #words = new Map<string, AgentWords>();
  readonly #begun = new Set<string>();

  constructor(run: string) {
    this.#run = run;
  }

  take(event: RunEvent): (AgUiSpoken | AgUiAgent)[] {
    const run = this.#runOf(event);
    if (event.type === 'subagent_started') return this.#start(run, event);
    if (event.type === 'subagent_ended') return this.#end(run, event);
    const { path: _path, agent: _agent, ...own } = event;
    return this.#attributed(run, this.#of(run).take(own as RunEvent));
  }

  #start(parent: string, { id, role, callId }: Begun): AgUiAgent[] {
    const subagentRunId = childId(parent, id);
    if (this.#begun.has(subagentRunId)) return [];
    this.#begun.add(subagentRunId);
    const parentToolCallId = this.#of(parent).callOf(callId);
    return [
      {
        ...{ type: 'SUBAGENT_STARTED', subagentRunId, name: role },
        ...(parent !== this.#run && { parentSubagentRunId: parent }),
        ...(parentToolCallId !== undefined && { parentToolCallId }),
      },
    ];
  }

  #end(parent: string, { id, outcome, cause }: Done): (AgUiSpoken | AgUiAgent)[] {
    const subagentRunId = childId(parent, id);
    if (!this.#begun.delete(subagentRunId)) return [];
    const rest = this.#attributed(subagentRunId, this.#of(subagentRunId).close());
    this.#words.delete(subagentRunId);
    const failed = outcome === 'failed' || outcome === 'lost';
    if (!failed) return [...rest, { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'success' } }];
    const message = cause === null ? 'The sub-agent was lost.' : causeText(cause);
    return [...rest, { type: 'SUBAGENT_ERROR', subagentRunId, message, code: cause ?? outcome }];
  }

  #attributed(run: string, spoken: AgUiSpoken[]): AgUiSpoken[] {
    return run === this.#run ? spoken : spoken.map(event => ({ ...event, subagentRunId: run }));
  }

  #of(run: string): AgentWords {
    const known = this.#words.get(run) ?? new AgentWords(run);
    this.#words.set(run, known);
    return known;
  }

  /** Returns the run id of an event's agent: `editor/1/search/2` is `search/2`, which `editor/1` called. */
  #runOf({ path }: OfAgent): string {
    if (path === undefined) return this.#run;
    const parts = path.split('/');
    let run = this.#run;
    for (let at = 0; at < parts.length; at += 2) run = childId(run, parts.slice(at, at + 2).join('/'));
    return run;
  }
}
