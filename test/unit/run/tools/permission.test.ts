import { describe, expect, it } from 'vitest';
import {
  allowedAt,
  allowedAtStart,
  allowedBy,
  allowedTool,
  decidePermission,
  idlePermissions,
} from '../../../../src/run/tools/permission.js';
import { DEFAULT_TOOL_POLICY } from '../../../../src/run/tools/tool.js';
import { NO_PERMISSIONS } from '../../../support/core-values.js';

const BOTH = [true, false];
const CALLED = { input: {}, workspace: '/w' };

function tool(name: string, readOnly: boolean, serverToolName = name) {
  return { name, serverToolName, policy: { ...DEFAULT_TOOL_POLICY, readOnly } };
}

describe('decidePermission', () => {
  it('S4 T9 decidePermission: all 128 combinations → deny, then what answers, then confirm, auto, hints', () => {
    let cells = 0;
    for (const deny of BOTH)
      for (const confirm of BOTH)
        for (const auto of BOTH)
          for (const always of BOTH)
            for (const autoApprove of BOTH)
              for (const readOnly of BOTH)
                for (const glob of ['write_file', 'write_*']) {
                  cells += 1;
                  const list = (wanted: boolean) => (wanted ? [glob] : ['other']);
                  const permissions = { deny: list(deny), confirm: list(confirm), auto: list(auto) };
                  const alwaysThisRun = always ? ['write_file'] : ['write_files'];
                  const got = decidePermission(tool('write_file', readOnly), CALLED, permissions, {
                    alwaysThisRun,
                    autoApprove,
                  });
                  const expected = deny
                    ? 'deny'
                    : autoApprove || always
                      ? 'run'
                      : confirm
                        ? 'ask'
                        : auto || readOnly
                          ? 'run'
                          : 'ask';
                  expect(got).toBe(expected);
                }
    expect(cells).toBe(128);
  });

  it('S4 decidePermission: a tool offered under a longer name → denied and confirmed by its own name, not run by it', () => {
    const given = { alwaysThisRun: [], autoApprove: false };
    const second = tool('files2__read_file', true, 'read_file');
    expect(decidePermission(second, CALLED, { ...NO_PERMISSIONS, deny: ['read_file'] }, given)).toBe('deny');
    expect(decidePermission(second, CALLED, { ...NO_PERMISSIONS, confirm: ['read_*'] }, given)).toBe('ask');
    const writer = tool('files2__write_file', false, 'write_file');
    expect(decidePermission(writer, CALLED, { ...NO_PERMISSIONS, auto: ['write_file'] }, given)).toBe('ask');
    expect(decidePermission(writer, CALLED, { ...NO_PERMISSIONS, auto: ['files2__*'] }, given)).toBe('run');
    expect(
      decidePermission(writer, CALLED, NO_PERMISSIONS, { ...given, alwaysThisRun: ['write_file'] }),
    ).toBe('ask');
  });
});

describe('WK9: "always"', () => {
  const run = tool('run', false);
  const decided = (command: string, given: { always: string[]; confirm?: string[]; deny?: string[] }) =>
    decidePermission(
      run,
      { input: { command }, workspace: '/w' },
      { ...NO_PERMISSIONS, confirm: given.confirm ?? [], deny: given.deny ?? [] },
      { alwaysThisRun: given.always, autoApprove: false },
    );

  it.each<[string, Record<string, unknown>, string | null]>([
    ['run', { command: 'ls -l' }, 'run(ls -l)'],
    ['run', { command: 'ls', timeoutMs: 5 }, 'run(ls)'],
    ['run', { command: 'ls', description: 'Looks.' }, 'run({"command":"ls","description":"Looks."})'],
    ['deploy', { command: 'up', reason: '--prod' }, 'deploy({"command":"up","reason":"--prod"})'],
    ['shell', { command: 'ls', cwd: 'a' }, 'shell({"command":"ls","cwd":"a"})'],
    ['exec', { program: 'ls', args: ['-l'] }, 'exec({"args":["-l"],"program":"ls"})'],
    ['run', { command: 'x'.repeat(200) }, null],
    ['write', { path: 'a', content: 'b' }, 'write'],
    ['pay', {}, 'pay'],
  ])('%s %j → allows %s', (name, input, allowed) => {
    expect(allowedBy(name, input)).toBe(allowed);
  });

  it.each<[Record<string, unknown> | null, string | null]>([
    [null, 'run(rm -rf a)'],
    [{ command: 'ls' }, 'run(ls)'],
    [{ command: 'x'.repeat(200) }, null],
  ])('at a gate, with %j in place of its arguments → allows %s', (edited, allowed) => {
    expect(allowedAt({ tool: 'run', always: 'run(rm -rf a)' }, edited)).toBe(allowed);
  });

  it('a command → itself, no other, also past confirm; deny stands', () => {
    const always = ['run(ls)'];
    expect(decided('ls', { always })).toBe('run');
    expect(decided('ls', { always, confirm: ['run', 'run(ls*)'] })).toBe('run');
    expect(decided('ls -l', { always })).toBe('ask');
    expect(decided('rm -rf a', { always, confirm: ['run(rm *)'] })).toBe('ask');
    expect(decided('ls', { always, deny: ['run(ls)'] })).toBe('deny');
  });

  it('a whole tool → never past what confirm names by its arguments', () => {
    expect(decided('ls', { always: ['run'] })).toBe('run');
    expect(decided('ls', { always: ['run'], confirm: ['run', 'run(rm *)'] })).toBe('run');
    expect(decided('rm -rf a', { always: ['run'], confirm: ['run(rm *)'] })).toBe('ask');
    expect(decided('rm -rf a', { always: ['run'], confirm: ['*(rm *)'] })).toBe('ask');
  });

  it('entries at a start → by the tool of the command, with its digest', () => {
    const tools = [{ name: 'run', digest: 'd1' }];
    const entries = [allowedTool('run(echo "#1")', 'd1'), allowedTool('run(ls)', 'd0'), 'run(a #b)', 'write'];
    expect(allowedAtStart(entries, tools)).toEqual({
      allowed: ['run(echo "#1")', 'run(a #b)', 'write'],
      changed: ['run(ls)'],
    });
  });
});

describe('idlePermissions', () => {
  const tools = [tool('write_file', false), tool('files2__read', true, 'read')];

  it('a typing error, and braces that match nothing → said, with the list that has it; the others are not (TR7)', () => {
    const permissions = {
      auto: ['files2__*'],
      confirm: ['read'],
      deny: ['writ_file', 'delete_{a,b}', '{write,read}_file', 'writ_file(a/**)', '*(**/.env)'],
    };
    expect(idlePermissions(permissions, tools)).toEqual([
      'steersman.yaml: permissions.deny "writ_file" matches no tool of this run.',
      'steersman.yaml: permissions.deny "delete_{a,b}" matches no tool of this run.',
      'steersman.yaml: permissions.deny "writ_file(a/**)" matches no tool of this run.',
    ]);
  });
});
