/** Replies of the roles that steer a run, and envelopes around those of all, right ones and broken ones. */

import type { OutputContract } from '../../src/run/outputs/contracts.js';
import { choicesOf } from '../../src/run/position/modes.js';
import { DECLARED } from './declared.js';
import type { Random } from './random.js';

export const TASK_IDS = ['t1', 't2', 't3', 't4', 't5', '6'] as const;

export type SteeringContract = Extract<
  OutputContract,
  'intent' | 'route' | 'review' | 'orchestration' | 'choice'
>;

export function steeringOutput(random: Random, contract: SteeringContract): Record<string, unknown> {
  switch (contract) {
    case 'intent':
      return intent(random);
    case 'route':
      return route(random);
    case 'review':
      return review(random);
    case 'orchestration':
      return orchestration(random);
    case 'choice':
      return { mode: random.pick([...choicesOf(DECLARED), 'best']), reason: 'So it seems.' };
  }
}

function intent(random: Random): Record<string, unknown> {
  return {
    normalizedIntent: {
      goal: 'What was said',
      action: random.pick(['create', 'modify', 'query', 'cancel', 'continue', 'clarify', 'dance']),
      scope: 'full_task',
      urgency: 'low',
    },
    taskRelation: {
      type: random.weighted([
        [4, 'same_task_no_change'],
        [3, 'same_task_minor_change'],
        [2, 'same_task_major_change'],
        [2, 'different_task'],
        [2, 'control_instruction'],
      ] as const),
      confidence: random.pick([0.9, 0.95, 1, 0.7, 0.2, null]),
      reasoning: '',
    },
    contextDependency: {
      needsCurrentTaskContext: true,
      needsExecutionHistory: false,
      referencedEntities: [],
    },
  };
}

function route(random: Random): Record<string, unknown> {
  return {
    route: random.pick([
      'continue_execution',
      'minor_replan',
      'full_replan',
      'new_task',
      'control_action',
      'wait_user_decision',
    ]),
    payload: {
      reason: 'So it seems.',
      requiresConfirmation: random.chance(0.3),
      ...(random.chance(0.3) ? { control: random.pick(['pause', 'continue', 'cancel', 'status']) } : {}),
    },
  };
}

function review(random: Random): Record<string, unknown> {
  const approved = random.chance(0.6);
  return {
    approved,
    score: random.int(0, 100),
    feedback: 'Seen.',
    requiredFixes: approved && random.chance(0.9) ? [] : random.pick([['Mend it.'], []]),
  };
}

function orchestration(random: Random): Record<string, unknown> {
  const reason = 'It failed.';
  return random.pick([
    {
      action: 'PHASE_TRANSITION',
      to: random.pick(['planning', 'verification', 'wrap_up', 'execution']),
      reason,
    },
    {
      action: 'RESOURCE_ALLOCATE',
      resource: random.pick(['rounds', 'turns', 'tokens', 'model']),
      target: random.pick([...TASK_IDS, 'executor']),
      amount: random.pick([3, 50]),
      model: random.pick(['p/b', 'x/y']),
      reason,
    },
    {
      action: 'EXCEPTION_HANDLE',
      handling: random.pick(['retry', 'retry', 'skip', 'replan', 'ask_user', 'stop']),
      taskId: random.pick(TASK_IDS),
      reason,
    },
  ]);
}

const ACTIONS: Partial<Record<OutputContract, string>> = {
  plan: 'TASK_PLAN',
  execution: 'COMPLETE',
  verdict: 'VERIFICATION_RESULT',
  intent: 'INTENT_ANALYSIS',
  route: 'ROUTE_DECISION',
  review: 'REVIEW_RESULT',
};

/** The output in an envelope: whole, or with a field missing. */
export function enveloped(
  random: Random,
  contract: OutputContract,
  output: Record<string, unknown>,
): Record<string, unknown> {
  const { action, ...params } = output;
  const envelope: Record<string, unknown> = {
    thought: 'I think.',
    action: ACTIONS[contract] ?? action ?? 'ANSWER',
    params,
    expectedOutcome: 'It works.',
    risk: random.weighted([
      [6, { level: 'low', description: 'None.' }],
      [1, { level: 'high', description: 'Much.' }],
      [1, { level: 'high', description: 'Much.', mitigation: 'A copy.' }],
    ]),
    confidence: random.pick([90, 100, 75, 30]),
    requiresUserConfirmation: random.chance(0.1),
    ...(random.chance(0.2) ? { userMessage: 'This is so.' } : {}),
  };
  if (random.chance(0.1)) delete envelope[random.pick(['thought', 'risk', 'confidence', 'params'])];
  return envelope;
}

/** A role that can not go on. */
export function specialReply(random: Random): Record<string, unknown> {
  return random.pick([
    { action: 'CLARIFICATION_REQUIRED', params: { question: 'Which of the two?' }, thought: 'Hm.' },
    { action: 'ERROR', params: { errorType: 'context_missing', message: 'It is not there.' } },
    { action: 'ESCALATE', params: { message: 'A person must say.', suggestion: 'Say it.' } },
  ]);
}
