/** Random replies of models: right ones of every flavour, and wrong ones of every kind. */

import type { CallModelResult } from '../../src/activities/types.js';
import type { PinnedRole } from '../../src/run/agents/role.js';
import type { AssistantMessage, TextBlock, ToolUseBlock } from '../../src/run/messages/message.js';
import type { OutputContract } from '../../src/run/outputs/contracts.js';
import { TASK_STATUSES } from '../../src/run/plan/plan.js';
import { CALLS_BESIDE } from './beside.js';
import type { Random } from './random.js';
import type { Scenario } from './scenario.js';
import {
  enveloped,
  type SteeringContract,
  specialReply,
  steeringOutput,
  TASK_IDS,
} from './special-replies.js';
import { typedText } from './typed-answers.js';

const TOOL_NAMES = ['read', 'read', 'read', 'read_result', 'list', 'put', 'edit', 'edit'] as const;
const UNKNOWN_TOOLS = ['raed', 'constructor', '__proto__', ''] as const;

type Content = AssistantMessage['content'];

/** A whole reply. `callsTools`: whether the role was offered tools. */
export function randomReply(
  random: Random,
  scenario: Scenario,
  { output: contract, dialect, agents }: Pick<PinnedRole, 'output' | 'dialect' | 'agents'>,
  callsTools: boolean,
): Pick<CallModelResult, 'content' | 'stopReason' | 'outputText'> {
  const toolRate = callsTools ? scenario.toolAppetite : scenario.oddReplies / 4;
  if (random.chance(toolRate)) {
    const content = [
      ...maybeText(random, scenario),
      ...toolCalls(random, scenario, { output: contract, agents }),
    ];
    return { content, stopReason: random.weighted([[9, 'tool_use'] as const, [1, 'max_tokens'] as const]) };
  }
  if (random.chance(scenario.oddReplies)) return oddReply(random, contract);
  const text =
    contract === 'text'
      ? textAnswer(random, scenario)
      : JSON.stringify(formed(random, contract, { dialect, scenario }), null, 1);
  const huge = hugeReply(random, scenario, contract);
  if (huge !== null) return { content: [{ type: 'text', text: huge }], stopReason: 'end_turn' };
  const content: Content = [{ type: 'text', text: inProse(random, text) + long(random, scenario) }];
  if (random.chance(0.1)) content.unshift({ type: 'reasoning', text: 'Let me think.' });
  const isCut = contract === 'text' && random.chance(0.2);
  return { content, stopReason: isCut ? 'max_tokens' : 'end_turn' };
}

/** Plain, or in an envelope as roles in a form give theirs. */
function textAnswer(random: Random, { settings }: Pick<Scenario, 'settings'>): string {
  const plain = (settings.answer && typedText(random)) ?? 'What was found.';
  if (!random.chance(0.2)) return plain;
  return JSON.stringify(
    random.chance(0.4) ? specialReply(random) : enveloped(random, 'text', { text: plain }),
  );
}

function formed(
  random: Random,
  contract: Exclude<OutputContract, 'text'>,
  { dialect, scenario }: { dialect: PinnedRole['dialect']; scenario: Pick<Scenario, 'independent'> },
): Record<string, unknown> {
  if (dialect === 'component') return alone(output(random, contract), scenario);
  return random.chance(0.08) ? specialReply(random) : enveloped(random, contract, output(random, contract));
}

/** Of tasks that have nothing to do with each other: no plan and no report says that they do. */
function alone(
  said: Record<string, unknown>,
  { independent }: Pick<Scenario, 'independent'>,
): Record<string, unknown> {
  if (!independent) return said;
  const { todos, tasks = todos, executionOrder: _order, ...rest } = said;
  if ('taskCompleted' in said) return rest;
  if (!Array.isArray(tasks) || 'allCompleted' in said) return said;
  return { ...rest, todos: tasks.map(({ id, description }) => ({ id, description, priority: 1 })) };
}

function output(random: Random, contract: Exclude<OutputContract, 'text'>): Record<string, unknown> {
  switch (contract) {
    case 'plan':
      return plan(random);
    case 'execution':
      return execution(random);
    case 'verdict':
      return verdict(random);
    default:
      return steeringOutput(random, contract satisfies SteeringContract);
  }
}

/** As large as a model may write: several reports are over what a message may hold, several tasks over what a plan may. */
function hugeReply(random: Random, scenario: Scenario, contract: OutputContract): string | null {
  if (contract === 'execution' && scenario.longTexts && random.chance(0.1)) {
    const summary = random.pick(['found ', '找到']).repeat(random.int(2_000, 9_000));
    return JSON.stringify({ summary, taskCompleted: true });
  }
  if (contract !== 'plan' || !scenario.longPlans || !random.chance(0.5)) return null;
  const todos = Array.from({ length: random.int(12, 20) }, (_, index) => {
    const description = `Do x${index} ${'and look '.repeat(330)}`;
    return { id: `x${index}`, description, completionCriteria: 'it is there '.repeat(120), priority: 1 };
  });
  return JSON.stringify({ summary: 'A long plan.', needsMorePlanning: random.chance(0.3), todos });
}

function inProse(random: Random, text: string): string {
  return random.weighted([
    [6, text],
    [1, `Here it is:\n\`\`\`json\n${text}\n\`\`\`\nThat is all.`],
    [1, `I think {this} is right: ${text}`],
  ]);
}

function long(random: Random, scenario: Scenario): string {
  if (!scenario.longTexts) return '';
  return `\n${random.pick(['x', 'many words ', '你好'])}`.repeat(random.int(0, 60));
}

function plan(random: Random): Record<string, unknown> {
  const ids = random.some(TASK_IDS, random.pick([0.2, 0.5, 0.9]));
  const todos = ids.map((id, index) => ({
    id: id === '6' ? 6 : id,
    description: `Do ${id}${random.chance(0.2) ? ' otherwise' : ''}`,
    priority: random.pick([1, 2, index + 1, 0.5, '3', null]),
    dependencies: random.some(random.chance(0.15) ? TASK_IDS : ids.slice(0, index), 0.4),
    ...(random.chance(0.3) ? { completionCriteria: 'it is there' } : {}),
    ...(random.chance(0.2)
      ? { requiredCapabilities: [random.pick(['read', 'READ', 'web', 'pictures'])] }
      : {}),
    ...(random.chance(0.3) ? { estimatedDuration: random.pick([1_000, 5_000, 10]) } : {}),
  }));
  return {
    type: 'component',
    component: 'planner-response',
    summary: 'A plan.',
    needsMorePlanning: random.pick([false, false, true, null]),
    [random.chance(0.9) ? 'todos' : 'tasks']: todos,
    ...(random.chance(0.1) ? { executionOrder: [...ids].reverse() } : {}),
  };
}

function execution(random: Random): Record<string, unknown> {
  return {
    type: 'component',
    component: 'executor-response',
    summary: random.weighted([
      [8, 'The file says 42.'],
      [1, 'Done.'],
      [1, ''],
    ]),
    taskCompleted: random.pick([true, true, true, false, null, 'true']),
    shouldContinue: random.pick([true, null, null, false]),
    nextAction: random.pick(['continue', 'complete', 'complete', 'skip', 'retry', null]),
    todos: random
      .some([...TASK_IDS, 'nobody'], random.pick([0, 0, 0.3]))
      .map(id => ({ id, status: random.pick(TASK_STATUSES) })),
  };
}

function verdict(random: Random): Record<string, unknown> {
  const done = random.chance(0.4);
  return {
    type: 'component',
    component: 'verifier-response',
    allCompleted: done || random.chance(0.3),
    userNeedsSatisfied: done || random.chance(0.3),
    overallFeedback: random.pick(['Well.', '']),
    summary: random.weighted([
      [6, 'The files say 42.'],
      [1, 'All tasks are completed.'],
      [1, null],
    ]),
    improvements: done ? null : random.pick([['Read more.'], ['Read more.', 'Write less.'], [], 'One']),
    tasks: random
      .some([...TASK_IDS, 'nobody'], done ? random.pick([1, 1, 0.3]) : 0.3)
      .map(id => ({ id, completed: random.chance(done ? 0.98 : 0.5), feedback: '' })),
  };
}

/** Nothing of what was asked for: prose, cut or broken JSON, JSON of another kind, nothing at all. */
function oddReply(
  random: Random,
  contract: OutputContract,
): Pick<CallModelResult, 'content' | 'stopReason' | 'outputText'> {
  const right = JSON.stringify(contract === 'text' ? {} : output(random, contract));
  const text = random.pick([
    'I did what you asked, and the task is completed.',
    right.slice(0, random.int(1, right.length - 1)),
    right.replaceAll('"', "'"),
    '{"todos": [{"id": "t1", "description": "a"}, {"id": "t1", "description": "b"}]}',
    '{"todos": [{"id": "t1", "description": "a", "dependencies": ["t2"]}, {"id": "t2", "description": "b", "dependencies": ["t1"]}]}',
    '{"todos": [], "needsMorePlanning": true}',
    '{"todos": [], "taskCompleted": "perhaps", "nextAction": "dance", "allCompleted": 1, "tasks": {}}',
    '[1, 2]',
    'null',
    ' \n',
  ]);
  const content: Content = random.chance(0.1) ? [] : [{ type: 'text', text }];
  const stopReason = random.pick(['end_turn', 'max_tokens', 'content_filter', 'refusal'] as const);
  const isMended = random.chance(0.2) && contract !== 'text';
  return isMended ? { content, stopReason, outputText: right } : { content, stopReason };
}

function maybeText(random: Random, scenario: Scenario): TextBlock[] {
  return random.chance(0.4) ? [{ type: 'text', text: `I look.${long(random, scenario)}` }] : [];
}

/** Ids are what endpoints give: the same again, or none. */
function toolCalls(
  random: Random,
  scenario: Scenario,
  { output: contract, agents }: Pick<PinnedRole, 'output' | 'agents'>,
): ToolUseBlock[] {
  const names = scenario.settings.clientTools ? [...TOOL_NAMES, 'ask_shop', 'ask_shop'] : TOOL_NAMES;
  const calls = Array.from(
    { length: random.weighted([[4, 1] as const, [3, 2] as const, [1, 6] as const]) },
    () => {
      if (agents.length > 0 && random.chance(0.5)) return agentCall(random, agents);
      if (contract === 'text' && random.chance(0.15)) return question(random);
      for (const { call } of besideIn(scenario))
        if (random.chance(0.5))
          return { type: 'tool_use' as const, id: random.pick(['', 'call_0']), ...call(random) };
      const call: ToolUseBlock = {
        type: 'tool_use',
        id: random.pick(['', 'call_0', 'call_1']),
        name: toolName(random, names, scenario),
        input: random.chance(0.1)
          ? otherInput(scenario)
          : random.pick([{ path: 'a' }, { path: 'a' }, { path: 'b' }, {}]),
      };
      if (call.name === 'put' && call.input.path === 'b') call.input = { path: 'b', content: 'new' };
      if (!random.chance(0.1)) return call;
      const bad = { ...call, argErrors: ['`path` must be a string.'] };
      return random.chance(0.5) ? { ...bad, input: {}, raw: '{"path": ', argsParseFailed: true } : bad;
    },
  );
  return random.chance(0.3) ? [...reads(random), ...calls] : calls;
}

function toolName(random: Random, names: readonly string[], { isShop, pinned }: Scenario): string {
  if (isShop && random.chance(0.5)) return 'ask_shop';
  if (pinned.tools.some(({ name }) => name === 'order') && random.chance(0.3)) return 'order';
  return random.chance(0.15) ? random.pick(UNKNOWN_TOOLS) : random.pick(names);
}

function question(random: Random): ToolUseBlock {
  const options = random.chance(0.5) ? { options: ['This one.', 'That one.'] } : {};
  const input = { question: `Which of ${random.int(1, 3)}?`, ...options };
  return { type: 'tool_use', id: random.pick(['', 'call_0']), name: 'ask_person', input };
}

function agentCall(random: Random, agents: readonly string[]): ToolUseBlock {
  const agent_name = random.chance(0.1) ? 'nobody' : random.pick(agents);
  const instruction = `Find out piece ${random.int(1, 1_000_000)}.`;
  return { type: 'tool_use', id: '', name: 'call_subagent', input: { agent_name, instruction } };
}

/** What may run at the same time. */
function reads(random: Random): ToolUseBlock[] {
  return ['a', 'b', 'c', 'a'].map(path => ({
    type: 'tool_use',
    id: '',
    name: random.pick(['read', 'list']),
    input: { path },
  }));
}

function besideIn({ pinned }: Scenario) {
  return CALLS_BESIDE.filter(({ tool }) => pinned.tools.some(({ name }) => name === tool));
}

/** Nested, or too large to travel with its activity. */
function otherInput(scenario: Scenario): Record<string, unknown> {
  return scenario.longTexts ? { text: 'y'.repeat(1_030) } : { path: 'c', deep: [{ n: 1 }] };
}

/** The part of a reply that had come when it was interrupted: without tool calls. */
export function partialReply(random: Random): Pick<CallModelResult, 'content' | 'stopReason'> {
  return {
    content: random.chance(0.3) ? [] : [{ type: 'text', text: 'I had just begun' }],
    stopReason: 'interrupted',
  };
}
