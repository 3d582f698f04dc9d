/**
 * Where the command line writes: answers and machine lines on stdout, everything else on stderr. The only writers
 * but a session's screen; both let through what `terminal-text.ts` says (TR6).
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
  /** Text as it comes, without a newline of its own. */
  text(chunk: string): void;
  /** Ends running text, if there is any. */
  endText(): void;
}

export interface Output {
  json: boolean;
  /** stdout: answers, and with `--json` nothing but machine lines. */
  out: TextSink;
  /** stderr: progress, warnings, hints. */
  notes: TextSink;
  value(value: object): void;
  document(json: string): void;
}

/** A sink over any writer, for streams and tests. */
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

/** A line on stderr, for code that has no output of its own. */
export function errorLine(text: string): void {
  streamSink(process.stderr).line(text);
}

/** A line on stdout, for code that has no output of its own. */
export function outLine(text: string): void {
  streamSink(process.stdout).line(text);
}

/** A terminal that knows colours, of somebody who wants them: NO_COLOR, whatever it says, means none. */
export function takesColors({ isTTY }: { isTTY?: boolean }): boolean {
  return isTTY === true && env.lookup('TERM') !== 'dumb' && env.lookup('NO_COLOR') === undefined;
}

function streamSink(stream: NodeJS.WriteStream): TextSink {
  return textSink(text => void stream.write(text), pc.createColors(takesColors(stream)));
}

/** Calls a person who looks elsewhere, in a terminal; STEERSMAN_BELL=off keeps it silent. */
export function ringBell(): void {
  if (process.stderr.isTTY === true && env.bell()) process.stderr.write('\u0007');
}

/** Ends the process with `exitCode`, silently, when nobody reads what it writes any more: `watch my-run | head`. */
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

/** Gets one line of progress for a person. */
export type Report = (line: string) => void;
