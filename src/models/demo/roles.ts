/** What each role answers, from the conversation alone. */
import type { Control } from '../../core/outputs/contracts.js';
import { ownValue } from '../../core/text/json.js';
import type { ModelRequest } from '../provider.js';
import { type Conversation, readConversation, tagged } from './conversation.js';
import { type Intent, plain, readIntent } from './goal.js';
import { type Call, code, joined, type State, stateOf } from './ways.js';
import { WORDS, type Words } from './words.js';

interface Reply {
  thought: string;
  text: string;
  calls: Call[];
}
interface Seen extends Conversation, Intent {
  words: Words;
  states: State[];
  /** The whole answer, and what of it goes into a file. */
  answer: string;
}
type Rule = (seen: Seen) => Reply;

/** Answers for the role that the request is for. */
export function replyTo(request: ModelRequest): Reply {
  const conversation = readConversation(request);
  const intent = readIntent(conversation.wishes);
  const { wants, zh, unknown } = intent;
  const words = WORDS[zh ? 'zh' : 'en'];
  const looks = wants
    .filter(({ kind }) => kind !== 'write')
    .map(want => stateOf(want, conversation.results, words));
  const head = [`*${words.label}*`, ...(unknown === null ? [] : [words.cannot(code(unknown))])].join(' ');
  const missing = (states: State[]) =>
    states.flatMap(({ title, lacks }) => (lacks ? `**${title}: ${lacks}.**` : []));
  const parts = looks.map(({ title, text }) => (text === '' ? '' : joined(`## ${title}`, text)));
  const content = joined(head, ...missing(looks), ...parts);
  const files = wants.filter(({ kind }) => kind === 'write');
  const isLooking = looks.some(({ open }) => open !== null);
  const writes = files.map(want => stateOf(want, conversation.results, words, content, isLooking));
  const answer = joined(...missing(writes), ...writes.map(({ text }) => text), content);
  return RULES[conversation.form]({
    ...conversation,
    ...intent,
    words,
    states: [...looks, ...writes],
    answer,
  });
}

function json(thought: string, component: string, fields: object): Reply {
  return { thought, text: JSON.stringify({ type: 'component', component, ...fields }), calls: [] };
}

/** The next calls, what is written last; null where there is none that a tool here can make. */
function calls(states: readonly State[], { tools, words }: Seen): Reply | null {
  const open = states.flatMap(({ open }) => open ?? []);
  const looks = open.filter(({ name }) => name !== 'write');
  const made = (looks.length > 0 ? looks : open).flatMap(call => {
    const name = tools.find(each => each.split('__').at(-1) === call.name);
    return name === undefined ? [] : [{ ...call, name }];
  });
  const text = words.calls([...new Set(made.map(({ name }) => name))].join(', '));
  return made.length === 0 ? null : { thought: 'Calls what is still missing.', text, calls: made };
}

/** A task for each want; of a later plan for what a call can still bring. */
const plan: Rule = ({ states, results, unknown }) => {
  const again = results.length > 0 ? '-again' : '';
  const todos = states
    .filter(({ open, kind }, _, all) => open !== null || (kind === 'write' && all.some(look => look.open)))
    .map(({ id, kind, title }, at, all) => ({
      id: `${id}${again}`,
      description: title,
      dependencies: kind === 'write' ? all.slice(0, at).map(before => `${before.id}${again}`) : [],
    }));
  if (states.length === 0) todos.push({ id: 'none', description: code(unknown ?? ''), dependencies: [] });
  return json('Plans by the words of the goal.', 'planner-response', { todos });
};

const execution: Rule = seen => {
  const { states, taskId, words } = seen;
  const mine = states.filter(({ id }) => id === taskId.replace(/-again$/, ''));
  const { text, lacks } = mine[0] ?? { text: '', lacks: words.cannot(code(taskId)) };
  const end = lacks === null ? { taskCompleted: true } : { taskCompleted: false, nextAction: 'skip' };
  return calls(mine, seen) ?? json('Reports.', 'executor-response', { summary: lacks ?? text, ...end });
};

/** Sends the work back for what a call can still bring. Of an answer that lacks something it does not judge. */
const verdict: Rule = ({ states, answer, unknown, instruction, words }) => {
  const told = [...instruction.matchAll(/^- (\S+) \[(\w+)/gm)].map(([, id = '', status]) => ({ id, status }));
  const isSkipped = (id: string) =>
    told.some(task => task.id.replace(/-again$/, '') === id && task.status === 'skipped');
  const open = states.filter(({ id, open }) => open !== null && !isSkipped(id)).map(({ title }) => title);
  const lacks = unknown === null ? states.map(({ lacks }) => lacks) : [words.cannot(code(unknown))];
  const message = open.length > 0 ? undefined : lacks.find(lack => lack !== null);
  if (message)
    return { thought: message, text: JSON.stringify({ action: 'ERROR', params: { message } }), calls: [] };
  return json('Holds the results against the goal.', 'verifier-response', {
    allCompleted: open.length === 0,
    userNeedsSatisfied: open.length === 0,
    summary: answer,
    improvements: open,
    tasks: told.map(({ id }) => ({ id, completed: true, feedback: '' })),
  });
};

const text: Rule = seen => calls(seen.states, seen) ?? { thought: 'Answers.', text: seen.answer, calls: [] };

/** One look, or a plan: what is not on the list of goals ends unverified. */
const choice: Rule = ({ states: { length } }) => {
  const reason = `Things of the list that the goal asks for: ${length}.`;
  return json(reason, 'selector-response', { mode: length === 1 ? 'react' : 'team', reason });
};

const CONTROLS: Readonly<Record<string, Control>> = {
  ...{ stop: 'cancel', cancel: 'cancel', 停止: 'cancel', pause: 'pause', wait: 'pause', 暂停: 'pause' },
  ...{ continue: 'continue', 'go on': 'continue', 继续: 'continue', status: 'status', 进度: 'status' },
};

/** A message that is a control word is obeyed; any other is a note to the roles. */
const steer: Rule = ({ form, instruction }) => {
  const goal = tagged(instruction, 'user_answer') || tagged(instruction, 'user_message') || '?';
  const control = ownValue(CONTROLS, plain(goal).toLowerCase());
  const reason = control ? `The message says ${control}.` : 'A note changes nothing in the plan.';
  if (form === 'route') {
    const payload = { reason, requiresConfirmation: false, ...(control && { control }) };
    return json(reason, 'router-response', {
      route: control ? 'control_action' : 'continue_execution',
      payload,
    });
  }
  const action = control === 'status' ? 'query' : (control ?? 'modify');
  const type = control ? 'control_instruction' : 'same_task_no_change';
  return json(reason, 'understanding-response', {
    normalizedIntent: { goal, action, scope: control ? 'meta_control' : 'partial_task', urgency: 'medium' },
    taskRelation: { type, confidence: control ? 95 : 75, reasoning: reason },
    contextDependency: {
      needsCurrentTaskContext: false,
      needsExecutionHistory: false,
      referencedEntities: [],
    },
  });
};

/** What a reviewer or an orchestrator is asked: a person decides, where one is there. */
const review: Rule = () => {
  const message = `${WORDS.en.label} Rules can neither review nor tell how to go on.`;
  const params = { message, suggestion: 'Decide yourself, or use a real model for this role.' };
  return { thought: message, text: JSON.stringify({ action: 'ESCALATE', params }), calls: [] };
};

const STEERING = { intent: steer, route: steer, review, orchestration: review };
const RULES: Record<Conversation['form'], Rule> = { plan, execution, verdict, text, choice, ...STEERING };
