/** What a start's form sends, and its faults by field. */
import { describe, expect, it } from 'vitest';
import { NO_FIELDS, type StartFields, startBody } from '../../../../packages/console/page/home/start-body.js';

const bodyOf = (part: Partial<StartFields>) => startBody({ ...NO_FIELDS, goal: 'Go', ...part });
const plain = { goal: 'Go', attended: true, keepOpenSeconds: 1_800 };

describe('FC7 the form of a start', () => {
  it.each([
    ['nothing but a goal', {}, plain],
    [
      'mode and model',
      { mode: 'react', model: 'openai/gpt-5' },
      { ...plain, mode: 'react', model: 'openai/gpt-5' },
    ],
    [
      'checks, one on each line',
      { checks: ' npm test\n\nnpm run lint ' },
      { ...plain, checks: ['npm test', 'npm run lint'] },
    ],
    [
      'limits, in the units of the form',
      { turns: '20', tokens: '2_000_000', minutes: '1.5', costUsd: '2.5' },
      { ...plain, limits: { turns: 20, tokens: 2_000_000, wallTimeMs: 90_000, costUsd: 2.5 } },
    ],
    ['everything is approved', { approvals: 'all', approvePlan: true }, { ...plain, autoApprove: true }],
    ['nobody is asked', { approvals: 'none' }, { ...plain, attended: false }],
    ['the plan waits', { approvePlan: true }, { ...plain, approvePlan: true }],
    ['another folder', { workspace: '/srv/site' }, { ...plain, workspace: '/srv/site' }],
    ['it does not stay open', { keepOpen: false }, { goal: 'Go', attended: true }],
  ] as [string, Partial<StartFields>, object][])('%s → the request', (_, part, body) => {
    expect(bodyOf(part)).toEqual({ body });
  });

  it.each([
    ['no goal', { goal: ' ' }, { goal: 'faultEmpty' }],
    ['a model without its endpoint', { model: 'gpt-5' }, { model: 'faultModel' }],
    ['a number that can mean two', { tokens: '2,5' }, { tokens: 'faultNumber' }],
    ['a limit of nothing', { turns: '0' }, { turns: 'faultNumber' }],
    ['an empty folder', { workspace: ' ' }, { workspace: 'faultFolder' }],
  ] as [string, Partial<StartFields>, object][])('%s → the field, and nothing is sent', (_, part, faults) => {
    expect(bodyOf(part)).toEqual({ faults });
  });
});
