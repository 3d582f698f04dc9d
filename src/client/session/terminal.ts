/** The terminal of a session: keys in, lines that scroll up, and an area below them that is drawn again. */
import { emitKeypressEvents, type Interface } from 'node:readline';
import { createLogUpdate } from 'log-update';
import type { Key } from './line-editor.js';

export interface Terminal {
  columns(): number;
  rows(): number;
  /** Lines above the live area, for good. */
  print(lines: readonly string[]): void;
  /** The live area, in place of the one before. */
  draw(lines: readonly string[]): void;
  /** Takes the live area away and gives the terminal back as it was. Safe to call again. */
  close(): void;
}

/** Escape alone is a key of its own when nothing follows for so long. */
const ESCAPE_MS = 60;
const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

/** Both ends are a terminal, so a session can be held. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Takes the terminal over until `close`, which also happens when the process ends. */
export function openTerminal(handlers: { key: (key: Key) => void; resize: () => void }): Terminal {
  const { stdin, stdout } = process;
  const log = createLogUpdate(stdout);
  let area: readonly string[] = [];
  let open = true;
  const onKey = (_text: string | undefined, key: Key) => handlers.key(key);
  const draw = (lines: readonly string[]) => {
    if (!open) return;
    // Its way of drawing only what differs leaves lines behind when their number changes.
    if (lines.length !== area.length) log.clear();
    area = lines;
    log(lines.join('\n'));
  };
  const close = () => {
    if (!open) return;
    open = false;
    log.clear();
    log.done();
    stdout.write(PASTE_OFF);
    stdin.off('keypress', onKey);
    stdout.off('resize', handlers.resize);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
    process.off('exit', close).off('SIGTERM', onTerm).off('SIGHUP', onTerm).off('SIGINT', onSigint);
  };
  const onTerm = () => {
    close();
    process.exit(143);
  };
  // In raw mode Ctrl-C is a key; the signal comes from elsewhere and means the same.
  const onSigint = () => handlers.key({ name: 'c', ctrl: true });

  // Of the interface only this is read; a real one would edit lines of its own.
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on('keypress', onKey);
  stdout.on('resize', handlers.resize);
  stdout.write(PASTE_ON);
  process.once('exit', close).once('SIGTERM', onTerm).once('SIGHUP', onTerm).on('SIGINT', onSigint);
  return {
    columns: () => stdout.columns || 80,
    rows: () => stdout.rows || 24,
    print: lines => {
      if (!open || lines.length === 0) return;
      log.clear();
      stdout.write(`${lines.join('\n')}\n`);
      draw(area);
    },
    draw,
    close,
  };
}
