/** What the page says of a gate that is closed. */
import { expect, onTestFinished, test, vi } from 'vitest';

async function closedWordsOfPage(language = 'en') {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('localStorage', { getItem: () => language });
  vi.stubGlobal('document', { documentElement: {} });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  vi.resetModules();
  await (await import('../../../../packages/console/page/words/words.js')).speakFirst();
  return (await import('../../../../packages/console/page/gates/answers.js')).closedWords;
}

test('closed gate: answered by a person → whether they edited what was asked, and why they refused', async () => {
  const closedWords = await closedWordsOfPage();
  const by = 'person';
  expect(closedWords({ by, decision: 'approve' })).toBe('answered by a person: approve');
  expect(closedWords({ by, decision: 'approve', edited: true })).toBe(
    'answered by a person: Approve as edited',
  );
  expect(closedWords({ by, decision: 'deny', reason: 'Not now.' })).toBe(
    'answered by a person: deny · Not now.',
  );
  expect(closedWords({ by, decision: 'Use my_port 8080' })).toBe('answered by a person: Use my_port 8080');
});

test('FC6 closed gate, in Chinese → the decision in Chinese, and the words of a person as they are', async () => {
  const closedWords = await closedWordsOfPage('zh');
  const by = 'person';
  expect(closedWords({ by, decision: 'raise to 500' })).toBe('已由人工处理：提高到 500');
  expect(closedWords({ by, decision: 'Use my_port 8080' })).toBe('已由人工处理：Use my_port 8080');
  expect(closedWords({ by: 'rule', decision: 'run is allowed for this run' })).toBe(
    '无需询问：run 在本次运行中始终允许',
  );
});
