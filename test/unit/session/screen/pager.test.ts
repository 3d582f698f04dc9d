import { PassThrough } from 'node:stream';
import xterm from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { longLines, widthOf } from '../../../../packages/print/layout.js';
import type { Key } from '../../../../packages/session/input/keys.js';
import {
  fitPager,
  openPager,
  type Pager,
  pagerKey,
  pagerLines,
} from '../../../../packages/session/screen/pager.js';
import { openTerminal, type Streams } from '../../../../packages/session/screen/terminal.js';
import { noColors } from '../../../../src/shared/process/output.js';
import { until } from '../../../support/wait.js';

const SIZE = { columns: 40, rows: 12 };
const text = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`).join('\n');
const reading = { title: 'read · executed', layout: (width: number) => longLines(text, width) };

const after = (keys: Key[], pager: Pager = openPager(reading, SIZE, false)) =>
  keys.reduce((at, key) => {
    const asked = pagerKey(at, key, SIZE);
    return typeof asked === 'string' ? at : asked;
  }, pager);
const first = (pager: Pager) => pagerLines(pager, SIZE, '', noColors)[1];

describe('the pager', () => {
  test.each<[string, Key[], string]>([
    ['nothing pressed → the beginning', [], 'line 1'],
    ['Space → a page on, one line of the last stays', [{ name: 'space', sequence: ' ' }], 'line 10'],
    ['Space and b → back', [{ name: 'space' }, { name: 'b' }], 'line 1'],
    ['Down twice, Up → line by line', [{ name: 'down' }, { name: 'down' }, { name: 'up' }], 'line 2'],
    [
      'G → the last page, and no further',
      [{ name: 'g', shift: true, sequence: 'G' }, { name: 'down' }],
      'line 41',
    ],
    ['G and Up → from there', [{ name: 'end' }, { name: 'up' }], 'line 40'],
    ['G and Home → the beginning', [{ name: 'end' }, { name: 'home' }], 'line 1'],
  ])('%s', (_name, keys, shown) => {
    expect(first(after(keys))).toBe(shown);
  });

  test('opened at its end → the last page', () => {
    expect(first(openPager(reading, SIZE, true))).toBe('line 41');
  });

  test.each([{ name: 'q' }, { name: 'escape' }, { name: 'c', ctrl: true }, { name: 'o', ctrl: true }])(
    '%o → closes',
    key => {
      expect(pagerKey(openPager(reading, SIZE, false), key, SIZE)).toBe('close');
    },
  );

  test('any width → fills the rows, no line too wide, nothing of a long line of any script lost', () => {
    const long = `${'长'.repeat(3_000)}${'x'.repeat(3_000)}`;
    const layout = (width: number) => longLines(long, width);
    const opened = openPager({ title: '长'.repeat(100), layout }, SIZE, false);
    for (const columns of [40, 80, 160]) {
      const size = { columns, rows: 12 };
      const fitted = fitPager(opened, size);
      const lines = pagerLines(fitted, size, 'g1 waits for your answer', noColors);
      expect(lines).toHaveLength(12);
      for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
      expect(fitted.laid.lines.join('')).toBe(long);
    }
  });

  test('a session behind it: lines that come meanwhile → are there when it is closed, above the area', async () => {
    const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
    const stdout = Object.assign(new PassThrough(), { columns: 40, rows: 12 });
    const screen = new xterm.Terminal({ cols: 40, rows: 12, allowProposedApi: true });
    stdout.on('data', chunk => screen.write(chunk));
    let pager: Pager | null = null;
    const area = () => (pager ? pagerLines(pager, SIZE, '', noColors) : ['> typed']);
    const streams = { stdin, stdout } as unknown as Streams;
    const terminal = openTerminal({ key: () => undefined, area }, streams);
    const lines = () => {
      const { active } = screen.buffer;
      const all = Array.from(
        { length: active.length },
        (_, at) => active.getLine(at)?.translateToString(true) ?? '',
      );
      return all.join('\n').trimEnd();
    };
    terminal.print(['an event']);
    await until('the event', () => (lines() === 'an event\n> typed' ? true : null));
    pager = openPager(reading, SIZE, false);
    terminal.fullScreen(true);
    await until('the pager', () => (lines().includes('line 10') ? true : null));
    terminal.print(['another event']);
    terminal.refresh();
    await new Promise(resolve => setImmediate(resolve));
    expect(lines().split('\n')[1]).toBe('line 1');
    pager = null;
    terminal.fullScreen(false);
    await until('both events', () => (lines() === 'an event\nanother event\n> typed' ? true : null));
    terminal.close();
  });
});
