/** Texts of others as a person sees them: nothing in them is unseen, or stands elsewhere than it seems to. */
import { expect, test } from 'vitest';
import { escapeUnseen, visibleText } from '../../../../src/base/text/unseen.js';

/** As tag characters, which no font draws. */
const tags = (text: string) =>
  [...text].map(each => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');

test.each<[string, string, string]>([
  [
    'tags, which say something',
    `Keep the backup${tags(' no, delete it')}`,
    'Keep the backup‹hidden: no, delete it›',
  ],
  ['a language tag', 'a\u{e0001}b', 'a‹U+E0001›b'],
  ['bidi overrides', 'rm \u202e/yppoc\u202c', 'rm ‹U+202E›/yppoc‹U+202C›'],
  ['bidi isolates and marks', '\u2066a\u2069\u200e\u061c', '‹U+2066›a‹U+2069 U+200E U+061C›'],
  ['characters of no width', 'a\u200bb\ufeffc\u2060d\u180ee', 'a‹U+200B›b‹U+FEFF›c‹U+2060›d‹U+180E›e'],
  ['joiners between letters that need none', 'a\u200db 删\u200d除', 'a‹U+200D›b 删‹U+200D›除'],
  ['many of one', `a${'\u200b'.repeat(5_000)}`, 'a‹U+200B×5000›'],
  ['many kinds', '\u200b\u200c\u200b\u200c\u200b\u200c', '‹U+200B U+200C U+200B U+200C … 6›'],
  ['a soft hyphen', 'de\u00adlete', 'de‹U+00AD›lete'],
  ['separators of lines and paragraphs', 'a\u2028b\u2029c', 'a‹U+2028›b‹U+2029›c'],
  ['controls', 'a\u0007\u001b[8mb\u0085\u007f', 'a‹U+0007 U+001B›[8mb‹U+0085 U+007F›'],
  ['a return that overwrites', 'Delete\rKeep', 'Delete‹U+000D›Keep'],
  ['half of a pair', 'a\ud800b\udc00', 'a‹U+D800›b‹U+DC00›'],
  ['fillers and blanks that are letters', '\u115f\u3164\uffa0\u2800', '‹U+115F U+3164 U+FFA0 U+2800›'],
  ['variation selectors', 'a\ufe00b\u{e0101}c\ufe0f', 'a‹U+FE00›b‹U+E0101›c‹U+FE0F›'],
  ['wide gaps', `Keep${'\u2003'.repeat(90)}or not`, 'Keep‹U+2003×90›or not'],
  ['a flood of marks above a letter', `a${'\u0300'.repeat(90)}b`, `a${'\u0300'.repeat(4)}‹U+0300×86›b`],
  ['shorthand and unassigned formats', '\u{1bca0}\ufff0\u{e0fff}', '‹U+1BCA0 U+FFF0 U+E0FFF›'],
  ['annotations', 'a\ufffab\ufffb', 'a‹U+FFFA›b‹U+FFFB›'],
])('WB7 visibleText: %s → is shown', (_what, text, seen) => {
  expect(visibleText(text)).toBe(seen);
  expect(visibleText(seen)).toBe(seen);
});

test.each([
  'Two lines,\n\tthe second with a tab',
  'Familie 👩‍👩‍👧 ❤️ 1️⃣ ©️ 👍🏽 🇩🇪',
  'می‌خواهم',
  'क्‍ष',
  'Ça alors !\u00a0Il y a 10\u202f000 «\u00a0mots\u00a0».',
  '　　中文段落，第一行。',
  'naïve Ünïcödé, Tiếng Việt, e\u0301\u0323',
  'עברית und العربية',
])('WB7 visibleText: %j, as people write → stays', text => {
  expect(visibleText(text)).toBe(text);
});

test('WB7 visibleText: a Windows text → its lines end as others do', () => {
  expect(visibleText('a\r\nb')).toBe('a\nb');
});

test('WB7 visibleText: what hides takes little room, however much it is', () => {
  const hidden = tags('x'.repeat(20_000));
  expect(visibleText(`a${hidden}b`).length).toBeLessThan(300);
  expect(visibleText(`a${hidden}b`)).toContain('… 20000›');
});

test('WB7 escapeUnseen: a blank that is none between the words of a command → is escaped', () => {
  expect(escapeUnseen('"rm -rf\u00a0/tmp/x"')).toBe('"rm -rf\\u00a0/tmp/x"');
  expect(JSON.parse(escapeUnseen(JSON.stringify('a\u{e0041}\u00a0b')))).toBe('a\u{e0041}\u00a0b');
});
