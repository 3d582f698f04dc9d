/** Replies with neither text nor a call, as some endpoints give them after the results of tools. */
import { describe, expect, test } from 'vitest';
import type { ModelRequestPage } from '../../../../src/rules/prompts/model-request.js';
import type { GateAnswer } from '../../../../src/run/gates/gate.js';
import { textOf } from '../../../../src/run/messages/message.js';
import { modelFacts } from '../../../support/core-values.js';
import { runTeam, type TeamReply } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

interface Given {
  models?: string[];
  answers?: GateAnswer[];
}

async function runReact(replies: readonly TeamReply[], { models = ['p/a'], answers }: Given = {}) {
  const done = await runTeam(replies, {
    settings: { mode: 'react', autoApprove: true, ...(answers && { attended: true }) },
    pinned: {
      roles: { react: testRole('react', { output: 'text' }) },
      models,
      modelInfo: Object.fromEntries(models.map(model => [model, modelFacts(100_000, true)])),
    },
    ...(answers && { answers }),
  });
  return {
    ...done,
    events: (type: string) => done.run.state.log.journal.events.filter(each => each.type === type),
  };
}

const READ: TeamReply = { calls: ['read'] };
const NOTHING: TeamReply = {};
const BLANK: TeamReply = { text: ' \n' };
const ANSWER: TeamReply = { text: 'The file says 42.' };

const lastSaid = (request: ModelRequestPage | undefined) => {
  const last = request?.messages.at(-1);
  return last ? textOf(last) : '';
};

describe('a reply with nothing', () => {
  test.each([
    ['nothing', NOTHING],
    ['blanks', BLANK],
  ])('%s after a result → asked again with its tools, and the work goes on (M14)', async (_what, empty) => {
    const { end, ran, requests, events } = await runReact([READ, empty, { calls: ['put'] }, empty, ANSWER]);
    expect(end).toMatchObject({ outcome: 'answered', answer: 'The file says 42.' });
    expect(ran).toHaveLength(2);
    expect(events('reask')).toHaveLength(2);
    for (const request of [requests[2], requests[4]]) {
      expect(lastSaid(request)).toMatch(/^Your last reply was empty\. .*call a tool/);
      expect(request?.head?.toolChoice).toBe('auto');
    }
  });

  test('nothing again → the next model of the chain goes on, with its tools (M14)', async () => {
    const replies = [READ, NOTHING, NOTHING, { calls: ['put'] }, ANSWER];
    const { end, ran, events } = await runReact(replies, { models: ['p/a', 'p/b'] });
    expect(end).toMatchObject({ outcome: 'answered', answer: 'The file says 42.' });
    expect(ran).toHaveLength(2);
    expect(events('provider_switch')).toMatchObject([{ fromModel: 'p/a', toModel: 'p/b' }]);
  });

  test('nothing again, and no other model → the goal has failed, with what there is as its answer (M14)', async () => {
    const { end } = await runReact([READ, NOTHING, NOTHING, ANSWER]);
    expect(end).toMatchObject({
      outcome: 'failed',
      cause: 'failed:model.bad_response',
      answer: 'The file says 42.',
      failure: { message: 'p/a replied with nothing, and again when it was asked to go on.' },
    });
  });

  test.each([
    ['after a result', [READ, ...Array<TeamReply>(4).fill(NOTHING)]],
    ['from the start', [NOTHING, BLANK]],
  ])('nothing for ever, %s → failed, never answered (M14)', async (_when, replies) => {
    const { end, asked } = await runReact(replies);
    expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:model.bad_response', answer: '' });
    expect(asked).toHaveLength(replies.length);
  });

  test('all its tokens spent on thinking, twice → failed, and said so (M14)', async () => {
    const spent: TeamReply = { stopReason: 'max_tokens' };
    const { end } = await runReact([spent, spent]);
    expect(end).toMatchObject({
      outcome: 'failed',
      failure: { message: expect.stringContaining('before a word of it, twice') },
    });
  });

  test('nothing again, somebody attends → they are asked, and it goes on (M14)', async () => {
    const answers: GateAnswer[] = [{ kind: 'failure', decision: 'retry' }];
    const { end, events } = await runReact([READ, NOTHING, NOTHING, ANSWER], { answers });
    expect(events('gate_opened')).toMatchObject([{ kind: 'failure' }]);
    expect(end).toMatchObject({ outcome: 'answered' });
  });

  test('of an executor → asked again in its form, and it may call tools (M14)', async () => {
    const plan = {
      text: JSON.stringify({
        todos: [{ id: 't1', description: 'Read' }],
        needsMorePlanning: false,
        summary: '',
      }),
    };
    const report = {
      text: JSON.stringify({ taskCompleted: true, nextAction: 'complete', summary: 'It says 42.' }),
    };
    const verdict = {
      text: JSON.stringify({
        allCompleted: true,
        userNeedsSatisfied: true,
        summary: 'It is 42.',
        overallFeedback: '',
        improvements: [],
        tasks: [{ id: 't1', completed: true, feedback: '' }],
      }),
    };
    const replies = [plan, READ, NOTHING, { calls: ['put'] }, report, verdict];
    const { requests, ran, end } = await runTeam(replies, { settings: { autoApprove: true } });
    expect(end.outcome).toBe('completed');
    expect(lastSaid(requests[3])).toMatch(/^Your last reply was empty\. .*call a tool.*\n\{ /);
    expect(ran).toHaveLength(2);
  });
});
