import xterm from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import type { Key } from '../../../../packages/session/input/keys.js';
import { onKey } from '../../../../packages/session/input/on-key.js';
import { NEW_SESSION, type SessionState } from '../../../../packages/session/input/session-state.js';
import { liveArea } from '../../../../packages/session/screen/live-area.js';
import { type Drawn, frame, NOTHING_DRAWN } from '../../../../packages/session/screen/terminal.js';
import { newProgress } from '../../../../packages/view/run-progress.js';
import { noColors } from '../../../../src/shared/process/output.js';

const typed = (text: string): Key[] => [...text].map(char => ({ name: char.toLowerCase(), sequence: char }));
const NEWLINE: Key = { name: 'enter', sequence: '\n' };
const TAB: Key = { name: 'tab', sequence: '\t' };

/** A session's area on a real screen, without the session: keys in, rows of the screen out. */
function sessionState(columns: number) {
  const screen = new xterm.Terminal({ cols: columns, rows: 24, allowProposedApi: true });
  const progress = newProgress('概述 this');
  let session: SessionState = { ...NEW_SESSION, files: ['docs/', 'docs/新 笔记.md', 'src/main.ts'] };
  let drawn: Drawn = NOTHING_DRAWN;
  return async (keys: Key[]): Promise<string[]> => {
    for (const key of keys) {
      session = onKey(session, key, 10_000).session;
      const size = { columns, rows: 24, colors: noColors, now: 0 };
      const next = { lines: liveArea(progress, session, size), columns };
      const bytes = frame(drawn, next);
      drawn = next;
      await new Promise<void>(done => screen.write(bytes, done));
    }
    const { active } = screen.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true).trimEnd() ?? '',
    );
    const from = rows.findIndex(row => row.startsWith('>'));
    return rows.slice(from).join('\n').trimEnd().split('\n');
  };
}

const HINT = 'Enter steer · Alt+Enter follow-up · Esc interrupt · Ctrl-C leave · / commands · @ files';
const LIST_HINT = 'Up, Down choose · Tab takes it';

describe.each([80, 110, 160])('typing at %i columns', columns => {
  const hint = columns > HINT.length ? HINT : `${HINT.slice(0, columns - 2)}…`;

  test('a list opens, is chosen from and closes → nothing of it is left', async () => {
    const press = sessionState(columns);
    expect(await press(typed('/pa'))).toEqual([
      '> /pa',
      '› /pause  hold before the next model or tool call',
      LIST_HINT,
    ]);
    expect(await press([TAB])).toEqual(['> /pause', '/pause · hold before the next model or tool call']);
    expect(await press([{ name: 'u', ctrl: true }])).toEqual(['>', hint]);
    expect(await press(typed('读 @'))).toEqual([
      '> 读 @',
      '› docs/',
      '  "docs/新 笔记.md"',
      '  src/main.ts',
      `${LIST_HINT} · Esc closes`,
    ]);
    expect(await press([{ name: 'down' }, TAB])).toEqual(['> 读 "docs/新 笔记.md"', hint]);
  });

  test('a text of several lines, longer than the screen → each character once, rows come and go', async () => {
    const press = sessionState(columns);
    const long = '长行'.repeat(columns / 2);
    const rows = await press([...typed('一'), NEWLINE, ...typed(long), NEWLINE, ...typed('end')]);
    expect(
      rows
        .slice(0, -1)
        .map(row => row.slice(2))
        .join(''),
    ).toBe(`一${long}end`);
    expect(rows.length).toBe(6);
    const cut = [{ name: 'up' }, { name: 'end' }, { name: 'u', ctrl: true }, { name: 'backspace' }];
    expect(await press(cut)).toEqual(['> 一', '  end', hint]);
    expect(await press([{ name: 'y', ctrl: true }])).toHaveLength(5);
  });
});
