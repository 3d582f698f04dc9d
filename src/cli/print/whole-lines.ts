/** Running text of one of several that speak at once: it reaches the sink in whole lines, so that none mix within one. */
import type { TextSink } from '../../shared/output.js';

/** A line that grows longer is broken at a blank, so that it is seen while it is written. */
const LINE_CHARS = 100;

/** `before` stands in front of each line of running text. */
export function wholeLines(sink: TextSink, before: string): TextSink {
  let begun = '';
  const put = (line: string) => {
    if (line.trim() !== '') sink.line(`${before}${line.trimEnd()}`);
  };
  const endText = () => {
    put(begun);
    begun = '';
  };
  return {
    colors: sink.colors,
    line: text => {
      endText();
      sink.line(text);
    },
    text: chunk => {
      const lines = `${begun}${chunk}`.split('\n').flatMap(brokenAtBlanks);
      begun = chunk.endsWith('\n') ? '' : (lines.pop() ?? '');
      for (const line of lines) put(line);
    },
    endText,
  };
}

function brokenAtBlanks(line: string): string[] {
  if (line.length <= LINE_CHARS) return [line];
  const at = line.lastIndexOf(' ', LINE_CHARS);
  return at <= 0 ? [line] : [line.slice(0, at), ...brokenAtBlanks(line.slice(at + 1))];
}
