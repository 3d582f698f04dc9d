import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgents } from '../../../../packages/cli/setup/completion.js';
import type { ChildTree } from '../../../../src/client/index.js';
import { projectRoot } from '../../../../src/shared/process/package.js';

const scripts = new Map<string, string>();

function script(shell: string): string {
  const known = scripts.get(shell);
  if (known !== undefined) return known;
  const args = [join(projectRoot, 'dist/cli.js'), 'completion', shell];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  scripts.set(shell, stdout);
  return stdout;
}

/** What bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const all = ['steersman', ...words].map(word => `'${word}'`).join(' ');
  // What a run would print of its agents.
  const command = `steersman() { [[ $1 == agents-of && $2 == r1 ]] && printf 'search/1\\nlead/2/search/1\\n'; }`;
  const ask = `${command}; COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _steersman; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${script('bash')}\n${ask}`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(line => line !== '');
}

test.each([
  ['a mode', ['start', 'A goal', '--mode', 'te'], ['team']],
  ['a mode of a goal', ['A goal', '--mode', 'te'], ['team']],
  ['a mode after =', ['start', '--mode', '=', 'te'], ['team']],
  ['a policy', ['start', 'A goal', '--on-step-failure', 're'], ['replan']],
  ['a role that works on a goal', ['start', 'A goal', '--role', 'se'], ['search']],
  ['a role that replies no text', ['start', 'A goal', '--role', 'plan'], []],
  ['a time', ['steer', 'r1', 'Stop', '--when', 'a'], ['after-batch']],
  ['a role', ['steer', 'r1', 'Stop', '--to', 'ver'], ['verifier']],
  ['a sub-agent that works', ['steer', 'r1', 'Stop', '--to', 'sea'], ['search/1']],
  ['a sub-agent of one', ['steer', 'r1', 'Stop', '--to', 'lead/2'], ['lead/2/search/1']],
  ['a verb that only these scripts call', ['agents-'], []],
  ['a model', ['start', 'A goal', '--model', 'openai/gpt-5-m'], ['openai/gpt-5-mini']],
  ['a limit', ['start', 'A goal', '--limit', 'planni'], ['planning=']],
  ['a number that only list calls a limit', ['list', '--limit', ''], []],
  ['a limit of budget', ['budget', 'r1', 'planni'], ['planning=']],
  ['an outcome', ['list', '--outcome', 'unv'], ['unverified']],
  ['a folder, which the shell knows', ['start', 'A goal', '--workspace', ''], []],
  ['a shell', ['completion', 'z'], ['zsh']],
  ['an option', ['show', 'r1', '--js'], ['--json']],
  ['a verb', ['trans'], ['transcript']],
])('completion: %s → offered', (_, words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test('completion: fish → values stand beside their option, and no file where they are all there is', () => {
  const line = script('fish')
    .split('\n')
    .find(text => text.includes('from steer') && text.includes('-l when'));
  expect(line).toMatch(/-l when -x -a '[^']*after-batch[^']*' -d /);
});

test('completion: agents that work, and those of theirs → the ways to them, as a message names them', () => {
  const agent = (id: string, outcome: ChildTree['outcome'], ...children: ChildTree[]) =>
    ({ id, outcome, children }) as ChildTree;
  const tree = [
    agent('lead/1', null, agent('search/1', 'unverified'), agent('search/2', null)),
    agent('search/2', 'unverified', agent('search/1', null)),
  ];
  expect(openAgents(tree)).toEqual(['lead/1', 'lead/1/search/2']);
});
