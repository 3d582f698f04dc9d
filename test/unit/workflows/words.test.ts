import { expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import { here } from '../../../src/run/state/cursor.js';
import { instruct } from '../../../src/workflows/say/instruct.js';
import { runNextCalls } from '../../../src/workflows/turn/tools/run-tools.js';
import { answer, runAtCalls, testRole } from '../../support/small-run.js';

test('a run in Chinese, with a text of its own for a gate → asks by it, and says the rest in Chinese (P13)', async () => {
  const pinned = { language: 'zh', words: { gateApproval: '现在就运行 {tool} { } 吗？' } };
  const { run, results } = runAtCalls([{ name: 'put', input: { path: '$& {tool}' } }], { pinned });
  const { batch } = here(run.state.cursor).turns;
  if (!batch) throw new Error('no batch');
  const done = runNextCalls(run, batch);
  const [open] = run.state.people.gates;
  expect(open?.gate.title).toBe('现在就运行 put { } 吗？');
  expect(open?.gate.body).toContain('"path": "$& {tool}"');
  answer(run, { gateId: open?.gate.id, decision: 'deny', reason: '现在不行。' });
  await done;
  expect(results()[0]?.note).toMatch(
    /^已拒绝（denied）：没有执行：就 put 可否执行征求过意见，回答是不可以：“现在不行”。/,
  );
});

test('a role whose prompt names HISTORY and SYSTEM_STATE → both stand at the end of its instructions (P9)', () => {
  const executor = testRole('executor', { context: ['SYSTEM_STATE', 'HISTORY'] });
  const { run } = runAtCalls([], { pinned: { roles: { executor } } });
  instruct(run, executor, 'Go on.');
  const last = run.mainThread().messages.at(-1);
  const text = last?.kind === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '';
  expect(text).toMatch(/Go on\.\n\nSYSTEM_STATE:\n\{\n {2}"mode": "team"[\s\S]*\n\nHISTORY:\n<history>/);
  expect(text.startsWith(BUILT_IN_WORDS.en.asRole.replace('{role}', 'executor'))).toBe(true);
});
