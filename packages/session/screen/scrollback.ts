/** What a session writes for good: lines that scroll up above its area. */

import { endLine, markdownLines, wrapText } from '@steersman/print';
import type { RunEnd } from 'steersman/client';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import type { Page } from './scroll-lines.js';
import type { Terminal } from './terminal.js';

/** Broken by the terminal alone, so that it can be clicked. */
const LINK_AT_END = /^.{0,12}https?:\/\/\S+$/;

export class Scrollback {
  readonly colors: Colors;
  /** Ids of the messages that were sent from here. */
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

  /** Something that a person should know, in a colour of its own. */
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

  /** The end, with its answer where that was not told before. */
  end(end: RunEnd): void {
    const answer = end.result?.text ?? '';
    if (answer !== '' && answer !== this.#lastAnswer) this.answer(answer, endLine(end));
    else if (end.outcome !== 'completed' || this.#lastAnswer === null) this.write([endLine(end)]);
  }
}
