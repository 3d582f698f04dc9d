import { describe, expect, test } from 'vitest';
import { parseRoleOutput } from '../../../src/core/outputs/parse-output.js';
import { intentBrief, routeBrief } from '../../../src/core/prompts/steering-briefs.js';
import { BUILT_IN_WORDS } from '../../../src/core/prompts/words.js';
import type { Steering } from '../../../src/core/state/place.js';
import { newSteering } from '../../../src/core/state/place.js';
import { newRunState } from '../../../src/core/state/run-state.js';
import { decideRoute } from '../../../src/core/steering/route.js';
import { readConversation } from '../../../src/rehearsal/conversation.js';
import { replyFor } from '../../../src/rehearsal/roles.js';
import { controlIn } from '../../../src/rehearsal/steering-rules.js';

const state = newRunState('Count the lines', { mode: 'team', workspace: '/w', autoApprove: false }, 0);

function steering(text: string, answers: string[] = []): Steering {
  const item = { id: 's1', kind: 'steer', text, when: 'skip', to: null, at: 1 } as const;
  return { ...newSteering([item], 'executor'), answers };
}

function answer(form: string, brief: string): string {
  const response_format = { type: 'json_schema', json_schema: { name: form, schema: {} } } as const;
  const messages = [{ role: 'user' as const, content: brief }];
  return replyFor(readConversation({ model: 'rules', messages, response_format })).text;
}

/** What the run does with a message: both roles by their rules, then the table of the core. */
function routed(text: string, options: { idle?: boolean; answers?: string[] } = {}) {
  const given = steering(text, options.answers);
  const intent = parseRoleOutput('intent', answer('intent', intentBrief(state, given)));
  const proposal = parseRoleOutput('route', answer('route', routeBrief(state, given)));
  if (!intent.ok || !proposal.ok) throw new Error('a rule gave an output that is not right');
  return decideRoute({
    intent: intent.value,
    proposal: proposal.value,
    clarification: null,
    concerns: [],
    idle: options.idle ?? false,
    paused: false,
    hasPlan: true,
    words: BUILT_IN_WORDS.en,
  });
}

describe('rehearsal: steering', () => {
  test.each([
    ['stop', 'cancel'],
    ['Please stop the run now!', 'cancel'],
    ['停止', 'cancel'],
    ['请取消任务吧。', 'cancel'],
    ['Pause, please', 'pause'],
    ['pause please', 'pause'],
    ['Stop for a moment.', 'pause'],
    ['暂停一下', 'pause'],
    ['OK, go on with it', 'continue'],
    ['继续', 'continue'],
    ['Status?', 'status'],
    ['show me the progress', 'status'],
    ['进度怎么样？', 'status'],
    ['Stop counting tests and look at src only', null],
    ['continue with the headings', null],
    ['停止统计测试文件', null],
    ['', null],
  ] as const)(
    'message "%s" → control %s: only what is a control instruction and no more',
    (text, control) => {
      expect(controlIn(text)).toBe(control);
    },
  );

  test.each([
    ['stop', 'cancel'],
    ['wait', 'pause'],
    ['继续', 'continue'],
    ['状态', 'status'],
  ] as const)('message "%s" → the run obeys without asking (F15, F16)', (text, control) => {
    expect(routed(text)).toMatchObject({ act: 'control', control, confirm: false });
  });

  test('any other message → a note to the roles, nothing asked; idle → the next goal (F16)', () => {
    expect(routed('Look at src only')).toMatchObject({ act: 'continue', confirm: false });
    expect(routed('只看 src 目录')).toMatchObject({ act: 'continue' });
    expect(routed('Now the headings', { idle: true })).toMatchObject({ act: 'next_goal' });
    expect(routed('stop', { idle: true })).toMatchObject({ act: 'control', control: 'cancel' });
  });

  test('user was asked → the answer counts, not the message', () => {
    expect(routed('hm', { answers: ['pause'] })).toMatchObject({ act: 'control', control: 'pause' });
  });

  test('note → labelled as written by rules, in the language of the message', () => {
    const said = (text: string) =>
      parseRoleOutput('intent', answer('intent', intentBrief(state, steering(text)))).envelope.userMessage;
    expect(said('Look at src only')).toContain('Rehearsal model: rules, not intelligence.');
    expect(said('只看 src')).toContain('演练模型');
  });

  test.each(['review', 'orchestration'] as const)('%s → leaves it to a person, decides nothing', form => {
    expect(parseRoleOutput(form, answer(form, 'Review this.'))).toMatchObject({
      ok: false,
      value: null,
      special: { kind: 'escalate' },
    });
  });
});
