import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offerName } from '../../../src/mcp/tool-names.js';
import { toolPolicy } from '../../../src/mcp/tools.js';

describe('names of tools', () => {
  it('T2 two servers with the same tool → the first keeps the bare name, the later is server__tool', () => {
    const taken = new Set<string>();
    expect(offerName('one', 'read', taken)).toBe('read');
    expect(offerName('two', 'read', taken)).toBe('two__read');
  });

  it('T2 names that differ only in forbidden characters → both offered, differently', () => {
    const taken = new Set<string>();
    expect(offerName('s', 'a_b', taken)).toBe('a_b');
    expect(offerName('s', 'a.b', taken)).toBe('s__a_b');
    expect(offerName('s', 'a/b', taken)).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  it.each([
    ['中文工具', 'ZhongWenGongJu'],
    ['поиск_файлов', 'poisk_faylov'],
    ['größe', 'grosse'],
  ])('OU6 a name in another script, %s → %s, the same each time', (tool, offered) => {
    expect(offerName('s', tool, new Set())).toBe(offered);
    expect(offerName('s', tool, new Set(['other']))).toBe(offered);
    expect(offerName('s', tool, new Set([offered]))).toBe(`s__${offered}`);
  });

  it('T2 any names → allowed characters, at most 64 long, unique', () => {
    const pairs = fc.uniqueArray(
      fc.tuple(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' }),
      ),
      {
        selector: pair => JSON.stringify(pair),
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(pairs, list => {
        const taken = new Set<string>();
        const names = list.map(([server, tool]) => offerName(server, tool, taken));
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      }),
    );
  });
});

describe('policy from annotations', () => {
  it.each([
    ['no annotations', undefined, { readOnly: false, idempotent: false, destructive: true }],
    ['read-only', { readOnlyHint: true }, { readOnly: true, idempotent: true, destructive: false }],
    [
      'idempotent',
      { idempotentHint: true, destructiveHint: false },
      { readOnly: false, idempotent: true, destructive: false },
    ],
  ])('%s', (_name, annotations, expected) => {
    expect(toolPolicy(annotations)).toMatchObject({
      ...expected,
      attempts: 3,
      timeoutMs: 60_000,
      cache: 'goal',
    });
  });
});
