/** Writes a session's permanent lines, which scroll up above its live area. */

import { endLine, markdownLines, wrapText } from '@steersman/print';
import type { RunEnd } from 'steersman/client';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import type { Page } from './scroll-lines.js';
import type { Terminal } from './terminal.js';

/** Only the terminal wraps such a line, so that the link stays clickable. */
const LINK_AT_END = /^.{0,12}https?:\/\/\S+$/;

export class Scrollback {
  readonly colors: Colors;
  /** Ids of messages that this session sent. */
  readonly ownMessages: string[] = [];
  readonly #terminal: Terminal;
  #lastAnswer: string | null = null;

  constructor(terminal: Terminal, colors: Colors) {
    this.#terminal = terminal;
    this.colors = colors;
  }

  get page(): Page {
    return { width: Math.max(20, this.#terminal.columns() - 1), colors: this.colors };
  }

  print(lines: readonly string[]): void {
    this.#terminal.print(lines);
  }

  write(lines: readonly string[]): void {
    const { width } = this.page;
    const wrapped = (line: string) => (LINK_AT_END.test(line) ? [line] : wrapText(line, width, '      '));
    this.print(lines.flatMap(line => line.split('\n')).flatMap(wrapped));
  }

  /** Writes a message for the person, in its own colour. */
  tell(lines: readonly string[]): void {
    this.write(lines.map(line => this.colors.yellow(terminalText(line))));
  }

  you(how: string, text: string): void {
    this.write([`${this.colors.bold(`you${how}:`)} ${terminalText(text)}`]);
  }

  answer(answer: string, outcome: string): void {
    const { green, bold } = this.colors;
    const lines = answer === '' ? [] : ['', ...markdownLines(answer, this.page)];
    this.#lastAnswer = answer;
    this.print(['', green(bold(outcome)), ...lines, '']);
  }

  /** Writes the run's end, with its answer unless that was printed before. */
  end(end: RunEnd): void {
    const answer = end.result?.text ?? '';
    if (answer !== '' && answer !== this.#lastAnswer) this.answer(answer, endLine(end));
    else if (end.outcome !== 'completed' || this.#lastAnswer === null) this.write([endLine(end)]);
  }
}
