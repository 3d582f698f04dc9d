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
  ['joiners behind an accent', 'e\u0301\u200cx e\u0301\u200d x', 'e\u0301‹U+200C›x e\u0301‹U+200D› x'],
  ['a joiner behind a letter of no script', 'a\u02bc\u200ct', 'a\u02bc‹U+200C›t'],
  ['a joiner behind a letter that never joins', '\u13a0\u200c', '\u13a0‹U+200C›'],
  ['a joiner behind an Arabic mark on a Latin letter', 'a\u064b\u200cb', 'a\u064b‹U+200C›b'],
  ['joiners at the end of a word, and two', 'می\u200c خ\u200c\u200cو', 'می‹U+200C› خ‹U+200C×2›و'],
  ['a joiner from one script to another', 'می\u200cx', 'می‹U+200C›x'],
  ['a palochka and straight letters', 'fi\u04cfe \u04aeS \u04afs', 'fi‹U+04CF›e ‹U+04AE›S ‹U+04AF›s'],
  [
    'Greek letters in Latin words',
    'p\u03b1y l\u03b9st \u03baeep \u03c5se',
    'p‹U+03B1›y l‹U+03B9›st ‹U+03BA›eep ‹U+03C5›se',
  ],
  ['a Cyrillic letter below an accent', 'd\u043e\u0301ne, \u043aeep', 'd‹U+043E›\u0301ne, ‹U+043A›eep'],
  [
    'Cyrillic letters, each of them',
    'x\u0430\u0435\u043e\u0440\u0441 yes',
    '‹U+0078›\u0430\u0435\u043e\u0440\u0441 yes',
  ],
  [
    'many of them in one word',
    'deleting\u0430\u0435\u043e\u0440\u0441',
    'deleting‹U+0430 U+0435 U+043E U+0440 U+0441›',
  ],
  ['a Latin letter in a Cyrillic word', 'Москвa, Лiкар', 'Москв‹U+0061›, Л‹U+0069›кар'],
  ['a Greek letter in a Cyrillic word', 'к\u03bfт', 'к‹U+03BF›т'],
  ['a Cherokee letter in a Latin word', '\u13aaash', '‹U+13AA›ash'],
  ['a gap of two kinds of blanks', `a${' \u2003'.repeat(900)}b`, 'a‹U+0020 U+2003 U+0020 U+2003 … 1800›b'],
  ['a gap of wide blanks', `a${'\u3000'.repeat(900)}b`, 'a‹U+3000×900›b'],
  ['a gap with tabs', `a${'\t\u00a0'.repeat(90)}b`, 'a‹U+0009 U+00A0 U+0009 U+00A0 … 180›b'],
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
  // Joiners where scripts have them: between letters, before a sign, and behind a virama at the end of a word.
  'نامه‌ها، کِتاب‌ها',
  'র‍্যাব, ক্ষ, শ্রী, ක්‍රි',
  'അവന്‍ പറഞ്ഞു',
  '۱۴۰۰ ه‍.ش',
  // Words of one script, and signs of measures.
  'Файл file κείμενο, IP-адрес, 请把файл改成file吧',
  '10 μm, 4 kΩ, Δt, λx',
  String.raw`{"text": "Раз\nдва\tтри\u0441"}`,
  `a${' '.repeat(40)}é`,
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

test.each([
  ['a joiner behind an accent', '"e\u0301\u200cx"', String.raw`"e${'\u0301'}\u200cx"`],
  ['lookalikes', '"rm l\u03b9st \u04cfs"', String.raw`"rm l\u03b9st \u04cfs"`],
  ['a Latin letter in a Cyrillic word', '"Москвa"', String.raw`"Москв\u0061"`],
  ['a line of one script behind a line break', String.raw`"a\nдва\\\nтри"`, String.raw`"a\nдва\\\nтри"`],
  ['a gap of two kinds', `"a${' \u3000'.repeat(5)}b"`, String.raw`"a \u3000 \u3000 \u3000 \u3000 \u3000b"`],
])('WB7 escapeUnseen: %s → stands there by its code, and the JSON says the same', (_what, json, seen) => {
  expect(escapeUnseen(json)).toBe(seen);
  expect(escapeUnseen(seen)).toBe(seen);
  expect(JSON.parse(seen)).toBe(JSON.parse(json));
});
