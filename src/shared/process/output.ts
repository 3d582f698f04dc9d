/**
 * The streams of the command line: answers and machine lines on stdout, everything else on stderr. Only these functions
 * and a session's screen write to the terminal; both only let through what `terminal-text.ts` allows (TR6).
 */
import pc from 'picocolors';
import { escapeUnseen } from '../../base/text/unseen.js';
import { env } from './env.js';
import { jsonLine, printable, terminalText } from './terminal-text.js';

export type Colors = ReturnType<typeof pc.createColors>;

/** Lines and running text on one stream; a line never begins in the middle of running text. */
export interface TextSink {
  colors: Colors;
  line(text: string): void;
  /** Writes text as it arrives, without adding a newline. */
  text(chunk: string): void;
  /** Ends running text, if there is any. */
  endText(): void;
}

export interface Output {
  json: boolean;
  /** stdout: answers; with `--json` only machine lines. */
  out: TextSink;
  /** stderr: progress, warnings, hints. */
  notes: TextSink;
  value(value: object): void;
  document(json: string): void;
}

/** Returns a sink over any writer, for streams and tests. */
export function textSink(write: (text: string) => void, colors: Colors): TextSink {
  let midLine = false;
  const clean = colors.isColorSupported ? printable : terminalText;
  const put = (given: string) => {
    const text = clean(given);
    if (text === '') return;
    write(text);
    midLine = !text.endsWith('\n');
  };
  return {
    colors,
    line: text => put(`${midLine ? '\n' : ''}${text}\n`),
    text: put,
    endText: () => put(midLine ? '\n' : ''),
  };
}

export const noColors: Colors = pc.createColors(false);

/** Writes a line to stderr, for code without its own output. */
export function errorLine(text: string): void {
  streamSink(process.stderr).line(text);
}

/** Writes a line to stdout, for code without its own output. */
export function outLine(text: string): void {
  streamSink(process.stdout).line(text);
}

/** True for a terminal with colours, unless NO_COLOR is set to any value. */
export function takesColors({ isTTY }: { isTTY?: boolean }): boolean {
  return isTTY === true && env.lookup('TERM') !== 'dumb' && env.lookup('NO_COLOR') === undefined;
}

function streamSink(stream: NodeJS.WriteStream): TextSink {
  return textSink(text => void stream.write(text), pc.createColors(takesColors(stream)));
}

/** Rings the terminal's bell to call a person; STEERSMAN_BELL=off keeps it silent. */
export function ringBell(): void {
  if (process.stderr.isTTY === true && env.bell()) process.stderr.write('\u0007');
}

/** Ends the process silently with `exitCode` once the reader of its output is gone: `watch my-run | head`. */
export function endWithReader(exitCode: number): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', error => {
      if ('code' in error && error.code === 'EPIPE') process.exit(exitCode);
      throw error;
    });
  }
}

export function createOutput(options: { json?: boolean | undefined }): Output {
  const out = streamSink(process.stdout);
  const notes = streamSink(process.stderr);
  return {
    json: options.json === true,
    out,
    notes,
    value: value => void process.stdout.write(`${jsonLine(value)}\n`),
    document: json => void process.stdout.write(`${escapeUnseen(json)}\n`),
  };
}

/** Receives one line of progress for a person. */
export type Report = (line: string) => void;
