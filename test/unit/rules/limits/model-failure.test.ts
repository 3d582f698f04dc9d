import { describe, expect, it, test } from 'vitest';
import {
  answersAfter,
  declined,
  isLasting,
  isOfRequest,
  lostForGood,
  MODEL_RESCHEDULES,
  MOST_TRIMS,
  modelFailureDecision,
} from '../../../../src/rules/limits/model-failure.js';
import { type CallFailure, FAILURE } from '../../../../src/run/limits/failure.js';
import type { StopReason } from '../../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../../src/run/messages/message.js';
import { NO_RETRIES } from '../../../../src/run/models/model-use.js';

const failure = (kind: CallFailure['kind'], type = ''): CallFailure => ({ kind, type, message: '' });

describe('modelFailureDecision', () => {
  it.each(Object.values(FAILURE.model).filter(type => type !== FAILURE.model.contextTooLong))(
    'modelFailureDecision: %s → the next model, or the end of the chain',
    type => {
      expect(modelFailureDecision(failure('application', type), { ...NO_RETRIES, hasNextModel: true })).toBe(
        'next_model',
      );
      expect(modelFailureDecision(failure('application', type), { ...NO_RETRIES, hasNextModel: false })).toBe(
        'fail',
      );
    },
  );

  it.each([
    [failure('lost'), 'reschedule'],
    [failure('lost', FAILURE.stateUnavailable), 'reschedule'],
    [failure('lost', FAILURE.workerShutdown), 'reschedule'],
    [failure('application', FAILURE.model.contextTooLong), 'compact'],
    [failure('application', 'TypeError'), 'fail'],
    [failure('application', 'model.never_heard_of'), 'fail'],
    [failure('application', ''), 'fail'],
    [failure('cancelled'), 'fail'],
  ])('modelFailureDecision: %j → %s, whatever the chain has', (given, decision) => {
    expect(modelFailureDecision(given, { ...NO_RETRIES, hasNextModel: true })).toBe(decision);
    expect(modelFailureDecision(given, { ...NO_RETRIES, hasNextModel: false })).toBe(decision);
  });
});

describe('modelFailureDecision, again and again', () => {
  const lost = { hasNextModel: true, lost: MODEL_RESCHEDULES, trims: 0 };
  it.each([
    failure('lost'),
    failure('lost', FAILURE.stateUnavailable),
    failure('lost', FAILURE.workerShutdown),
  ])('modelFailureDecision: %j ten times in a row → given up, with words (ST7)', given => {
    expect(modelFailureDecision(given, { ...lost, lost: MODEL_RESCHEDULES - 1 })).toBe('reschedule');
    expect(modelFailureDecision(given, lost)).toBe('give_up');
    const failed = lostForGood({ ...given, message: 'no heartbeat' }, MODEL_RESCHEDULES + 1);
    expect(failed).toMatchObject({ type: FAILURE.workerLost });
    expect(failed.message).toMatch(/lost with its worker 11 times in a row.*no heartbeat/);
  });

  it('modelFailureDecision: time limit that the platform found → the next model, or the end (LI3)', () => {
    const given = failure('timedOut');
    expect(modelFailureDecision(given, { ...NO_RETRIES, hasNextModel: true })).toBe('next_model');
    expect(modelFailureDecision(given, { ...NO_RETRIES, hasNextModel: false })).toBe('fail');
  });

  it('modelFailureDecision: context too long however often it is trimmed → the next model, or the end', () => {
    const given = failure('application', FAILURE.model.contextTooLong);
    const trimmed = { lost: 0, trims: MOST_TRIMS };
    expect(modelFailureDecision(given, { ...trimmed, hasNextModel: true })).toBe('next_model');
    expect(modelFailureDecision(given, { ...trimmed, hasNextModel: false })).toBe('fail');
  });
});

describe('answersAfter', () => {
  const all = { found: true, refused: false, canBeCalled: true };
  it.each<[string, CallFailure, Partial<typeof all>, boolean]>([
    ['overloaded, something found', failure('application', FAILURE.model.overloaded), {}, true],
    ['a time limit that the platform found', failure('timedOut'), {}, true],
    ['refused by the model', failure('application', FAILURE.model.refused), {}, true],
    ['nothing found', failure('application', FAILURE.model.overloaded), { found: false }, false],
    ['a person said stop', failure('application', FAILURE.model.overloaded), { refused: true }, false],
    ['every model is out', failure('application', FAILURE.model.auth), { canBeCalled: false }, false],
    ['a lost worker', lostForGood(failure('lost'), 11), {}, false],
    ['a fault of our own', failure('application', 'TypeError'), {}, false],
  ])('answersAfter: %s → %#', (_, failed, given, answers) => {
    expect(answersAfter(failed, { ...all, ...given })).toBe(answers);
  });

  it.each(Object.values(FAILURE.model))('isLasting, isOfRequest: %s → as its reason is', type => {
    const { auth, forbidden, unknownModel, redirected, badRequest, contextTooLong } = FAILURE.model;
    const given = failure('application', type);
    expect(isLasting(given)).toBe(([auth, forbidden, unknownModel, redirected] as string[]).includes(type));
    expect(isOfRequest(given)).toBe(([badRequest, contextTooLong] as string[]).includes(type));
  });
});

describe('declined', () => {
  const reply = (stopReason: StopReason, text = 'I will not.') => ({
    stopReason,
    content: [{ type: 'text' as const, text }],
    usage: { ...NO_USAGE, inputTokens: 7 },
  });

  test.each(['end_turn', 'tool_use', 'max_tokens', 'interrupted'] as const)(
    'declined: a reply that ends with %s → a reply',
    stopReason => expect(declined(reply(stopReason), 'p/a')).toBeNull(),
  );

  test('declined: refusal → model.refused, in the words of the model, with what it used (M13)', () => {
    expect(declined(reply('refusal'), 'p/a')).toMatchObject({
      kind: 'application',
      type: FAILURE.model.refused,
      message: 'p/a declined to answer: "I will not."',
      usage: { inputTokens: 7 },
    });
    expect(declined(reply('refusal', ' '), 'p/a')?.message).toBe('p/a declined to answer.');
  });

  test('declined: content filter → model.content_filter, without the half that came (M13)', () => {
    const failed = declined(reply('content_filter', 'Half'), 'p/a');
    expect(failed).toMatchObject({ type: FAILURE.model.contentFilter, usage: { inputTokens: 7 } });
    expect(failed?.message).not.toContain('Half');
  });
});
