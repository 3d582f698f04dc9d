import xterm from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { type Drawn, frame, NOTHING_DRAWN } from '../../../../packages/session/screen/terminal.js';

/** A real terminal's screen, without the window. */
function terminal(columns: number, rows: number) {
  const { Terminal } = xterm;
  const emulator = new Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let drawn: Drawn = NOTHING_DRAWN;
  return {
    write: (bytes: string) => new Promise<void>(done => emulator.write(bytes, done)),
    async show(lines: string[], printed: string[] = []): Promise<string> {
      const next = { lines, columns: emulator.cols };
      const bytes = frame(drawn, next, printed);
      drawn = next;
      await this.write(bytes);
      return bytes;
    },
    resize: (to: number) => emulator.resize(to, rows),
    /** All lines from the first, without empty ones at the end. */
    lines(): string[] {
      const { active } = emulator.buffer;
      const all: string[] = [];
      for (let at = 0; at < active.length; at += 1) {
        const line = active.getLine(at);
        const text = line?.translateToString(true) ?? '';
        if (line?.isWrapped) all.push(`${all.pop()}${text}`);
        else all.push(text);
      }
      while (all.at(-1) === '') all.pop();
      return all;
    },
  };
}

describe('the screen of a session', () => {
  test('the area: lines that change, come and go → the screen has what was drawn last', async () => {
    const screen = terminal(40, 6);
    await screen.write('$ npm start\r\n');
    const areas = [
      ['a'],
      ['a', 'b', 'c'],
      ['a', 'B', 'c'],
      ['c'],
      [],
      ['x', 'y'],
      ['', 'y', 'z', 'w', 'v'],
      ['v'],
    ];
    for (const area of areas) {
      await screen.show(area);
      expect(screen.lines()).toEqual(['$ npm start', ...area].slice(0, area.length + 1));
    }
  });

  test('printed lines → above the area, for good, also where the screen scrolls', async () => {
    const screen = terminal(40, 6);
    const printed: string[] = [];
    for (let at = 0; at < 12; at += 1) {
      const area = Array.from({ length: 1 + (at % 4) }, (_, line) => `area ${at} ${line}`);
      printed.push(`event ${at}`);
      await screen.show(area, [`event ${at}`]);
      expect(screen.lines()).toEqual([...printed, ...area]);
    }
    await screen.show([], ['last']);
    expect(screen.lines()).toEqual([...printed, 'last']);
  });

  test('one line of ten changes → only that line is written; none → nothing (TE5)', async () => {
    const screen = terminal(40, 20);
    const area = Array.from({ length: 10 }, (_, at) => `line number ${at}`);
    await screen.show(area);
    const bytes = await screen.show(area.with(4, 'changed'));
    expect(bytes).toContain('changed');
    expect(bytes).not.toContain('line number');
    expect(await screen.show(area.with(4, 'changed'))).toBe('');
  });

  test('no frame erases what it has not written: the area is never missing (TE5)', async () => {
    const screen = terminal(40, 20);
    const area = ['status', 'task', '> typed'];
    await screen.show(area);
    const bytes = await screen.show(area, ['an event']);
    for (let end = 1; end <= bytes.length; end += 1) {
      const half = terminal(40, 20);
      await half.show(area);
      await half.write(bytes.slice(0, end));
      expect(half.lines().length).toBeGreaterThanOrEqual(area.length);
      expect(half.lines()).not.toContain('');
    }
  });

  test('the terminal becomes narrower, then wider → no line of the old area is left (TE5)', async () => {
    const screen = terminal(60, 20);
    const area = (columns: number) => ['─'.repeat(columns - 1), 'counters', `> ${'x'.repeat(columns - 6)}`];
    await screen.show(area(60), ['an event']);
    for (const columns of [31, 20, 44, 60]) {
      screen.resize(columns);
      await screen.show(area(columns));
      expect(screen.lines()).toEqual(['an event', ...area(columns)]);
    }
  });
});
