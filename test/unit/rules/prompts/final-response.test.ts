import { describe, expect, test } from 'vitest';
import { finalResponse, finalResponseFault } from '../../../../src/rules/prompts/final-response.js';
import { record } from '../../../../src/run/state/journal.js';
import { newRunState } from '../../../../src/run/state/run-state.js';
import { noteCall } from '../../../support/journaled.js';

const SETTINGS = { mode: 'react', workspace: '/w', autoApprove: false } as const;

describe('finalResponseFault', () => {
  test.each([
    ['the answer alone', '{{content}}', null],
    ['all there is', '{{ content }}\n\n{{toolCount}} calls:\n{{toolHistory}}', null],
    ['single braces', '{"answer": {x}} {{content}}', null],
    ['no answer', 'Done.', '{{content}}, the answer itself, must stand there once'],
    ['the answer twice', '{{content}} {{content}}', '{{content}}, the answer itself, must stand there once'],
    [
      'the calls twice',
      '{{content}} {{toolHistory}} {{toolHistory}}',
      '{{toolHistory}} may stand there once',
    ],
    ['another name', '{{content}} {{tools}}', '{{tools}} is not a known variable'],
    ['one that is cut', '{{content}} {{tool', '"{{tool" begins a placeholder'],
  ])('%s → what is wrong, or nothing (P12)', (_, template, fault) => {
    if (fault === null) expect(finalResponseFault(template)).toBeNull();
    else expect(finalResponseFault(template)).toContain(fault);
  });
});

test('finalResponse: placeholders and dollars in the answer → stay as they are (P10, P12)', () => {
  const state = newRunState('Do it.', SETTINGS, 0);
  expect(finalResponse('[{{content}}] {{toolCount}}', '{{toolCount}} $&', state)).toBe(
    '[{{toolCount}} $&] 0',
  );
});

test('finalResponse: thirty calls, and some of an earlier goal → the last twenty of this one, each in a line (P12)', () => {
  const state = newRunState('Do it.', SETTINGS, 1_000);
  const { journal } = state.log;
  const call = (at: number, path: string) =>
    noteCall(journal, 'read', {
      ...{ at, taskId: null, arguments: `{"path":"${path}"}`, text: 'It\nsays 42.' },
    });
  call(999, 'old.txt');
  const check = { id: 'c1', check: 'make', status: 'passed', why: '', output: '' } as const;
  record(journal, 1_000, 'check_ended', { ...check, durationMs: 1 });
  expect(finalResponse('{{content}}\n{{toolHistory}}', 'Done.', state)).toBe('Done.');
  for (let index = 0; index < 30; index += 1) call(1_000 + index, `${index}.txt`);
  const lines = finalResponse('{{content}}\n{{toolHistory}}', 'Done.', state).split('\n');
  expect(lines).toHaveLength(21);
  expect(lines.slice(0, 2)).toEqual(['Done.', '- executor: read {"path":"10.txt"} → It says 42.']);
  expect(lines.at(-1)).toContain('29.txt');
});
