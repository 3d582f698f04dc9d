import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decidePermission, isDenied, matchesCall } from '../../../../src/core/tools/permission.js';
import { DEFAULT_TOOL_POLICY } from '../../../../src/core/tools/tool.js';
import { NO_PERMISSIONS } from '../../../support/core-values.js';

const WRITE = { name: 'write_file', serverToolName: 'write_file', policy: DEFAULT_TOOL_POLICY };
const NOTHING_GIVEN = { alwaysThisRun: [], autoApprove: false };

function decided(kind: 'auto' | 'confirm' | 'deny', pattern: string, input: Record<string, unknown>) {
  const permissions = { ...NO_PERMISSIONS, [kind]: [pattern] };
  const policy = { ...DEFAULT_TOOL_POLICY, readOnly: kind === 'confirm' };
  return decidePermission({ ...WRITE, policy }, { input, workspace: '/w' }, permissions, NOTHING_GIVEN);
}

describe('permissions.deny with arguments', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['a path in the folder', 'write_file(secrets/**)', { path: 'secrets/a/key' }],
    ['the folder itself', 'write_file(secrets/**)', { path: 'secrets' }],
    ['an absolute path in the workspace', 'write_file(secrets/**)', { path: '/w/secrets/key' }],
    ['a way through ..', 'write_file(secrets/**)', { path: 'src/../secrets/key' }],
    ['a way above the root', '*(/etc/**)', { path: '../../../etc/passwd' }],
    ['./', '*(**/.env)', { path: './.env' }],
    ['src/../.env', '*(**/.env)', { path: 'src/../.env' }],
    ['doubled slashes', '*(a/b)', { path: 'a//b' }],
    ['other separators', '*(**/.env)', { path: 'a\\b\\.env' }],
    ['other letters', '*(**/.env)', { path: 'a/.ENV' }],
    ['spaces around', '*(**/.env)', { path: ' .env ' }],
    ['an address of a file', '*(**/.env)', { uri: 'file:///w/a/%2eenv' }],
    ['an address of a file with more behind', '*(**/.env)', { uri: 'file:///w/a/.env#a' }],
    ['what only looks like an address', '*(secrets/**)', { path: 'ab:/../secrets/key' }],
    ['the same, with a dot behind', '*(**/.env)', { path: 'ab:/../.env/.' }],
    ['a path of any length', '*(**/.env)', { path: `.env/${'./'.repeat(3_000)}` }],
    ['a path that has its content for a value', '*(**/.env)', { files: { 'a/.env': 'x' } }],
    ['another letter of the same capital', '*(**/secrets)', { path: '\u017fecrets' }],
    ['a bare name, in any folder', '*(.env)', { path: '/elsewhere/a/.env' }],
    ['one of several paths', '*(**/.env)', { paths: ['a', 'b/.env'] }],
    ['a path within objects', '*(**/.env)', { files: [{ path: 'a' }, { path: '.env', head: 3 }] }],
    ['the second place of a move', '*(**/.env)', { source: 'a', destination: 'b/.env' }],
    ['braces', '*(**/{.env,*.pem})', { path: 'a/key.pem' }],
    ['a name that says nothing, beside a path', '*(**/.env)', { path: 'a', where: '.env' }],
    ['a command', 'write_file(*rm -rf*)', { command: 'cd /; rm -rf x', cwd: 'a' }],
    ['any text, where nothing is a path', 'write_file(*@example.com)', { address: 'a@example.com' }],
    ['an address', 'write_file(https://*.example/**)', { url: 'https://a.example/b' }],
    ['every call', 'write_file(**)', {}],
  ])('decidePermission: deny matches %s → denied (T9)', (_, pattern, input) => {
    expect(decided('deny', pattern, input)).toBe('deny');
    expect(decided('confirm', pattern, input)).toBe('ask');
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['another folder', 'write_file(secrets/**)', { path: 'src/secrets/key' }],
    ['a name that begins alike', 'write_file(secrets/**)', { path: 'secrets2/key' }],
    ['one folder deeper than *', 'write_file(src/*.ts)', { path: 'src/a/b.ts' }],
    ['the words of a file, where its path is named', '*(**/.env)', { path: '.gitignore', content: '.env' }],
    ['another tool', 'read_*(**/.env)', { path: '.env' }],
    ['no arguments', 'write_file(a)', {}],
  ])('decidePermission: deny is not about %s → asks (T9)', (_, pattern, input) => {
    expect(decided('deny', pattern, input)).toBe('ask');
  });

  test('matchesCall: a path in the folder of the user → denied where that is known (T9)', () => {
    const called = { input: { path: '~/.ssh/id' }, workspace: '/w', home: '/home/U' };
    expect(matchesCall(['read'], called, ['*(/home/u/.ssh/**)'])).toBe(true);
    expect(matchesCall(['read'], called, ['*(/home/v/.ssh/**)'])).toBe(false);
  });

  test('isDenied: a tool with a denied argument is offered; one denied whole is not (TR7)', () => {
    expect(isDenied(WRITE, { deny: ['write_file(**/.env)'] })).toBe(false);
    expect(isDenied(WRITE, { deny: ['write_*(*)'] })).toBe(true);
  });

  test('decidePermission: any way of writing a denied path → denied, whoever allows it (T9)', () => {
    const detour = fc.constantFrom('.', 'a/..', 'b/c/../..', './/x/..');
    fc.assert(
      fc.property(fc.array(detour, { maxLength: 6 }), fc.boolean(), fc.boolean(), (ways, absolute, auto) => {
        const path = `${absolute ? '/w/' : ''}${[...ways, 'keys/id'].join('/')}`;
        const permissions = { auto: ['*'], confirm: [], deny: ['*(keys/**)'] };
        const given = { alwaysThisRun: ['write_file'], autoApprove: auto };
        expect(decidePermission(WRITE, { input: { path }, workspace: '/w' }, permissions, given)).toBe(
          'deny',
        );
      }),
    );
  });
});

describe('permissions.auto with arguments', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['a path in the folder', 'write_file(src/**)', { path: 'src/a.ts', content: 'x' }],
    ['every path', 'write_file(src/**)', { source: 'src/a', destination: '/w/src/b' }],
    ['a command', 'write_file(npm test)', { command: 'npm test' }],
    ['the address of a file', 'write_file(src/**)', { uri: 'file:///w/src/a%20b' }],
    ['an address', 'write_file(https://a.example/**)', { url: 'https://a.example/b?c=..d' }],
  ])('decidePermission: auto covers %s → runs (T9)', (_, pattern, input) => {
    expect(decided('auto', pattern, input)).toBe('run');
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['a way out of the folder', 'write_file(src/**)', { path: 'src/../package.json' }],
    ['one path of two', 'write_file(src/**)', { source: 'src/a', destination: 'b' }],
    ['other letters', 'write_file(src/**)', { path: 'SRC/a' }],
    ['a bare name in another folder', 'write_file(notes.md)', { path: 'a/notes.md' }],
    ['any folder, outside of the workspace', 'write_file(**/*.md)', { path: '/etc/a.md' }],
    ['a command beside a path', 'write_file(src/**)', { path: 'src/a', command: 'rm x' }],
    ['no argument at all', 'write_file(src/**)', {}],
    ['a way out that is long', 'write_file(src/**)', { path: `src/${'./'.repeat(3_000)}../.env` }],
    ['a way out that looks like an address', '*(**/*.md)', { path: 'ab:/../../a.md' }],
    ['an address that leads up', '*(https://a.example/b/**)', { url: 'https://a.example/b/%2e%2e/c' }],
    ['an address of a file with more behind', '*(src/**)', { uri: 'file:///w/a#/../src/b' }],
    ['the folder of the user', 'write_file(**/*.md)', { path: '~/a.md' }],
    ['where the path begins', 'write_file(src/**)', { path: 'src/a', cwd: '/etc' }],
    ['a path that has its content for a value', '*(src/**)', { files: { '../a.ts': 'src/b' } }],
  ])('decidePermission: auto does not cover %s → asks (T9)', (_, pattern, input) => {
    expect(decided('auto', pattern, input)).toBe('ask');
  });

  test('decidePermission: a path that leaves the folder → never runs by it (T9)', () => {
    const part = fc.constantFrom('..', '.', 'a', 'src', 'b.ts');
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), parts => {
        const stack: string[] = ['w'];
        for (const one of parts) {
          if (one === '..') stack.pop();
          else if (one !== '.') stack.push(one);
        }
        const inside = stack[0] === 'w' && stack[1] === 'src';
        expect(decided('auto', 'write_file(src/**)', { path: parts.join('/') })).toBe(inside ? 'run' : 'ask');
      }),
    );
  });
});
