/** What each role answers, from the conversation alone. */
import { CONTROLS, type Control } from '../../core/outputs/contracts.js';
import { BUILT_IN_WORDS, filled } from '../../core/prompts/words.js';
import type { ModelRequest } from '../provider.js';
import { isWritten, labelled, writeAnswer, writeReport, writtenNote } from './answer.js';
import { type Conversation, readConversation, tagged } from './conversation.js';
import { argumentsFor, look, nextCalls, type Seen, toolFor } from './folder.js';
import { readIntent, topicsOf, WORKS, type Work, workFor } from './goal.js';
import { WORDS } from './words.js';

interface Reply {
  thought: string;
  text: string;
  calls: { name: string; arguments: Record<string, unknown> }[];
}
type Rule = (conversation: Conversation, seen: Seen) => Reply;

/** Answers for the role that the request is for. */
export function replyTo(request: ModelRequest): Reply {
  const conversation = readConversation(request);
  return RULES[conversation.form](conversation, look(readIntent(conversation.wishes), conversation.calls));
}

function json(thought: string, component: string, fields: object): Reply {
  return { thought, text: JSON.stringify({ type: 'component', component, ...fields }), calls: [] };
}

/** What a kind of work is to do, in words that are read as a goal too. */
function describe(work: Work, { intent, words }: Seen): string {
  const named = { survey: [], read: intent.files, source: [], write: [intent.writeTo] };
  const parts = topicsOf([work], intent).map(topic => words.topics[topic]);
  return words[work]([...named[work], ...parts].join(', '));
}

/** Ids of the tasks that the run has told of, with their text or, where that stands above, without it. */
function tasksIn({ instructions }: Conversation): string[] {
  return [
    ...new Set(
      [...instructions.join('\n').matchAll(/^- (\S+) \[\w+[^\]]*\](?: |$)/gm)].map(([, id = '']) => id),
    ),
  ];
}

function workOf(taskId: string): Work | undefined {
  return WORKS.find(work => work === taskId.replace(/-\d+$/, ''));
}

/** What the goal needs, that is not there, and that a further call can bring. */
function missing(seen: Seen): Work[] {
  return workFor(seen.intent).filter(work => nextCalls([work], seen).length > 0);
}

/** The first plan, or tasks for what is missing: without any the plan stays as it is. */
const plan: Rule = (conversation, seen) => {
  const taken = tasksIn(conversation);
  const work = taken.length > 0 ? missing(seen) : workFor(seen.intent);
  const idOf = (kind: Work) => (taken.includes(kind) ? `${kind}-${taken.length + 1}` : kind);
  const todos = work.map((kind, at) => {
    const dependencies = work.slice(0, kind === 'write' ? at : Math.min(at, 1)).map(idOf);
    return { id: idOf(kind), description: describe(kind, seen), dependencies };
  });
  const fields = { summary: seen.words.plan(todos.length), needsMorePlanning: false, todos };
  return json('Plans from the words of the goal, and what is missing.', 'planner-response', fields);
};

/** Calls what is still missing; reports when nothing is, or when the run offers no tools any more. */
const execution: Rule = ({ taskId, tools }, seen) => {
  // Of another planner's task, or a person's: all that the goal needs.
  const work = [workOf(taskId) ?? workFor(seen.intent)].flat();
  const isRefused = work.includes('write') && !isWritten(seen);
  const report = json('Reports what the results show.', 'executor-response', {
    summary: writeReport(work, seen) || work.map(kind => describe(kind, seen)).join('; '),
    taskCompleted: !isRefused && nextCalls(work, seen).length === 0,
    shouldContinue: false,
    nextAction: isRefused ? 'skip' : null,
  });
  return callsFor(work, tools, seen) ?? report;
};

/** Calls for what is still lacking; null where there is none. */
function callsFor(work: readonly Work[], tools: string[], seen: Seen, text?: string): Reply | null {
  const content = text ?? writeAnswer(seen);
  const calls = nextCalls(work, seen).flatMap(({ use, path }) => {
    const name = toolFor(use, tools);
    return name === undefined ? [] : [{ name, arguments: argumentsFor(name, path, content) }];
  });
  return calls.length > 0 ? callsReply(calls, seen) : null;
}

function callsReply(calls: Reply['calls'], { words }: Seen): Reply {
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  return { thought: 'Calls tools for what is missing.', text: words.calls(names, calls.length), calls };
}

/** Sends the work back while a further call can bring something; else answers. */
const verdict: Rule = (conversation, seen) => {
  const gaps = missing(seen);
  const lacks = [
    ...gaps.map(work => `${describe(work, seen)}: ${nextCalls([work], seen).map(({ path }) => path)}`),
    ...(isWritten(seen) ? [] : [describe('write', seen)]),
    ...(seen.intent.unserved === null ? [] : [seen.words.label]),
  ];
  const isOpen = (id: string) => gaps.some(work => work === workOf(id));
  const tasks = tasksIn(conversation).map(id => ({ id, completed: !isOpen(id), feedback: '' }));
  return json('Checks by rules what the results cover.', 'verifier-response', {
    allCompleted: gaps.length === 0,
    userNeedsSatisfied: lacks.length === 0,
    overallFeedback: lacks[0] ?? '',
    summary: writeAnswer(seen),
    improvements: lacks,
    tasks,
  });
};

/** By how much there is to find out: one thing, or several. */
const choice: Rule = (_conversation, { intent }) => {
  const { length } = workFor(intent);
  const reason = `The goal takes ${length} kind${length === 1 ? '' : 's'} of work with files.`;
  const mode = length < 2 || intent.unserved !== null ? 'react' : 'team';
  return json(reason, 'selector-response', { mode, reason });
};

/** The answer, of whoever works alone, or where the work ended before it was verified. */
function answer({ instructions, tools }: Conversation, seen: Seen): Reply {
  const ends = Object.values(BUILT_IN_WORDS).map(({ wrapUp }) => new RegExp(filled(wrapUp)));
  const why = ends.map(end => end.exec(instructions.at(-1) ?? '')?.groups?.why).find(Boolean);
  const text = writeAnswer(seen, why && missing(seen).length > 0 ? seen.words.early(why) : '');
  const wanted = callsFor(workFor(seen.intent), tools, seen);
  return wanted ?? { thought: 'Answers from what there is.', text, calls: [] };
}

const AGENT = 'search';
/** As the run lists agents: what it says of one stands in brackets. */
const IN_LIST = new RegExp(`^- ${AGENT}(?: \\(.*\\))?: `, 'm');
const PLAN = 'task_plan';

/** Who leads has the pieces of the work done by agents that search, and puts their texts together. */
const text: Rule = (conversation, seen) => {
  const { instructions, tools, calls } = conversation;
  const pieces = workFor(seen.intent).filter(work => work !== 'write');
  const hasAgent = tools.includes('call_subagent') && instructions.some(said => IN_LIST.test(said));
  if (!hasAgent || pieces.length < 2) return answer(conversation, seen);
  const given = pieces.map(work => describe(work, seen));
  const resultOf = (asked: string) => calls.find(({ args }) => args.instruction === asked)?.text;
  const content = given.map(instruction => `- ${AGENT}: ${instruction}`).join('\n');
  const note = { name: 'create_artifact', arguments: { id: PLAN, type: PLAN, title: PLAN, content } };
  const isNoted = calls.some(call => call.name === note.name) || !tools.includes(note.name);
  if (!isNoted) return callsReply([note], seen);
  const open = given.filter(instruction => resultOf(instruction) === undefined);
  const name = 'call_subagent';
  const handed = open.map(instruction => ({ name, arguments: { agent_name: AGENT, instruction } }));
  if (handed.length > 0) return callsReply(handed, seen);
  const found = given.map(instruction => resultOf(instruction)?.replace(/^\*.*\*\n\n/, '') ?? '');
  const whole = labelled(seen, writtenNote(seen), ...found);
  const writes = callsFor(['write'], tools, seen, whole);
  return writes ?? { thought: 'Puts the texts of the agents together.', text: whole, calls: [] };
};

const CONTROL_WORDS: Readonly<Record<Control, string>> = {
  pause: 'pause|wait|hold on|stop for a (?:moment|minute|while)|暂停|等一下|等等',
  cancel: 'stop|cancel|abort|quit|停止|停下|停|取消|终止|结束',
  continue: 'continue|resume|go on|carry on|go ahead|继续|接着|恢复',
  status: '(?:show (?:me )?)?(?:the )?(?:status|progress)|how far are you|(?:查看)?(?:状态|进度)',
};
const POLITE = [
  '(?:ok |now |please |请|先)*',
  '(?: (?:it|this|now|please|here|the run)|运行|任务|一下|吧|了)*',
];
const NO_CONTEXT = { needsCurrentTaskContext: false, needsExecutionHistory: false, referencedEntities: [] };

/** Only a message that is a control instruction and nothing else is taken for one: any other is a note to the roles. */
const steer: Rule = ({ form, instructions }) => {
  const instruction = instructions.at(-1) ?? '';
  const goal = tagged(instruction, 'user_answer') || tagged(instruction, 'user_message') || '?';
  const patternOf = (word: Control) => `^${POLITE.join(`(?:${CONTROL_WORDS[word]})`)}[.!?。！？ ]*$`;
  const control = CONTROLS.find(word => new RegExp(patternOf(word), 'i').test(goal.replaceAll(',', '')));
  const reason = control ? `The message says ${control}.` : 'A note changes nothing in the plan.';
  if (form === 'route') {
    const payload = { reason, requiresConfirmation: false, ...(control && { control }) };
    const way = control ? 'control_action' : 'continue_execution';
    return json(reason, 'router-response', { route: way, payload });
  }
  // As the table in core/steering/route.ts takes it.
  const action = control === 'status' ? 'query' : (control ?? 'modify');
  const scope = control ? 'meta_control' : 'partial_task';
  const type = control ? 'control_instruction' : 'same_task_no_change';
  return json(reason, 'understanding-response', {
    normalizedIntent: { goal, action, scope, urgency: 'medium' },
    taskRelation: { type, confidence: control ? 95 : 75, reasoning: reason },
    contextDependency: NO_CONTEXT,
  });
};

/** What a reviewer or an orchestrator is asked: a person has to decide, where one is there. */
const review: Rule = () => {
  const message = `${WORDS.en.label} Rules can neither review nor tell how to go on.`;
  const params = { message, suggestion: 'Decide yourself, or use a real model for this role.' };
  return { thought: message, text: JSON.stringify({ action: 'ESCALATE', params }), calls: [] };
};

const STEERING = { intent: steer, route: steer, review, orchestration: review };
const RULES: Record<Conversation['form'], Rule> = { plan, execution, verdict, text, choice, ...STEERING };
