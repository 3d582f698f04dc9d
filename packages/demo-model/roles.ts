/** Computes each role's answer from the conversation alone. */

import { BUILT_IN_WORDS, ownValue, preview } from 'steersman/base';
import type { ModelRequest } from 'steersman/models';
import type { Control } from 'steersman/run';
import { type Call, joined, type Seen, type State, stateOf } from './actions.js';
import { readConversation, tagged } from './conversation.js';
import { plain, readIntent } from './goal.js';

/** The beginning of every answer, so that people do not take the demo model for a model that understands. */
export const LABEL = ['Demo model: rules, not intelligence.', '演示模型：只有规则，没有智能。'] as const;
/** A line that also says what the demo model can do and how to configure a real model. */
const CANNOT = [
  "It can't do this: “{}”. It can give an overview of this folder, count its files, find TODOs, show a file, and write the answer to a file. A key in .env (OPENAI_API_KEY=… or ANTHROPIC_API_KEY=…) brings a model that can do more.",
  '它做不到：“{}”。它能概述这个文件夹，统计文件，查找 TODO，显示文件，并把回答写入文件。在 .env 中写入 OPENAI_API_KEY=… 或 ANTHROPIC_API_KEY=…，即可使用能做更多的模型。',
] as const;

/** Returns the text or the calls with which the requested role answers. */
export function replyTo(request: ModelRequest): { text: string; calls: Call[] } {
  const conversation = readConversation(request);
  const { wants, unknown, isChinese } = readIntent(conversation.wishes);
  const say: Seen['say'] = (english, chinese) => (isChinese ? chinese : english);
  const cannot = unknown === null ? '' : say(...CANNOT).replace('{}', () => preview(unknown));
  const seen: Seen = { ...conversation, say, states: [], answer: `*${say(...LABEL)}*`, lacks: cannot };
  for (const want of wants) {
    const state = stateOf(want, seen);
    const { title, lacks, text } = state;
    seen.states.push(state);
    seen.lacks ||= lacks ?? '';
    seen.answer = joined(seen.answer, lacks === null ? `## ${title}` : `**${title}: ${lacks}**`, text);
  }
  seen.answer = wants.length === 0 ? `${seen.answer} ${cannot}` : joined(seen.answer, cannot);
  const reply = RULES[conversation.form](seen);
  if (Array.isArray(reply)) return { text: '', calls: reply };
  return { text: typeof reply === 'string' ? reply : JSON.stringify(reply), calls: [] };
}

/** Returns the next calls without duplicates, limited to the tools of the request; null if there are no such calls. */
function callsOf(states: readonly State[], { tools }: Seen): Call[] | null {
  const calls = new Set(states.flatMap(({ call }) => (call && tools.includes(call.name) ? [call] : [])));
  return calls.size > 0 ? [...calls] : null;
}

const CONTROLS: Readonly<Record<string, Control>> = {
  ...{ stop: 'cancel', cancel: 'cancel', 停止: 'cancel', pause: 'pause', wait: 'pause', 暂停: 'pause' },
  ...{ continue: 'continue', 'go on': 'continue', 继续: 'continue', status: 'status', 进度: 'status' },
};

/** Obeys a message that is a control word; any other is a note to the roles. Both roles that interpret messages use it. */
function steer({ instruction }: Seen): object {
  const goal = tagged(instruction, 'user_answer') || tagged(instruction, 'user_message') || '?';
  const control = ownValue(CONTROLS, plain(goal).toLowerCase());
  const reason = control ? `The message says ${control}.` : 'A note changes nothing in the plan.';
  const action = control === 'status' ? 'query' : (control ?? 'modify');
  const type = control ? 'control_instruction' : 'same_task_no_change';
  return {
    normalizedIntent: { goal, action, scope: control ? 'meta_control' : 'partial_task', urgency: 'medium' },
    taskRelation: { type, confidence: 95, reasoning: reason },
    contextDependency: { needsCurrentTaskContext: false, needsExecutionHistory: false },
    route: control ? 'control_action' : 'continue_execution',
    payload: { reason, control },
  };
}

/** Recognizes an instruction that contains the goal's checks: they decide the goal, but do not know what the answer lacks. */
const CHECKS = Object.values(BUILT_IN_WORDS).map(({ goalChecks }) => goalChecks.replace(/\{.*/, ''));
const isChecked = ({ instruction }: Seen) => CHECKS.some(text => instruction.includes(text));
const error = (message: string) => ({ action: 'ERROR', params: { message } });
/** Escalates, so that a person decides if one is attending. */
const escalate = () => ({ action: 'ESCALATE', params: { message: 'Rules can neither review nor decide.' } });

const RULES: Record<Seen['form'], (seen: Seen) => string | object | Call[]> = {
  /** Plans a task for each kind of want that still needs a call; sentences that are not on the list get no task. */
  plan(seen) {
    if (seen.states.length === 0 && isChecked(seen))
      return { todos: [{ id: 'nothing', description: 'No rule fits this goal.' }] };
    const open = seen.states.filter(({ call }) => call !== null);
    const kinds = [...new Set(open.map(({ kind }) => kind))];
    const todos = kinds.map(id => {
      const titles = open.filter(({ kind }) => kind === id).map(({ title }) => title);
      return { id, description: titles.join('; ') };
    });
    return { todos };
  },
  execution(seen) {
    const mine = seen.states.filter(({ kind }) => kind === seen.taskId);
    const lacks = mine.length === 0 ? 'no task of the goal' : mine.find(({ lacks }) => lacks !== null)?.lacks;
    const end = lacks ? { taskCompleted: false, nextAction: 'skip' } : { taskCompleted: true };
    const summary = lacks ?? joined(...mine.flatMap(({ title, text }) => [title, text]));
    return callsOf(mine, seen) ?? { summary, ...end };
  },
  /** Sends the work back if a call can still find something. An answer that lacks something gets an error, not a verdict. */
  verdict({ states, answer, lacks, instruction }) {
    const tasks = [...instruction.matchAll(/^- (\S+) \[(\w+)/gm)].map(([, id, status]) => ({ id, status }));
    const isSkipped = (kind: string) => tasks.some(({ id, status }) => id === kind && status === 'skipped');
    const open = states.filter(({ call, kind }) => call !== null && !isSkipped(kind));
    if (open.length === 0 && lacks) return error(lacks);
    return {
      allCompleted: open.length === 0,
      userNeedsSatisfied: open.length === 0,
      summary: answer,
      improvements: open.map(({ title }) => title),
      tasks: tasks.map(({ id }) => ({ id, completed: !open.some(({ kind }) => kind === id) })),
    };
  },
  text: seen =>
    callsOf(seen.states, seen) ?? (seen.lacks && isChecked(seen) ? error(seen.lacks) : seen.answer),
  /** A single want needs no plan. A goal that is not on the list runs as a team and ends unverified. */
  choice: ({ states }) => ({ mode: states.length === 1 ? 'react' : 'team', reason: 'By the list of goals.' }),
  ...{ intent: steer, route: steer, review: escalate, orchestration: escalate },
};
