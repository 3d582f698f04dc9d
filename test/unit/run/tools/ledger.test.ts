import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolContent, ToolEnding } from '../../../../src/run/messages/message.js';
import {
  emptyLedger,
  forgetAll,
  forgetDoubtful,
  hash64,
  LEDGER_KEPT,
  type Ledger,
  ledgerKey,
  lookUp,
  recordCall,
  validResults,
} from '../../../../src/run/tools/ledger.js';
import { DEFAULT_TOOL_POLICY, type ToolPolicy } from '../../../../src/run/tools/tool.js';

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
  policy?: ToolPolicy;
}

function made(ledger: Ledger, name: string, input: Record<string, unknown>, fields: CallFields = {}): void {
  const { id = 'c1', ending = 'executed', content = [{ type: 'text', text: 'x' }], isError = false } = fields;
  const { policy = READ } = fields;
  const result = { ending, content, isError };
  recordCall(ledger, {
    call: { id, name, input },
    result,
    messageId: `m-${id}`,
    policy,
    workspace: '/w',
    now: 0,
  });
}

function found(
  ledger: Ledger,
  name: string,
  input: unknown,
  policy = READ,
  dedupe: 'enforce' | 'advise' | 'off' = 'enforce',
  now = 0,
) {
  const hit = lookUp(ledger, name, input, { policy, dedupe, now });
  return hit === null ? 'nothing' : 'reuse' in hit ? 'reuse' : 'advise';
}

describe('lookUp', () => {
  it('D5 lookUp: a tool with a time to live → given again until it is over, and not listed as held', () => {
    const ledger = emptyLedger();
    const policy = { ...READ, cacheTtlMs: 100 };
    made(ledger, 'price', { of: 'a' }, { policy });
    expect(found(ledger, 'price', { of: 'a' }, policy, 'enforce', 99)).toBe('reuse');
    expect(found(ledger, 'price', { of: 'a' }, policy, 'enforce', 100)).toBe('nothing');
    expect(validResults(ledger, 9)).toBe('');
  });

  it('D1 D4 lookUp: same tool and arguments, keys in another order → the entry with its message', () => {
    const ledger = emptyLedger();
    made(ledger, 'read', { path: 'a', options: { head: 1, tail: 2 } }, { id: 'c7' });
    const hit = lookUp(
      ledger,
      'read',
      { options: { tail: 2, head: 1 }, path: 'a' },
      { policy: READ, dedupe: 'enforce', now: 0 },
    );
    expect(hit).toEqual({
      reuse: {
        toolUseId: 'c7',
        tool: 'read',
        messageId: 'm-c7',
        ending: 'executed',
        isError: false,
        complete: true,
        isStub: false,
        paths: ['/w/a'],
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
  ] as const)('D2 lookUp: dedupe %s → by the tool', (dedupe, policy, answer) => {
    const ledger = emptyLedger();
    made(ledger, 'tool', {}, { policy });
    expect(found(ledger, 'tool', {}, policy, dedupe)).toBe(answer);
  });

  it('C33 D5 lookUp: cache none → never kept, never found', () => {
    const ledger = emptyLedger();
    const volatile = { ...READ, cache: 'none' as const };
    made(ledger, 'now', {}, { policy: volatile });
    expect(ledger.entries).toEqual({});
    made(ledger, 'now', {});
    expect(found(ledger, 'now', {}, volatile)).toBe('nothing');
  });

  it.each(ENDINGS)('C33 D3 lookUp: a call that ended %s → found only when executed', ending => {
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
  ])('C33 D3 T17 lookUp: %s → as it says', (_name, fields, answer) => {
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
      const ran = !['reused', 'denied', 'skipped'].includes(ending);
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

describe('what a write leaves (OU12, D5)', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['another file', { path: 'b.txt' }, { path: 'a.txt' }, 'reuse'],
    ['the same file', { path: 'a.txt' }, { path: 'a.txt' }, 'nothing'],
    ['the same file, written otherwise', { path: '/w/x/../A.txt' }, { path: './a.txt' }, 'nothing'],
    ['a file in the folder that was listed', { path: 'src/a.txt' }, { path: 'src' }, 'nothing'],
    ['the folder of the file that was read', { path: 'src' }, { path: 'src/a.txt' }, 'nothing'],
    ['a file beside a folder of the same beginning', { path: 'src2/a' }, { path: 'src' }, 'reuse'],
    ['two files, one of which was read', { source: 'b', destination: 'a' }, { path: 'a' }, 'nothing'],
    ['one of several files that were read', { path: 'b' }, { paths: ['a', 'b'] }, 'nothing'],
    ['nothing that it names', { text: 'x' }, { path: 'a' }, 'nothing'],
    ['a file, and a command beside it', { path: 'b', command: 'rm a' }, { path: 'a' }, 'nothing'],
    ['a file, and a read that names none', { path: 'b' }, { query: 'x' }, 'nothing'],
    ['an address', { path: 'https://x/b' }, { path: 'a' }, 'nothing'],
    ['a file, and another by a name of its own', { path: 'b', newPath: 'a' }, { path: 'a' }, 'nothing'],
    ['a file to a place', { file: 'b', to: 'a' }, { path: 'a' }, 'nothing'],
  ])('recordCall: a write of %s → the earlier read as it says', (_, written, read, answer) => {
    const ledger = emptyLedger();
    made(ledger, 'read', read);
    made(ledger, 'write', written, { policy: WRITE });
    expect(found(ledger, 'read', read)).toBe(answer);
  });
});

describe('clearing', () => {
  it('D7 a tool whose results last → given again after a goal, a message and a write, but not after a retry', () => {
    const ledger = emptyLedger();
    const lasting: ToolPolicy = { ...READ, cache: 'conversation' };
    made(ledger, 'fetch', { url: 'a' }, { policy: lasting });
    made(ledger, 'read', { path: 'b' });
    forgetDoubtful(ledger);
    made(ledger, 'write', {}, { policy: { ...READ, readOnly: false } });
    expect(found(ledger, 'fetch', { url: 'a' }, lasting)).toBe('reuse');
    expect(found(ledger, 'read', { path: 'b' })).toBe('nothing');
    forgetAll(ledger);
    expect(found(ledger, 'fetch', { url: 'a' }, lasting)).toBe('nothing');
  });

  it('C33 F2 D3 LI8 forgetAll: a new goal, a new try, a word of a person → nothing is given again', () => {
    const ledger = emptyLedger();
    made(ledger, 'read', { path: 'a' });
    forgetAll(ledger);
    expect(ledger).toEqual(emptyLedger());
  });
});

describe('ledgerKey', () => {
  it('hash64: texts that differ in a character, in order or length → 16 digits that differ', () => {
    const texts = ['', 'a', 'b', 'ab', 'ba', 'aa', 'aaa', '\u0100', '\u0001'];
    const many = Array.from({ length: 20_000 }, (_, index) => `text ${index}`);
    const hashes = [...texts, ...many].map(hash64);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{16}$/);
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

describe('heldResults', () => {
  it('F12 OU12 heldResults: the youngest that hold, by path where there is one; references and failures are none', () => {
    const ledger = emptyLedger();
    made(ledger, 'list', {});
    made(ledger, 'read', { path: 'a' });
    made(ledger, 'find', { in: 'a', for: 'x' });
    made(ledger, 'read', { path: 'B' });
    const picture: ToolContent = { type: 'image', mimeType: 'image/png', ref: 'blob:1', totalBytes: 9 };
    made(ledger, 'show', { path: 'p' }, { content: [picture] });
    made(ledger, 'read', { path: 'b' }, { isError: true });
    made(ledger, 'read', { path: 'c' }, { ending: 'timed_out' });
    expect(validResults(ledger, 3)).toBe('- read: a; B\n- find: {"in":"a","for":"x"}');
    made(ledger, 'write', { content: 'long '.repeat(50), path: 'src/a.ts' });
    expect(validResults(ledger, 1)).toMatch(/^- write: \{"path":"src\/a.ts","content":"long /);
    expect(validResults(ledger, 0)).toBe('');
    expect(validResults(emptyLedger(), 5)).toBe('');
  });
});
