import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pc from 'picocolors';
import { describe, expect, test, vi } from 'vitest';
import { escapeUnseen } from '../../../src/base/text/unseen.js';
import { noColors, takesColors, textSink } from '../../../src/shared/process/output.js';
import { jsonLine, printable, terminalText } from '../../../src/shared/process/terminal-text.js';

const HOSTILE: [string, string, string][] = [
  ['a window title (OSC)', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a window title in 8-bit controls', 'a\u009d0;owned\u009cb', 'ab'],
  ['a string that never ends', 'a\u001b]52;c;eA== b', 'a52;c;eA== b'],
  ['clear screen (CSI)', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
  ['clear screen in 8-bit controls', 'a\u009b2Jb', 'ab'],
  ['hidden text (SGR 8)', 'a\u001b[8mb', 'ab'],
  ['a charset switch', 'a\u001b(0b', 'ab'],
  ['a sequence cut in two', 'a\u001b', 'a'],
  ['bell, backspace, carriage return', 'a\u0007b\b\rc', 'abc'],
  ['bidi controls', 'a\u202eb\u2066c\u200f', 'abc'],
  ['what takes no room', 'a\u200bb\u2060\ufeffc\u00ad', 'abc'],
  ['tags', 'a\u{e0061}\u{e0062}b', 'ab'],
  ['what chooses between forms, and says more', 'a\ufe00\u{e0100}\u{e01ef}\u{1d173}b', 'ab'],
  ['a joiner that joins nothing', 'a\u200db', 'ab'],
];
const HARMLESS: [string, string][] = [
  ['newline and tab', 'a\n\tb'],
  ['CJK', '船は三隻'],
  ['an emoji of several', '👩\u200d👩\u200d👧 ❤\ufe0f'],
  ['Persian', 'می\u200cخواهم'],
];

describe('what reaches a terminal', () => {
  test.each(HOSTILE)('foreign text: %s → gone (TR6)', (_name, text, clean) => {
    expect(terminalText(text)).toBe(clean);
  });

  test('foreign text: a million beginnings of sequences that never end → gone, each looked at once (TR6)', () => {
    for (const begin of [
      '\u009d',
      '\u0090',
      '\u001b]',
      '\u001bP',
      '\u001b[',
      '\u009b',
      '\u001b[0',
      '\u009d0',
    ]) {
      const left = begin.endsWith('0') ? '0'.repeat(1_000_000) : '';
      expect([terminalText(begin.repeat(1_000_000)).length, begin]).toEqual([left.length, begin]);
    }
  });

  test('a sink: a stream that is a terminal → colours, but where TERM is dumb, or NO_COLOR is set and not empty', () => {
    const isColored = (given: Record<string, string>, isTTY = true) => {
      for (const name of ['TERM', 'NO_COLOR']) vi.stubEnv(name, given[name]);
      return takesColors({ isTTY });
    };
    expect(isColored({ TERM: 'xterm' })).toBe(true);
    expect(isColored({})).toBe(true);
    expect(isColored({ TERM: 'dumb' })).toBe(false);
    expect(isColored({ TERM: 'xterm', NO_COLOR: '0' })).toBe(false);
    expect(isColored({ TERM: 'xterm', NO_COLOR: '' })).toBe(true);
    expect(isColored({ TERM: 'xterm' }, false)).toBe(false);
    vi.unstubAllEnvs();
  });

  test.each(HARMLESS)('foreign text: %s → kept', (_name, text) => {
    expect(terminalText(text)).toBe(text);
  });

  test('a sink: text that no caller has cleaned → cleaned, on lines and in running text (TR6)', () => {
    for (const colors of [noColors, pc.createColors(true)]) {
      let written = '';
      const sink = textSink(text => {
        written += text;
      }, colors);
      for (const [, hostile] of HOSTILE) {
        sink.line(hostile);
        sink.text(hostile);
      }
      expect(terminalText(written)).toBe(written);
    }
  });

  test('a sink with colours: our own styles → kept; without: foreign styles → gone', () => {
    const colors = pc.createColors(true);
    const styled = `${colors.bold('a')}${colors.yellow('b')}${colors.dim('c')}`;
    expect(printable(styled)).toBe(styled);
    let written = '';
    textSink(text => {
      written += text;
    }, noColors).line('\u001b[31mred');
    expect(written).toBe('red\n');
  });

  test('JSON: what is not seen → escaped, and nothing lost (TR6)', () => {
    for (const [, hostile] of HOSTILE) {
      const line = jsonLine({ text: hostile });
      expect(terminalText(line)).toBe(line);
      expect(JSON.parse(line)).toEqual({ text: hostile });
      expect(JSON.parse(escapeUnseen(JSON.stringify([hostile], null, 2)))).toEqual([hostile]);
    }
  });

  test('streams: only the sinks and the screen of a session write to them (TR6)', () => {
    const root = join(import.meta.dirname, '../../..');
    const writers = ['src', 'packages']
      .flatMap(folder =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(file =>
          join(folder, file),
        ),
      )
      .filter(file => file.endsWith('.ts'))
      .filter(file => /\bstd(out|err)\.write\(|console\.\w+\(/.test(readFileSync(join(root, file), 'utf8')));
    // The bin says a sentence of its own to a Node that can load neither.
    expect(writers.sort()).toEqual([
      'packages/session/screen/terminal.ts',
      'src/cli.ts',
      'src/shared/process/output.ts',
    ]);
  });
});

test('jsonLine: what models and tools named as we name moments → stays as they gave it', () => {
  const given = {
    content: [
      { type: 'tool_use', input: { at: 3, deep: [{ since: 1e17 }] } },
      { type: 'tool_result', content: [{ type: 'json', value: { deadline: 5 } }] },
    ],
    gate: { subject: { schema: { properties: { at: { minimum: 1 } }, at: 2 } } },
  };
  expect(JSON.parse(jsonLine(given))).toEqual(given);
});

test('JSON lines: moments → ISO 8601, whatever the verb (TE9)', () => {
  const at = Date.UTC(2026, 0, 31);
  expect(JSON.parse(jsonLine({ seq: 1, at, gate: { openedAt: at, deadline: at, turns: 3 } }))).toEqual({
    seq: 1,
    at: '2026-01-31T00:00:00.000Z',
    gate: { openedAt: '2026-01-31T00:00:00.000Z', deadline: '2026-01-31T00:00:00.000Z', turns: 3 },
  });
});
