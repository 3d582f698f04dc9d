import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolNamer } from '../../../src/mcp/tools/tool-names.js';
import { toolPolicy } from '../../../src/mcp/tools.js';

type Tool = [server: string, tool: string];

function namesOf(servers: readonly string[], tools: readonly Tool[], reserved: string[] = []): string[] {
  const nameOf = toolNamer(servers, reserved);
  return tools.map(([server, tool]) => nameOf(server, tool));
}

describe('names of tools', () => {
  it('T2 two servers with the same tool → bare for the first server, server__tool for the later', () => {
    const names = namesOf(
      ['one', 'two'],
      [
        ['one', 'read'],
        ['two', 'read'],
      ],
    );
    expect(names).toEqual(['read', 'two__read']);
  });

  it('T2 names that differ only in forbidden characters → all offered, differently', () => {
    const tools: Tool[] = ['a_b', 'a.b', 'a/b'].map(tool => ['s', tool]);
    expect(namesOf(['s'], tools)).toEqual(['a_b', 's__a_b', expect.stringMatching(/^a_b_[0-9a-f]{8}$/)]);
  });

  it.each([
    ['中文工具', 'ZhongWenGongJu'],
    ['поиск_файлов', 'poisk_faylov'],
    ['größe', 'grosse'],
  ])('OU6 a name in another script, %s → %s, the same each time', (tool, offered) => {
    expect(namesOf(['s'], [['s', tool]])).toEqual([offered]);
    expect(namesOf(['s'], [['s', tool]], ['other'])).toEqual([offered]);
    expect(namesOf(['s'], [['s', tool]], [offered])).toEqual([`s__${offered}`]);
  });

  const server = fc.oneof(
    fc.constantFrom('a', 'b', 'a__b', 'b__a', 'a.b', 'a_b'),
    fc.string({ minLength: 1 }),
  );
  const tool = fc.oneof(
    fc.constantFrom('read', 'b__read', 'a__b__read', 'b.read'),
    fc.string({ minLength: 1, maxLength: 90, unit: 'grapheme' }),
  );
  const pairs = fc.uniqueArray(fc.tuple(server, tool), {
    selector: pair => JSON.stringify(pair),
    maxLength: 30,
  });

  it('T2 any names → allowed characters, at most 64 long, unique', () => {
    fc.assert(
      fc.property(pairs, list => {
        const names = namesOf([...new Set(list.map(([name]) => name))], list);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      }),
    );
  });

  it('TR7 a server that is down → no tool of another server has another name for it', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), (list, nth) => {
        const servers = [...new Set(list.map(([name]) => name))];
        const down = servers[nth % servers.length];
        const all = namesOf(servers, list);
        const left = list.filter(([name]) => name !== down);
        expect(namesOf(servers, left)).toEqual(all.filter((_, index) => list[index]?.[0] !== down));
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
