/** What a start's form sends, and its faults by field. */
import { describe, expect, it } from 'vitest';
import {
  fieldsIn,
  NO_FIELDS,
  refusedField,
  requestIdOf,
  type StartFields,
  startBody,
} from '../../../../packages/console/page/home/start-body.js';
import type { StartAsk } from '../../../../packages/view/frames.js';

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
    ['half a reply', { turns: '2.5' }, { turns: 'faultWhole' }],
    ['half a token', { tokens: '0.5' }, { tokens: 'faultWhole' }],
    ['an empty folder', { workspace: ' ' }, { workspace: 'faultFolder' }],
  ] as [string, Partial<StartFields>, object][])('%s → the field, and nothing is sent', (_, part, faults) => {
    expect(bodyOf(part)).toEqual({ faults });
  });
});

describe('FC7 a start that is made again', () => {
  it.each<[string, Partial<StartFields>]>([
    ['nothing but a goal', {}],
    [
      'all of the form',
      {
        ...{ mode: 'plan', model: 'openai/gpt-5', workspace: '/srv/site', approvePlan: true },
        ...{ checks: 'npm test\nnpm run lint', keepOpen: false },
        ...{ turns: '20', tokens: '2000000', minutes: '1.5', costUsd: '2.5' },
      },
    ],
    ['everything is approved', { approvals: 'all' }],
    ['nobody is asked', { approvals: 'none' }],
  ])('%s → the fields that made its request', (_, part) => {
    const fields: StartFields = { ...NO_FIELDS, goal: 'Go', ...part };
    const made = startBody(fields);
    if ('faults' in made) throw new Error('it is a whole start');
    expect({ goal: 'Go', ...fieldsIn(made.body as unknown as StartAsk) }).toEqual(fields);
  });

  it('a run of the command line that approves everything, with limits that no form has → as far as the form goes', () => {
    const asked = { goal: 'Go', autoApprove: true, limits: { planning: 2, turns: 9 } };
    expect(fieldsIn(asked)).toMatchObject({ approvals: 'all', turns: '9', keepOpen: false });
  });
});

describe('FC7 a start that the server refuses', () => {
  it.each([
    ['an option that is a field', 'workspace', { workspace: { message: 'It is not there.' } }],
    ['an option that the form has not', 'systemMessage', null],
    ['a name that every object has', 'constructor', null],
    ['none', null, null],
  ])('it names %s → the refusal is at that field, or below the form', (_, option, faults) => {
    expect(refusedField(option, 'It is not there.')).toEqual(faults);
  });
});

describe('FC7 the request id of a start', () => {
  const idOf = (part: object) => requestIdOf('word', { goal: 'Go', mode: 'react', ...part });
  const file = (text: string) => ({ files: [{ name: 'a.txt', text }] });

  it('the same start again → the same id, so that it begins no second run', () => {
    expect(idOf(file('1'))).toBe(idOf(file('1')));
  });

  it.each([
    ['another goal', { goal: 'Stay' }],
    ['another mode', { mode: 'team' }],
    ['another model', { model: 'openai/gpt-5' }],
    ['another file of the same length', file('2')],
  ])('the same goal with %s → another id', (_, part) => {
    expect(idOf({ ...file('1'), ...part })).not.toBe(idOf(file('1')));
  });

  it('a start with much → an id that the console takes', () => {
    expect(requestIdOf(crypto.randomUUID(), file('x'.repeat(700_000))).length).toBeLessThan(200);
  });
});
