import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Key } from '../../../../packages/session/input/keys.js';
import { openTerminal, type Streams } from '../../../../packages/session/screen/terminal.js';
import { until } from '../../../support/wait.js';

function open() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) });
  const suspended: string[] = [];
  const stdout = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let written = '';
  stdout.on('data', chunk => {
    written += chunk;
  });
  const keys: Key[] = [];
  let draws = 0;
  const terminal = openTerminal(
    {
      key: key => keys.push(key),
      area: () => {
        draws += 1;
        return [`> ${keys.length}`];
      },
    },
    { stdin, stdout } as unknown as Streams,
    () => suspended.push(written),
  );
  return { terminal, stdin, keys, modes, suspended, draws: () => draws, written: () => written };
}

describe('the terminal of a session', () => {
  test('4 KB pasted (TE1) → one key, drawn once', async () => {
    const { terminal, stdin, keys, draws, written } = open();
    await until('the first frame', () => (draws() === 1 ? true : null));
    const text = 'A line of the paste.\r\n'.repeat(190);
    stdin.write(`\u001b[200~${text}\u001b[201~`);
    await until('the paste is drawn', () => (written().includes('> 1') ? true : null));
    expect(keys).toEqual([{ name: 'paste', sequence: text.replaceAll('\r\n', '\n') }]);
    expect(draws()).toBe(2);
    terminal.close();
  });

  test('4 KB pasted into a terminal that marks no pastes (TE1) → drawn once', async () => {
    const { terminal, stdin, keys, draws, written } = open();
    await until('the first frame', () => (draws() === 1 ? true : null));
    stdin.write('x'.repeat(4_096));
    await until('the text is drawn', () => (written().includes('> 4096') ? true : null));
    expect(keys).toHaveLength(4_096);
    expect(draws()).toBe(2);
    terminal.close();
  });

  test('keys that node takes apart → come whole; the terminal is asked to tell them, and asked to stop', async () => {
    const { terminal, stdin, keys, written } = open();
    stdin.write('\u001b[27;2;13~a\u001b[99;133u\u001b[57376;2u\u001b[1;');
    stdin.write('129Ab');
    await until('the last key', () => (keys.at(-1)?.name === 'b' ? true : null));
    expect(keys.map(({ name, ctrl, shift }) => [name, ctrl, shift])).toEqual([
      ['return', false, true],
      ['a', false, false],
      ['c', true, false],
      [undefined, false, true],
      ['up', false, false],
      ['b', false, false],
    ]);
    terminal.close();
    expect(written().indexOf('\u001b[>1u')).toBeGreaterThanOrEqual(0);
    expect(written().indexOf('\u001b[<u')).toBeGreaterThan(written().indexOf('> 6'));
  });

  test('Ctrl-Z → the terminal is given back before the process stops, and taken again when it goes on', async () => {
    const { terminal, stdin, keys, modes, written, suspended } = open();
    stdin.write('a\u001a');
    await until('it stops', () => (suspended.length > 0 ? true : null));
    expect(suspended[0]?.endsWith('\u001b[?2004l\u001b[?25h')).toBe(true);
    expect(modes).toEqual([true, false]);
    await until('it has the terminal again', () => (modes.length === 3 ? true : null));
    stdin.write('b');
    await until('the next key is drawn', () => (written().includes('> 2') ? true : null));
    expect(keys.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(written().split('\u001b[?2004h')).toHaveLength(3);
    terminal.close();
    expect(modes).toEqual([true, false, true, false]);
  });

  test('printed lines and the area (TR6) → only our own styles reach the terminal', async () => {
    const { terminal, written } = open();
    terminal.print(['a\u001b]0;owned\u0007\u001b[2J\u202eb', '\u001b[1mbold\u001b[22m']);
    await until('it is printed', () => (written().includes('bold') ? true : null));
    expect(written()).toContain('ab\u001b[K');
    expect(written()).toContain('\u001b[1mbold\u001b[22m');
    terminal.close();
    expect(written()).not.toContain('owned');
  });
});
