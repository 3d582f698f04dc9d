/** What the page says of a gate that is closed. */
import { expect, onTestFinished, test, vi } from 'vitest';

async function answersOfPage(language = 'en') {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('localStorage', { getItem: () => language });
  vi.stubGlobal('document', { documentElement: {} });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  vi.resetModules();
  await (await import('../../../../packages/console/page/words/words.js')).speakFirst();
  return import('../../../../packages/console/page/gates/answers.js');
}

test('closed gate: answered by a person → whether they edited what was asked, and why they refused', async () => {
  const { closedWords } = await answersOfPage();
  const by = 'person';
  expect(closedWords({ by, decision: 'approve' })).toBe('approved by a person');
  expect(closedWords({ by, decision: 'approve', edited: true })).toBe('approved by a person, as edited');
  expect(closedWords({ by, decision: 'deny', reason: 'Not now.' })).toBe('denied by a person · Not now.');
  expect(closedWords({ by: 'timeout', decision: 'deny' })).toBe('no answer came in time: deny');
  expect(closedWords({ by, decision: 'wrap_up' })).toBe('answered by a person: wrap up');
  expect(closedWords({ by, decision: 'Use my_port 8080' })).toBe('answered by a person: Use my_port 8080');
});

test('FC6 closed gate, in Chinese → the decision in Chinese, and the words of a person as they are', async () => {
  const { closedWords } = await answersOfPage('zh');
  const by = 'person';
  expect(closedWords({ by, decision: 'deny', reason: 'Not now.' })).toBe('已由人工拒绝 · Not now.');
  expect(closedWords({ by, decision: 'raise to 500' })).toBe('已由人工处理：提高到 500');
  expect(closedWords({ by, decision: 'Use my_port 8080' })).toBe('已由人工处理：Use my_port 8080');
  expect(closedWords({ by: 'rule', decision: 'run is allowed for this run' })).toBe(
    '无需询问：run 在本次运行中始终允许',
  );
});

test('closed gate: what it asked → no question any more, except one that its answer stands beside', async () => {
  const { closedTitle } = await answersOfPage();
  expect(closedTitle('approval', 'Call write?')).toBe('Call write');
  expect(closedTitle('plan', '执行这份有 2 项任务的计划？')).toBe('执行这份有 2 项任务的计划');
  expect(closedTitle('question', 'Which port?')).toBe('Which port?');
});
