/** Figures of the demo model's answers, held against what git, grep and wc say. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DemoConversation } from '../../support/demo-conversation.js';
import { projectRoot } from '../../support/project.js';
import { type Hands, handsOn } from '../../support/workspace-tools.js';

const OVERVIEW = 'What is in this folder, and what is left to do?';
const plural = (count: number, what: string) =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;

/** The answer, the outcome of its verdict, and how many calls it took. */
async function answered(hands: Hands, goal: string) {
  const run = new DemoConversation(hands, goal);
  await run.team();
  const { summary, cause } = await run.verify();
  return { summary, cause, calls: run.called.length };
}

function lines(cwd: string, command: string, ...args: string[]): string[] {
  // grep ends with code 1 where it finds nothing.
  const script = '"$0" "$@" || [ $? -eq 1 ]';
  const said = execFileSync('sh', ['-c', script, command, ...args], { cwd, encoding: 'utf8' });
  return said.split(/[\0\n]/).filter(line => line !== '');
}

describe('demo model: figures', () => {
  test.skipIf(!existsSync(join(projectRoot, '.git')))(
    "README's command in this repository → what git and grep count, by three calls (FC1)",
    async () => {
      const listed = lines(
        projectRoot,
        'git',
        'ls-files',
        '-z',
        '--cached',
        '--others',
        '--exclude-standard',
      );
      const isFile = (path: string) =>
        lstatSync(join(projectRoot, path), { throwIfNoEntry: false })?.isFile() === true;
      const files = [...new Set(listed)].filter(isFile);
      const marks = lines(projectRoot, 'git', 'grep', '-InwE', '--untracked', 'TODO|FIXME|XXX');
      const { summary, cause, calls } = await answered(await handsOn({ workspace: projectRoot }), OVERVIEW);
      expect(files.length).toBeGreaterThan(1_000);
      expect({ cause, calls }).toEqual({ cause: 'verified', calls: 3 });
      expect(summary).toContain(`**${plural(files.length, 'file')}**`);
      for (const folder of ['docs/', 'src/', '.ci/'])
        expect(summary).toContain(
          `\n${folder} (${plural(files.filter(path => path.startsWith(folder)).length, 'file')})\n`,
        );
      expect(summary).toContain(`**${plural(marks.length, 'line')}**`);
      expect(summary).toContain('# Steersman');
    },
  );

  test('a folder without git: hidden, ignored, spaces, other letters → what grep and find count (FC1)', async () => {
    const hands = await handsOn();
    const { workspace } = hands;
    hands.put('.gitignore', 'left\n*.log\n');
    hands.put('.hidden/deep/.env', 'KEY=1 # TODO rotate\n');
    hands.put('a name with  two blanks.txt', 'FIXME one\nTODOS is no mark\n');
    hands.put('Größe/文件 一.md', '待办 TODO 二\n');
    hands.put('left/x.ts', '// TODO ignored\n');
    hands.put('debug.log', 'TODO ignored\n');
    hands.put('bin', new Uint8Array([0, 1, 2]));
    const out = ['--exclude-dir=left', '--exclude=*.log'];
    const found = lines(workspace, 'grep', '-rIwnE', ...out, 'TODO|FIXME|XXX', '.');
    const files = lines(
      workspace,
      'find',
      '.',
      '-type',
      'f',
      '-not',
      '-path',
      './left/*',
      '-not',
      '-name',
      '*.log',
    );
    const { summary, cause } = await answered(hands, OVERVIEW);
    expect([files.length, found.length]).toEqual([5, 3]);
    expect(cause).toBe('verified');
    for (const text of [
      `**${plural(files.length, 'file')}**`,
      '\n.hidden/ (1 file)\n',
      '\na name with  two blanks.txt  27 B\n',
      `**${plural(found.length, 'line')}**`,
      '\nGröße/文件 一.md:1: 待办 TODO 二\n',
      'README.md does not exist.',
    ])
      expect(summary).toContain(text);
  });

  test('an empty folder → nothing is there, and that is verified (FC1)', async () => {
    const { summary, cause } = await answered(await handsOn(), OVERVIEW);
    for (const text of ['**0 files**', '**0 lines**', 'README.md does not exist.'])
      expect(summary).toContain(text);
    expect(cause).toBe('verified');
  });

  test('marks in a folder, many, beside letters of other languages → each line that git grep has (FC1)', async () => {
    const hands = await handsOn();
    hands.put('src/五千.txt', `${'x\r\n'.repeat(4_900)}${'// TODO y\r\n'.repeat(90)}`);
    hands.put('src/a.md', 'TODO写表\n待办TODO二\nmyTODO\nTODO_x\nTODO\u2028z\n');
    hands.put('other.txt', 'TODO elsewhere\n');
    const found = lines(
      hands.workspace,
      'git',
      '-c',
      'core.quotepath=off',
      'grep',
      '--no-index',
      '-Inw',
      'TODO',
      '--',
      'src',
    );
    const { summary, cause } = await answered(hands, 'List all TODOs in src');
    expect(cause).toBe('verified');
    expect(found).toHaveLength(93);
    const shown = found.map(line => line.replace(/:(\d+):([^\r]*)\r?$/, ':$1: $2')).sort();
    const [, count = '', block = ''] = /\*\*(\d+) lines\*\*\n\n```\n([^`]*)\n```/.exec(summary) ?? [];
    expect({ count, lines: block.split('\n').sort() }).toEqual({ count: '93', lines: shown });
  });

  test('marks in more lines than are shown, each with places in it → not all was seen (FC1)', async () => {
    const hands = await handsOn();
    hands.put('src/log.txt', 'a.ts:1: TODO b.ts:2: c\n'.repeat(300));
    const run = new DemoConversation(hands, 'List all TODOs in src');
    await run.team();
    expect(await run.unjudged()).toContain('not all of it was seen');
  });
});
