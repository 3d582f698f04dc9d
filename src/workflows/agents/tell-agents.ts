/** The one way to tell all agents at work what holds for them: each tells its own, to the last level. */
import { openChildren } from '../../run/agents/children.js';
import type { ToChild } from '../run/ports.js';
import type { Run } from '../run/run.js';

/** Tells each agent its message, where it has one, as it was read, which bounds it. Gives the ids of those. */
export function tellAgents(run: Run, messageFor: (id: string) => ToChild | null): string[] {
  const told: string[] = [];
  for (const { id } of openChildren(run.state.children)) {
    const message = messageFor(id);
    if (message === null) continue;
    told.push(id);
    run.ports.tellSubagent(id, message, found => {
      const what = found
        ? undefined
        : WHAT[message.signal === 'caller' ? message.input.type : message.signal];
      if (what) run.journal('warning', { text: `${id} had ended before it was told ${what}.` });
    });
  }
  return told;
}

/** What a person says. */
const WHAT: Partial<Record<string, string>> = {
  pause: 'to pause',
  resume: 'to go on',
  stop: 'to stop',
  limits: 'its new limits',
  model_chosen: 'the model that was chosen',
};
