/** What a gate asks about, all of it: its own text holds the beginning of large arguments and plans. Pure. */
import type { Task } from '../plan/plan.js';
import { oneLine } from '../text/preview.js';
import { visibleText } from '../text/unseen.js';
import type { Gate } from './gate.js';
import { argumentsText } from './gate-text.js';

type Input = Record<string, unknown>;
type AskedTask = Pick<Task, 'id' | 'description' | 'completionCriteria'>;

/** What else is known of the gate: all arguments of its call; the tasks of its plan that are still to be done. */
export interface Known {
  input: Input | null;
  tasks?: readonly AskedTask[];
}

/** Lines of what the gate's own text lacks, below a line that says so; none where it has all. */
export function hiddenLines(gate: Pick<Gate, 'kind' | 'body'>, { input, tasks = [] }: Known): string[] {
  if (gate.kind === 'plan') return hiddenTasks(gate, tasks);
  if (input === null) return [];
  const json = argumentsText(input);
  return gate.body.includes(json) ? [] : ['All of its arguments:', ...json.split('\n')];
}

function hiddenTasks({ body }: Pick<Gate, 'body'>, tasks: readonly AskedTask[]): string[] {
  const shown = (text: string | null) => visibleText(oneLine(text ?? ''));
  const isHidden = ({ description, completionCriteria }: AskedTask) =>
    !body.includes(shown(description)) || !body.includes(shown(completionCriteria));
  if (!tasks.some(isHidden)) return [];
  return [
    'All of its tasks:',
    ...tasks.flatMap(({ id, description, completionCriteria }) => [
      `- ${visibleText(id)}: ${shown(description)}`,
      ...(completionCriteria ? [`  done when: ${shown(completionCriteria)}`] : []),
    ]),
  ];
}

/** The gate's own text with all arguments in place of those that it has only in part, and with all tasks. */
export function wholeBody(gate: Pick<Gate, 'kind' | 'body'>, known: Known): string {
  const { body } = gate;
  const hidden = hiddenLines(gate, known);
  if (hidden.length === 0) return body;
  const json = gate.kind === 'plan' ? null : argumentsText(known.input);
  let found = false;
  // Behind what is cut a line says so.
  const whole = body.replace(/(`{3,})json\n([\s\S]*?)\n\1(?:\n\n.*)?/, (block, fence, shown: string) => {
    found = json?.startsWith(shown.slice(0, shown.lastIndexOf('\n'))) === true;
    return found ? `${fence}json\n${json}\n${fence}` : block;
  });
  return found ? whole : [body, '', ...hidden].join('\n');
}
