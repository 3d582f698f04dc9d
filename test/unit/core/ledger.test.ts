import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clearGoal,
  clearTask,
  emptyLedger,
  hash64,
  LEDGER_KEPT,
  type Ledger,
  ledgerKey,
  ledgerSummary,
  lookUp,
  recordCall,
} from '../../../src/core/ledger.js';
import type { ToolContent, ToolEnding } from '../../../src/core/message.js';
import { DEFAULT_TOOL_POLICY, type ToolPolicy } from '../../../src/core/tool.js';

const READ: ToolPolicy = { ...DEFAULT_TOOL_POLICY, readOnly: true, idempotent: true, destructive: false };
const WRITE = DEFAULT_TOOL_POLICY;
const ENDINGS: readonly ToolEnding[] = [
  'executed',
  'reused',
  'invalid',
  'denied',
  'skipped',
  'cancelled',
  'timed_out',
  'unavailable',
  'outcome_unknown',
];

interface CallFields {
  id?: string;
  ending?: ToolEnding;
  content?: ToolContent[];
  isError?: boolean;
  taskId?: string | null;
  policy?: ToolPolicy;
}

function made(ledger: Ledger, name: string, input: Record<string, unknown>, fields: CallFields = {}): void {
  const { id = 'c1', ending = 'executed', content = [{ type: 'text', text: 'x' }], isError = false } = fields;
  const { taskId = 't1', policy = READ } = fields;
  const result = { ending, content, isError };
  recordCall(ledger, { call: { id, name, input }, result, messageId: `m-${id}`, taskId, policy });
}

function found(
  ledger: Ledger,
  name: string,
  input: unknown,
  policy = READ,
  dedupe: 'enforce' | 'advise' | 'off' = 'enforce',
) {
  const hit = lookUp(ledger, name, input, { policy, dedupe });
  return hit === null ? 'nothing' : 'reuse' in hit ? 'reuse' : 'advise';
}

describe('lookUp', () => {
  it('D1 D4 lookUp: same tool and arguments, keys in another order → the entry with its message', () => {
    const ledger = emptyLedger();
    made(ledger, 'read', { path: 'a', options: { head: 1, tail: 2 } }, { id: 'c7' });
    const hit = lookUp(
      ledger,
      'read',
      { options: { tail: 2, head: 1 }, path: 'a' },
      { policy: READ, dedupe: 'enforce' },
    );
    expect(hit).toEqual({
      reuse: {
        toolUseId: 'c7',
        tool: 'read',
        messageId: 'm-c7',
        ending: 'executed',
        isError: false,
        complete: true,
        taskId: 't1',
      },
    });
    expect(found(ledger, 'read', { path: 'b' })).toBe('nothing');
    expect(found(ledger, 'list', { options: { tail: 2, head: 1 }, path: 'a' })).toBe('nothing');
  });

  it.each([
    ['enforce', READ, 'reuse'],
    ['enforce', WRITE, 'advise'],
    ['advise', READ, 'advise'],
    ['advise', WRITE, 'advise'],
    ['off', READ, 'nothing'],
    ['off', WRITE, 'nothing'],
  ] as const)('D2 C32 lookUp: dedupe %s → by the tool', (dedupe, policy, answer) => {
    const ledger = emptyLedger();
    made(ledger, 'tool', {}, { policy });
    expect(found(ledger, 'tool', {}, policy, dedupe)).toBe(answer);
  });

  it('D5 lookUp: cache none → never kept, never found', () => {
    const ledger = emptyLedger();
    const volatile = { ...READ, cache: 'none' as const };
    made(ledger, 'now', {}, { policy: volatile });
    expect(ledger.entries).toEqual({});
    made(ledger, 'now', {});
    expect(found(ledger, 'now', {}, volatile)).toBe('nothing');
  });

  it.each(ENDINGS)('D3 lookUp: a call that ended %s → found only when executed', ending => {
    const ledger = emptyLedger();
    made(ledger, 'read', {}, { ending });
    expect(found(ledger, 'read', {})).toBe(ending === 'executed' ? 'reuse' : 'nothing');
  });

  it.each<[string, CallFields, string]>([
    ['an error', { isError: true }, 'nothing'],
    [
      'a shortened text with its reference',
      { content: [{ type: 'text', text: 'x', ref: 'r', totalBytes: 9 }] },
      'reuse',
    ],
    ['a shortened text without', { content: [{ type: 'text', text: 'x', totalBytes: 9 }] }, 'nothing'],
    ['no content', { content: [] }, 'reuse'],
    ['JSON', { content: [{ type: 'json', value: { totalBytes: 1 } }] }, 'reuse'],
  ])('D3 T17 lookUp: %s → as it says', (_name, fields, answer) => {
    const ledger = emptyLedger();
    made(ledger, 'read', {}, fields);
    expect(found(ledger, 'read', {})).toBe(answer);
  });

  it('D3 lookUp: an error after a good result of the same call → the error counts', () => {
    const ledger = emptyLedger();
    made(ledger, 'read', {});
    made(ledger, 'read', {}, { isError: true });
    expect(found(ledger, 'read', {})).toBe('nothing');
  });
});

describe('recordCall', () => {
  it.each(ENDINGS)(
    'D5 recordCall: a writing call that ended %s → clears what it may have changed',
    ending => {
      const ledger = emptyLedger();
      made(ledger, 'read', {});
      made(ledger, 'write', {}, { policy: WRITE, ending });
      const ran = !['reused', 'invalid', 'denied', 'skipped'].includes(ending);
      expect(found(ledger, 'read', {})).toBe(ran ? 'nothing' : 'reuse');
    },
  );

  it('D5 recordCall: a volatile writing call → clears too', () => {
    const ledger = emptyLedger();
    made(ledger, 'read', {});
    made(ledger, 'write', {}, { policy: { ...WRITE, cache: 'none' } });
    expect(found(ledger, 'read', {})).toBe('nothing');
  });

  it('D6 recordCall: more calls than are kept → the oldest go, a repeated one counts as young', () => {
    const ledger = emptyLedger();
    for (let index = 0; index < LEDGER_KEPT; index += 1) made(ledger, 'read', { index });
    made(ledger, 'read', { index: 0 });
    made(ledger, 'read', { index: LEDGER_KEPT });
    expect(Object.keys(ledger.entries)).toHaveLength(LEDGER_KEPT);
    expect(found(ledger, 'read', { index: 0 })).toBe('reuse');
    expect(found(ledger, 'read', { index: 1 })).toBe('nothing');
  });

  it('D6 ledger: carried as JSON → the same, order included', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), inputs => {
        const ledger = emptyLedger();
        for (const input of inputs) made(ledger, 'read', input);
        const carried: Ledger = JSON.parse(JSON.stringify(ledger));
        expect(Object.entries(carried.entries)).toEqual(Object.entries(ledger.entries));
        for (const input of inputs) expect(found(carried, 'read', input)).toBe('reuse');
      }),
    );
  });
});

describe('clearing', () => {
  it('F2 C33 clearTask: one task is tried again → only its calls are forgotten', () => {
    const ledger = emptyLedger();
    made(ledger, 'read', { path: 'a' }, { taskId: 't1' });
    made(ledger, 'read', { path: 'b' }, { taskId: 't2' });
    clearTask(ledger, 't1');
    expect([found(ledger, 'read', { path: 'a' }), found(ledger, 'read', { path: 'b' })]).toEqual([
      'nothing',
      'reuse',
    ]);
    clearGoal(ledger);
    expect(ledger).toEqual(emptyLedger());
  });
});

describe('ledgerKey', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
  ])('hash64: %j → the published FNV-1a value', (text, hash) => {
    expect(hash64(text)).toBe(hash);
  });

  it('D1 ledgerKey: short arguments → kept as they are; long ones → short keys that differ', () => {
    expect(ledgerKey('read', { path: 'a' })).toBe('read {"path":"a"}');
    const keys = new Set<string>();
    for (let index = 0; index < 2_000; index += 1) {
      const key = ledgerKey('write', { text: `${'long '.repeat(100)}${index}` });
      expect(key.length).toBeLessThan(160);
      keys.add(key);
    }
    expect(keys.size).toBe(2_000);
  });
});

describe('ledgerSummary', () => {
  it('F12 ledgerSummary: the youngest calls, with what there is to use', () => {
    const ledger = emptyLedger();
    made(ledger, 'list', {});
    made(ledger, 'read', { path: 'a' });
    made(ledger, 'read', { path: 'b' }, { isError: true });
    made(ledger, 'read', { path: 'c' }, { ending: 'timed_out' });
    expect(ledgerSummary(ledger, 3)).toBe(
      [
        '- read {"path":"a"}: has its result',
        '- read {"path":"b"}: gave an error',
        '- read {"path":"c"}: timed_out',
      ].join('\n'),
    );
    expect(ledgerSummary(ledger, 0)).toBe('');
    expect(ledgerSummary(emptyLedger(), 5)).toBe('');
  });
});
