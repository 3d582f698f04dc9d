/** The terminal of a session: it reads keys, and writes lines that scroll up and a live area below them. */

import { emitKeypressEvents, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import { fitLine, widthOf } from '@steersman/print';
import { env, printable } from 'steersman/shared';
import { type Key, TELL_KEYS, TELL_KEYS_NO_MORE, wholeKeys } from '../input/keys.js';

export interface Terminal {
  columns(): number;
  rows(): number;
  /** Prints permanent lines above the live area. */
  print(lines: readonly string[]): void;
  /** Redraws the live area once, after the current events are handled. */
  refresh(): void;
  /** Shows only the area, on the alternate screen; or puts it back below the scrolled lines. */
  fullScreen(on: boolean): void;
  /** Releases the terminal until the work is done. */
  lend(work: () => Promise<void>): Promise<void>;
  /** Removes the live area and restores the terminal. Repeated calls do nothing. */
  close(): void;
}

export interface TerminalHandlers {
  /** Handles a key; a pasted text is one key, named `paste`. */
  key(key: Key): void;
  /** Returns the current lines of the live area. */
  area(): readonly string[];
}

export interface Streams {
  stdin: Pick<ReadStream, 'on' | 'off' | 'setRawMode' | 'resume' | 'pause'>;
  stdout: Pick<WriteStream, 'write' | 'on' | 'off' | 'columns' | 'rows'>;
}

/** Escape counts as a separate key if nothing follows within this time. */
const ESCAPE_MS = 60;
/** A process that receives a stop signal has stopped after this time. */
const RESUME_MS = 100;
/** Turns bracketed paste on and hides the cursor: the area draws its own. */
const TAKE = `\u001b[?2004h\u001b[?25l${TELL_KEYS}`;
const GIVE_BACK = `${TELL_KEYS_NO_MORE}\u001b[?2004l\u001b[?25h`;

/** Switches to the empty alternate screen, and back to the main screen. */
const EMPTY_SCREEN = '\u001b[H\u001b[2J';
const OTHER_SCREEN = `\u001b[?1049h${EMPTY_SCREEN}`;
const FIRST_SCREEN = '\u001b[?1049l';

/** True if stdin and stdout are a terminal that can move its cursor, so that a session is possible. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && env.lookup('TERM') !== 'dumb';
}

/** Stops this process and its parents in the foreground job, as Ctrl-Z does without raw mode. */
function suspendJob(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP');
}

/**
 * Takes the terminal over until `close`, which also happens when the process ends. Ctrl-Z releases it while the process
 * is suspended.
 */
export function openTerminal(
  handlers: TerminalHandlers,
  streams: Streams = process,
  suspend = suspendJob,
): Terminal {
  const { stdin, stdout } = streams;
  const screen = new Screen(stdout, () => handlers.area());
  let open = true;

  const lend = async (work: () => Promise<void>) => {
    const wasFull = screen.isFull;
    screen.leave();
    giveBack(streams);
    await work().finally(() => {
      if (!open) return;
      take(streams);
      screen.comeBack(wasFull);
    });
  };
  const suspendFor = async () => {
    suspend();
    // A stopped process finishes this delay only after it continues; one that can't be stopped continues at once.
    await delay(RESUME_MS);
  };
  const onKey = keyReader(key => {
    if (key.ctrl && key.name === 'z') return void lend(suspendFor);
    handlers.key(key);
    screen.refresh();
  });
  const onResize = () => screen.resized();
  const close = () => {
    if (!open) return;
    open = false;
    screen.leave();
    giveBack(streams);
    stdin.off('keypress', onKey);
    stdout.off('resize', onResize);
    unheed();
  };

  // Only this part of the interface is used; a full readline interface would edit lines itself.
  emitKeypressEvents(stdin as ReadStream, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  take(streams);
  stdin.on('keypress', onKey);
  stdout.on('resize', onResize);
  // In raw mode Ctrl-C is a key; a SIGINT from another process has the same meaning.
  const unheed = heedSignals(close, () => !screen.isAway && onKey(undefined, { name: 'c', ctrl: true }));
  screen.refresh();
  return {
    columns: () => screen.columns,
    rows: () => stdout.rows || 24,
    print: lines => screen.print(lines),
    refresh: () => screen.refresh(),
    fullScreen: on => open && screen.fullScreen(on),
    lend,
    close,
  };
}

function take({ stdin, stdout }: Streams): void {
  stdin.setRawMode(true);
  stdout.write(TAKE);
  stdin.resume();
}

function giveBack({ stdin, stdout }: Streams): void {
  stdout.write(GIVE_BACK);
  stdin.setRawMode(false);
  stdin.pause();
}

/** Closes the terminal when the process ends. Returns a function that removes the listeners. */
function heedSignals(close: () => void, interrupt: () => void): () => void {
  const onTerm = () => {
    close();
    process.exit(143);
  };
  process.once('exit', close).once('SIGTERM', onTerm).once('SIGHUP', onTerm).on('SIGINT', interrupt);
  return () =>
    process.off('exit', close).off('SIGTERM', onTerm).off('SIGHUP', onTerm).off('SIGINT', interrupt);
}

/** Lines that scroll up, and the live area below them or on a screen of its own. */
class Screen {
  readonly #stdout: Streams['stdout'];
  readonly #area: () => readonly string[];
  #drawn: Drawn = NOTHING_DRAWN;
  #due: string[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  #isAway = false;
  /** The state of the area below the lines while the alternate screen is shown; lines wait meanwhile. */
  #below: Drawn | null = null;

  constructor(stdout: Streams['stdout'], area: () => readonly string[]) {
    this.#stdout = stdout;
    this.#area = area;
  }

  get columns(): number {
    return this.#stdout.columns || 80;
  }

  get isFull(): boolean {
    return this.#below !== null;
  }

  /** True while another program uses the terminal, so nothing is drawn. */
  get isAway(): boolean {
    return this.#isAway;
  }

  print(lines: readonly string[]): void {
    this.#due.push(...lines);
    this.refresh();
  }

  refresh(): void {
    if (this.#isAway || this.#scheduled) return;
    // Draws once after the whole chunk of keys, however much is typed or pasted.
    this.#scheduled = setImmediate(() => {
      this.#scheduled = null;
      if (!this.#isAway) this.#show(this.#area());
    });
  }

  fullScreen(on: boolean): void {
    if (on === this.isFull) return;
    this.#stdout.write(on ? OTHER_SCREEN : FIRST_SCREEN);
    const back = this.#below ?? NOTHING_DRAWN;
    this.#below = on ? this.#drawn : null;
    this.#drawn = on ? NOTHING_DRAWN : back;
    this.refresh();
  }

  resized(): void {
    // After a change of size the content of the alternate screen is unknown.
    if (this.isFull) {
      this.#stdout.write(EMPTY_SCREEN);
      this.#drawn = NOTHING_DRAWN;
    }
    this.refresh();
  }

  /** Removes the area and leaves the terminal to another program. */
  leave(): void {
    this.fullScreen(false);
    this.#isAway = true;
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    this.#show([]);
  }

  comeBack(full: boolean): void {
    this.#isAway = false;
    this.#drawn = NOTHING_DRAWN;
    this.fullScreen(full);
    this.refresh();
  }

  #show(lines: readonly string[]): void {
    const { columns } = this;
    const next = { lines: lines.map(line => fitLine(printable(line), columns - 1)), columns };
    const bytes = frame(this.#drawn, next, this.isFull ? [] : this.#due.map(printable));
    this.#drawn = next;
    if (!this.isFull) this.#due = [];
    if (bytes !== '') this.#stdout.write(bytes);
  }
}

/** Collects pasted text into one key: it can be long, and no part of it is a command. */
function keyReader(give: (key: Key) => void): (text: string | undefined, key: Key) => void {
  let pasted: string[] | null = null;
  const giveWhole = wholeKeys(give);
  return (_text, key) => {
    if (key.name === 'paste-start') pasted = [];
    else if (key.name === 'paste-end') {
      const text = (pasted ?? []).join('').replace(/\r\n?/g, '\n');
      pasted = null;
      give({ name: 'paste', sequence: text });
    } else if (pasted) pasted.push(key.sequence ?? '');
    else giveWhole(key);
  };
}

// Computes the bytes that scroll lines up above an area at the bottom. Only changed lines of the area are rewritten,
// without erasing first, so that no frame lacks it. Pure.

const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const down = (rows: number) => (rows > 0 ? `\u001b[${rows}B` : '');
/** Clear to the end of the line, and of the screen. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** Terminals that know this mode show the frame at once; others ignore it. */
const TOGETHER = ['\u001b[?2026h', '\u001b[?2026l'] as const;

/** The area as it is on the screen; the cursor is at the beginning of its last line. */
export interface Drawn {
  lines: readonly string[];
  columns: number;
}

export const NOTHING_DRAWN: Drawn = { lines: [], columns: 0 };

/** Returns the bytes that print `printed` above the area and turn it into `next`; empty if nothing differs. */
export function frame(drawn: Drawn, next: Drawn, printed: readonly string[] = []): string {
  const body =
    printed.length > 0 || next.columns !== drawn.columns
      ? wholeFrame(drawn, next, printed)
      : changedLines(drawn.lines, next.lines);
  return body === '' ? '' : `${TOGETHER[0]}${body}${TOGETHER[1]}`;
}

/** Rewrites everything from the first line of the area on. */
function wholeFrame(drawn: Drawn, next: Drawn, printed: readonly string[]): string {
  const lines = [...printed, ...next.lines].map(line => `${line}${CLEAR_LINE}`);
  // Without an area below, the cursor waits on a line of its own.
  const end = next.lines.length === 0 && printed.length > 0 ? '\r\n' : '';
  return `\r${up(rowsAbove(drawn, next.columns))}${lines.join('\r\n')}${end}${CLEAR_BELOW}\r`;
}

/** Returns the rows from the first line of the area to its last: a terminal that became narrower has wrapped them. */
function rowsAbove({ lines }: Drawn, columns: number): number {
  return lines
    .slice(0, -1)
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))), 0);
}

function changedLines(before: readonly string[], after: readonly string[]): string {
  let text = '';
  let at = Math.max(0, before.length - 1);
  const moveTo = (row: number) => {
    text += `\r${row < at ? up(at - row) : down(row - at)}`;
    at = row;
  };
  const shared = Math.min(before.length, after.length);
  for (let row = 0; row < shared; row += 1) {
    if (before[row] === after[row]) continue;
    moveTo(row);
    text += `${after[row]}${CLEAR_LINE}`;
  }
  if (after.length < before.length) {
    moveTo(after.length);
    text += CLEAR_BELOW;
  }
  if (after.length > before.length) {
    if (before.length > 0) moveTo(before.length - 1);
    const more = after.slice(before.length).join('\r\n');
    // Only a newline creates a row at the bottom of the screen.
    text += before.length > 0 ? `\r\n${more}` : more;
    at = after.length - 1;
  }
  if (text === '') return '';
  moveTo(Math.max(0, after.length - 1));
  return text;
}
