/** The terminal of a session: keys in, lines that scroll up, and an area below them that is drawn again. */

import { emitKeypressEvents, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReadStream, WriteStream } from 'node:tty';
import { fitLine, widthOf } from '@steersman/print';
import { env, printable } from 'steersman/shared';
import { type Key, TELL_KEYS, TELL_KEYS_NO_MORE, wholeKeys } from '../input/keys.js';

export interface Terminal {
  columns(): number;
  rows(): number;
  /** Lines above the live area, for good. */
  print(lines: readonly string[]): void;
  /** Draws the live area anew, once, after all that is happening now has happened. */
  refresh(): void;
  /** The area gets a screen of its own, on which nothing scrolls; or goes back below the lines that scroll. */
  fullScreen(on: boolean): void;
  /** Gives the terminal to somebody else until the work is done. */
  lend(work: () => Promise<void>): Promise<void>;
  /** Takes the live area away and gives the terminal back as it was. Safe to call again. */
  close(): void;
}

export interface TerminalHandlers {
  /** A key; pasted text is one, called `paste`. */
  key(key: Key): void;
  /** Lines of the live area as it is now. */
  area(): readonly string[];
}

export interface Streams {
  stdin: Pick<ReadStream, 'on' | 'off' | 'setRawMode' | 'resume' | 'pause'>;
  stdout: Pick<WriteStream, 'write' | 'on' | 'off' | 'columns' | 'rows'>;
}

/** Escape alone is a key of its own when nothing follows for so long. */
const ESCAPE_MS = 60;
/** After this time a stopped process has stopped. */
const RESUME_MS = 100;
/** Bracketed paste on, cursor hidden: the area has one of its own. */
const TAKE = `\u001b[?2004h\u001b[?25l${TELL_KEYS}`;
const GIVE_BACK = `${TELL_KEYS_NO_MORE}\u001b[?2004l\u001b[?25h`;

/** Switches to the empty alternate screen, and back to the first screen. */
const EMPTY_SCREEN = '\u001b[H\u001b[2J';
const OTHER_SCREEN = `\u001b[?1049h${EMPTY_SCREEN}`;
const FIRST_SCREEN = '\u001b[?1049l';

/** Both ends are a terminal that can move its cursor, so a session can be held. */
export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && env.lookup('TERM') !== 'dumb';
}

/** Stops this process and those that started it in the foreground, as Ctrl-Z does where no program reads keys. */
function suspendJob(): void {
  if (process.platform !== 'win32') process.kill(0, 'SIGTSTP');
}

/**
 * Takes the terminal over until `close`, which also happens when the process ends. Ctrl-Z gives it back while the
 * process is suspended.
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
    // A stopped process reaches the end of this when it continues; if nothing can stop it, at once.
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
  // In raw mode Ctrl-C is a key; the signal comes from elsewhere and means the same.
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

/** Closes when the process ends. The result takes the listeners away again. */
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
  /** The area below the lines, while it has a screen of its own; then lines wait until it is back. */
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

  /** The terminal is somebody else's, and nothing is drawn. */
  get isAway(): boolean {
    return this.#isAway;
  }

  print(lines: readonly string[]): void {
    this.#due.push(...lines);
    this.refresh();
  }

  refresh(): void {
    if (this.#isAway || this.#scheduled) return;
    // After the whole chunk of keys that is being read: however much is typed or pasted, it is drawn once.
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

  /** Takes the area away. */
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

/** Gathers what is pasted into one key: it can be long, and none of it is a command. */
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

// What to write to a terminal so that lines scroll up for good above an area at the bottom, of which only what
// differs is written anew: it is never erased first, so no frame lacks it. Pure.

const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const down = (rows: number) => (rows > 0 ? `\u001b[${rows}B` : '');
/** To the end of the line, and of the screen. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';
/** Terminals that know this show all of it at once; others ignore it. */
const TOGETHER = ['\u001b[?2026h', '\u001b[?2026l'] as const;

/** The area as it stands on the screen; the cursor rests at the beginning of its last line. */
export interface Drawn {
  lines: readonly string[];
  columns: number;
}

export const NOTHING_DRAWN: Drawn = { lines: [], columns: 0 };

/** The bytes that print `printed` above the area and turn it into `next`; empty where nothing differs. */
export function frame(drawn: Drawn, next: Drawn, printed: readonly string[] = []): string {
  const body =
    printed.length > 0 || next.columns !== drawn.columns
      ? wholeFrame(drawn, next, printed)
      : changedLines(drawn.lines, next.lines);
  return body === '' ? '' : `${TOGETHER[0]}${body}${TOGETHER[1]}`;
}

/** Everything from the first line of the area on, written over what is there. */
function wholeFrame(drawn: Drawn, next: Drawn, printed: readonly string[]): string {
  const lines = [...printed, ...next.lines].map(line => `${line}${CLEAR_LINE}`);
  // With no area below, the cursor waits on a line of its own.
  const end = next.lines.length === 0 && printed.length > 0 ? '\r\n' : '';
  return `\r${up(rowsAbove(drawn, next.columns))}${lines.join('\r\n')}${end}${CLEAR_BELOW}\r`;
}

/** Rows between the first line of the area and its last: a terminal that has become narrower has wrapped them. */
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
    // Only a newline makes room at the bottom of the screen.
    text += before.length > 0 ? `\r\n${more}` : more;
    at = after.length - 1;
  }
  if (text === '') return '';
  moveTo(Math.max(0, after.length - 1));
  return text;
}
