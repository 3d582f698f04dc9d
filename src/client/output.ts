/** Where the command line writes: answers and machine lines on stdout, everything else on stderr. */
import pc from 'picocolors';
import { env } from '../env.js';

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
  /** One machine-readable line on stdout. */
  value(value: object): void;
}

/** A sink over any writer, for streams and tests. */
export function textSink(write: (text: string) => void, colors: Colors): TextSink {
  let midLine = false;
  const put = (text: string) => {
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

/** Writes in colour only to a terminal, and never with NO_COLOR. */
function streamSink(stream: NodeJS.WriteStream): TextSink {
  const colored = stream.isTTY === true && env.noColor() === undefined;
  return textSink(text => void stream.write(text), pc.createColors(colored));
}

export function createOutput(options: { json?: boolean | undefined }): Output {
  // `watch | head` closes the pipe: that is no error of ours.
  process.stdout.on('error', error => {
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const out = streamSink(process.stdout);
  const notes = streamSink(process.stderr);
  return {
    json: options.json === true,
    out,
    notes,
    value: value => void process.stdout.write(`${JSON.stringify(value)}\n`),
  };
}
