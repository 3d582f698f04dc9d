import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import {
  confirmationReasons,
  type EnvelopeMeta,
  envelopeToolCall,
  NO_ENVELOPE,
  readMeta,
} from '../../../../src/run/outputs/envelope.js';
import { Faults, number, readFields, SCALES } from '../../../../src/run/outputs/fields.js';
import { ENVELOPE_FIELDS, isEnvelope } from '../../../../src/run/outputs/role-form.js';
import { ERROR_TYPES, readSpecial, specialText } from '../../../../src/run/outputs/special-output.js';

const WHOLE = {
  thought: 'The user wants a count.',
  action: 'TASK_PLAN',
  params: { tasks: [] },
  expectedOutcome: 'A list of tasks',
  risk: { level: 'low', description: 'The plan may be wrong', mitigation: 'Review it' },
  confidence: 90,
};

describe('readMeta', () => {
  it('G9 readMeta: all fields, the optional ones too → as they are', () => {
    const full = {
      ...WHOLE,
      alternativeActions: ['ask'],
      requiresUserConfirmation: true,
      userMessage: 'I plan.',
    };
    const { params: _params, ...meta } = full;
    expect(readMeta(full)).toEqual({ meta: { dialect: 'envelope', ...meta }, errors: [] });
  });

  it('G11 readMeta: every subset of the six fields → one sentence for each that lacks', () => {
    for (let mask = 0; mask < 2 ** ENVELOPE_FIELDS.length; mask += 1) {
      const left = ENVELOPE_FIELDS.filter((_, index) => (mask >> index) % 2 === 1);
      const json = Object.fromEntries(left.map(field => [field, WHOLE[field]]));
      const { meta, errors } = readMeta(json);
      const absent = ENVELOPE_FIELDS.filter(field => !left.includes(field));
      expect(errors).toHaveLength(absent.length);
      for (const field of absent) expect(errors.join()).toContain(`\`${field}\` must be`);
      for (const [field, value] of Object.entries(meta))
        if (absent.some(name => name === field)) expect(value).toBeNull();
    }
  });

  it.each([
    [{ thought: 5 }, '`thought` must be a non-empty string, got 5.'],
    [{ action: ' ' }, '`action` must be a non-empty string, got "".'],
    [{ params: [] }, '`params` must be an object, got an empty array.'],
    [{ expectedOutcome: null }, '`expectedOutcome` must be a non-empty string, got null.'],
    [{ risk: 'low' }, '`risk` must be an object { level, description }, got "low".'],
    [
      { risk: { level: 'huge', description: 'd' } },
      '`risk.level` must be one of low, medium, high, got "huge".',
    ],
    [{ risk: { level: 'low' } }, '`risk.description` must be a non-empty string, got nothing.'],
    [{ confidence: 101 }, '`confidence` must be a whole number from 0 to 100, got 101.'],
    [{ confidence: -1 }, '`confidence` must be a whole number from 0 to 100, got -1.'],
    [{ confidence: 'high' }, '`confidence` must be a whole number from 0 to 100, got "high".'],
    [{ confidence: 0.85 }, '`confidence` must be a whole number from 0 to 100, got 0.85.'],
  ])('G11 readMeta: %j → %s', (change, error) => {
    expect(readMeta({ ...WHOLE, ...change }).errors).toEqual([error]);
  });

  it('G11 readMeta: any JSON → plain data, with errors where a field lacks', () => {
    const key = fc.constantFrom(...ENVELOPE_FIELDS, 'userMessage', 'alternativeActions');
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), json => {
        const read = readMeta(json);
        expect(JSON.parse(JSON.stringify(read))).toEqual(read);
        if (read.meta.risk === null) expect(read.errors.length).toBeGreaterThan(0);
      }),
    );
  });
});

function confidencePercent(value: unknown, scale: 'share' | 'percent'): number | null {
  return readFields({ read: number({ soft: true }, SCALES[scale]) }, { read: value }, new Faults()).read;
}

describe('confidence', () => {
  it.each([
    ['share', 0.7, 70],
    ['share', 0.57, 57],
    ['share', 0.29, 29],
    ['share', 0.7000000001, 70.00000001],
    ['share', 0.6999999999, 69.99999999],
    ['share', 1, 100],
    ['share', 0, 0],
    ['share', -0, 0],
    ['percent', -0, 0],
    ['share', '0.85', 85],
    ['share', 85, 85],
    ['share', 1.5, 1.5],
    ['share', 100.1, null],
    ['share', -0.1, null],
    ['share', 'sure', null],
    ['share', undefined, null],
    ['percent', 70, 70],
    ['percent', 1, 1],
    ['percent', 0, 0],
    ['percent', 100, 100],
    ['percent', 0.7, null],
    ['percent', 101, null],
    ['percent', null, null],
  ] as const)('C19 confidence: %s %j → %j', (scale, value, percent) => {
    expect(confidencePercent(value, scale)).toBe(percent);
  });

  it('C19 confidence: any share → 0 to 100, and in the order of the shares', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (a, b) => {
        const [x, y] = [confidencePercent(a, 'share') ?? -1, confidencePercent(b, 'share') ?? -1];
        expect(x >= 0 && x <= 100).toBe(true);
        if (a < b) expect(x).toBeLessThanOrEqual(y);
      }),
    );
  });
});

describe('isEnvelope', () => {
  it.each([
    [WHOLE, true],
    [{ action: 'x', params: {} }, true],
    [{ thought: 't', action: 'x', confidence: 1 }, true],
    [{ type: 'component', ...WHOLE }, false],
    [{ summary: 's', taskCompleted: true }, false],
    [{ summary: 's', action: 'done', confidence: 1 }, false],
    [{ jsonrpc: '2.0', method: 'm', params: {} }, false],
    [{}, false],
  ])('C1 isEnvelope: %j → %j', (json, envelope) => {
    expect(isEnvelope(json)).toBe(envelope);
  });
});

describe('confirmationReasons', () => {
  const LEVELS = [null, 'low', 'medium', 'high'] as const;
  const CONFIDENCES = [null, 0, 69.99, 70, 70.01, 100];

  it('F22 confirmationReasons: every combination → a reason each for being asked, high risk, below 70', () => {
    for (const level of LEVELS) {
      for (const confidence of CONFIDENCES) {
        for (const requiresUserConfirmation of [true, false]) {
          const risk = level === null ? null : { level, description: 'd' };
          const meta: EnvelopeMeta = { ...NO_ENVELOPE, risk, confidence, requiresUserConfirmation };
          const expected =
            Number(requiresUserConfirmation) +
            Number(level === 'high') +
            Number(confidence !== null && confidence < 70);
          expect([level, confidence, confirmationReasons(meta, BUILT_IN_WORDS.en).length]).toEqual([
            level,
            confidence,
            expected,
          ]);
        }
      }
    }
  });

  it('F22 confirmationReasons: high risk with a mitigation → the mitigation is shown', () => {
    const risk = { level: 'high', description: 'Deletes files', mitigation: 'A copy is kept' } as const;
    expect(confirmationReasons({ ...NO_ENVELOPE, risk }, BUILT_IN_WORDS.en)).toEqual([
      'High risk: Deletes files. Mitigation: A copy is kept',
    ]);
  });
});

describe('envelopeToolCall', () => {
  const offered = ['read_file', 'CLARIFICATION'];
  it.each([
    [
      { ...WHOLE, action: 'read_file', params: { path: 'a' } },
      { name: 'read_file', input: { path: 'a' }, expectedOutcome: 'A list of tasks' },
    ],
    [{ action: 'read_file' }, { name: 'read_file', input: {}, expectedOutcome: null }],
    [{ action: 'read_file', params: 'a' }, null],
    [{ action: 'Read_File', params: {} }, null],
    [{ action: 'COMPLETE', params: {} }, null],
    [{ type: 'component', action: 'read_file', params: {} }, null],
    [{ params: {} }, null],
  ])('F19 envelopeToolCall: %j → %j', (json, call) => {
    expect(envelopeToolCall(json, offered)).toEqual(call);
  });
});

describe('readSpecial', () => {
  it.each([
    [
      { action: 'CLARIFICATION_REQUIRED', params: { question: ' Which file? ' } },
      { kind: 'clarification', question: 'Which file?' },
    ],
    [
      { action: 'CLARIFICATION_REQUIRED', params: {}, userMessage: 'Which one?' },
      { kind: 'clarification', question: 'Which one?' },
    ],
    [
      { action: 'CLARIFICATION_REQUIRED', question: 'Flat?' },
      { kind: 'clarification', question: 'Flat?' },
    ],
    [{ action: 'CLARIFICATION_REQUIRED', params: {} }, null],
    [
      {
        action: 'ERROR',
        params: { errorType: 'context_missing', message: 'No path', suggestion: 'Give one' },
      },
      { kind: 'error', errorType: 'context_missing', message: 'No path', suggestion: 'Give one' },
    ],
    [
      { action: 'ESCALATE', params: { errorType: 'sad', message: 'Cannot decide' } },
      { kind: 'escalate', errorType: null, message: 'Cannot decide', suggestion: '' },
    ],
    [{ action: 'ERROR', params: { errorType: 'parse_error' } }, null],
    [{ action: 'error', params: { message: 'm' } }, null],
    [{ action: 'TASK_PLAN', params: { question: 'q' } }, null],
    [{}, null],
  ])('F17 G12 readSpecial: %j → %j', (json, special) => {
    expect(readSpecial(json)).toEqual(special);
  });

  it.each(ERROR_TYPES)(
    'E5 specialText: %s without a suggestion → what to do about it, in every language',
    errorType => {
      const read = readSpecial({ action: 'ERROR', params: { errorType, message: 'm' } });
      if (read?.kind !== 'error') throw new Error('it is an error');
      const texts = Object.values(BUILT_IN_WORDS).map(words => [
        specialText(read, words),
        specialText({ ...read, errorType: null }, words),
      ]);
      for (const [advised = '', bare = ''] of texts) {
        expect(advised.startsWith(`${bare} `)).toBe(true);
        expect(specialText({ ...read, suggestion: 'Own.' }, BUILT_IN_WORDS.en)).toBe(
          'The role cannot go on: m Own.',
        );
      }
      expect(new Set(texts.flat()).size).toBe(4);
    },
  );
});
