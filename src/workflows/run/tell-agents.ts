/** Sends all running agents what holds for them, such as a stop of the run; each agent forwards it to its own. */
import { openChildren } from '../../run/agents/children.js';
import type { Cause } from '../../run/limits/cause.js';
import type { ToChild } from './ports.js';
import type { Run } from './run.js';

/** Sends each agent its message, if there is one for it; readers have bounded it. Returns the ids of those agents. */
export function tellAgents(run: Run, messageFor: (id: string) => ToChild | null): string[] {
  const reached: string[] = [];
  for (const { id } of openChildren(run.state.children)) {
    const message = messageFor(id);
    if (message === null) continue;
    reached.push(id);
    run.ports.tellSubagent(id, message, found => {
      const what = found
        ? undefined
        : WHAT[message.signal === 'caller' ? message.input.type : message.signal];
      if (what) run.journal('warning', { text: `${id} had ended before it was told ${what}.` });
    });
  }
  return reached;
}

/** Messages that a person caused, in words. */
const WHAT: Partial<Record<string, string>> = {
  pause: 'to pause',
  resume: 'to go on',
  stop: 'to stop',
  limits: 'its new limits',
  model_chosen: 'the model that was chosen',
};

/** Stops the run. `cause`: the cause with which its goal ends if no person stops it. */
export function stopRun(run: Run, reason: string, cause?: Cause): void {
  run.state.people.stop = { at: run.ports.now(), reason, ...(cause && { cause }) };
  run.journal('stop_requested', { reason });
  run.ports.cancelCalls();
  tellAgents(run, () => ({ signal: 'stop', input: { reason } }));
}
