/** The time of a goal while calls are in flight: where the run itself waits for a person, `waitForPerson` counts it. */
import { isPaused, openChildren } from '../../core/agents/children.js';
import type { RunState } from '../../core/state/run-state.js';

/** What it needs of a run, which uses it itself. */
interface Timed {
  state: RunState;
  ports: { now(): number };
  memory: { calls: ReadonlySet<unknown> };
  stopWaiting(): void;
}

/** What keys of gates begin with that tool servers open. */
export const FORM = 'form:';

/**
 * The time stands still while all that is in flight waits for a person: each sub-agent that asks, or that a pause
 * holds, and each call whose tool server asks. To be called whenever that may have changed.
 */
export function keepTime(run: Timed): void {
  const { people, children } = run.state;
  const inFlight = run.memory.calls.size;
  if (inFlight === 0) return;
  const open = people.gates.filter(({ answer }) => answer === null);
  const asks = (id: string) => open.some(({ agent }) => agent?.id === id);
  const agents = openChildren(children).filter(({ id }) => isPaused(children, id) || asks(id));
  // One call may ask several things.
  const forms = open.flatMap(({ key, gate }) =>
    key.startsWith(FORM) && gate.kind === 'form' ? gate.subject.callId : [],
  );
  if (agents.length + new Set(forms).size >= inFlight) run.state.goal.waitingSince ??= run.ports.now();
  else run.stopWaiting();
}
