/** What the page says of a gate that is closed. */
import { expect, onTestFinished, test, vi } from 'vitest';

async function closedWordsOfPage() {
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('localStorage', { getItem: () => 'en' });
  vi.stubGlobal('document', { documentElement: {} });
  onTestFinished(() => void vi.unstubAllGlobals());
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
});
