/**
 * The functions that models have in the sandbox. This function is sent there as text, so it can't use anything outside
 * of itself.
 */
interface Host {
  read(path: string): string;
  list(path: string): string;
  print(text: string): void;
}

type Row = Record<string, string>;

export function prelude(outside: Host) {
  const { stringify, parse } = JSON;
  /** Replaces NUL, at which the interface to the host would end a text. */
  const whole = (text: string): string => `${text}`.split('\0').join('\ufffd');
  const host: Host = {
    read: path => outside.read(whole(path)),
    list: path => outside.list(whole(path)),
    print: text => outside.print(whole(text)),
  };

  /** Formats a text unchanged, other values as JSON, and values that JSON lacks as text. */
  function shown(value: unknown): string {
    if (value === undefined) return '';
    if (typeof value === 'string') return value;
    if (typeof value === 'function') return `[function ${value.name}]`;
    const plain = (_key: string, part: unknown): unknown => {
      if (typeof part === 'bigint') return String(part);
      if (typeof part === 'number' && !Number.isFinite(part)) return String(part);
      if (part instanceof Map) return Object.fromEntries(part);
      if (part instanceof Set) return [...part];
      if (part instanceof RegExp) return String(part);
      if (part instanceof Error) return failure(part);
      return part;
    };
    if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'symbol')
      return String(value);
    return stringify(value, plain) ?? '';
  }

  function failure(error: unknown): string {
    if (error === null) return 'Out of memory (64 MB), or null was thrown.';
    if (!(error instanceof Error)) return `thrown: ${shown(error)}`;
    const line = /code\.js:(\d+)/.exec(error.stack ?? '')?.[1];
    return `${error.name}: ${error.message}${line === undefined ? '' : ` (line ${line})`}`;
  }

  function readLines(path: string): string[] {
    const lines = host.read(path).split(/\r\n|\r|\n/);
    if (lines[lines.length - 1] === '') lines.pop();
    return lines;
  }

  /** Parses CSV of a file, or of a text with several lines. The first row names the columns; `header: false` returns lists. */
  function csv(source: string, options: { delimiter?: string; header?: boolean } = {}): Row[] | string[][] {
    const text = /[\r\n]/.test(source) ? source.replace(/^\ufeff/, '') : host.read(source);
    const declared = /^sep=(.)\r?\n/i.exec(text);
    const body = declared === null ? text : text.slice(declared[0].length);
    const rows = rowsOf(body, options.delimiter ?? declared?.[1] ?? delimiterOf(body));
    const [first = [], ...others] = rows;
    if (options.header === false) return rows;
    const names: string[] = [];
    const nameAt = (at: number) => {
      for (let next = names.length; next <= at; next += 1) {
        const name = (first[next] ?? '').trim() || `column_${next + 1}`;
        names.push(names.includes(name) ? `${name}_${next + 1}` : name);
      }
      return names[at] ?? '';
    };
    return others.map(cells => {
      const row: Row = {};
      for (let at = 0; at < Math.max(first.length, cells.length); at += 1) row[nameAt(at)] = cells[at] ?? '';
      return row;
    });
  }

  /** Returns the delimiter that is most frequent in the first line, outside of quotes. */
  function delimiterOf(text: string): string {
    const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text.slice(0, 10_000))?.[0] ?? '';
    const bare = line.replace(/"(?:[^"]|"")*"/g, '');
    const counted = [',', ';', '\t', '|'].map(sign => ({ sign, count: bare.split(sign).length }));
    return counted.reduce((best, next) => (next.count > best.count ? next : best)).sign;
  }

  function rowsOf(text: string, delimiter: string): string[][] {
    const rows: string[][] = [];
    const endOfLine = /\r\n|\r|\n/g;
    for (let at = 0; at < text.length; ) {
      endOfLine.lastIndex = at;
      const end = endOfLine.exec(text);
      const line = text.slice(at, end?.index ?? text.length);
      if (line.includes('"')) at = quotedRow(text, at, delimiter, rows);
      else {
        if (line !== '') rows.push(line.split(delimiter));
        at = end === null ? text.length : endOfLine.lastIndex;
      }
    }
    return rows;
  }

  /** Parses a row with quotes, which may contain line ends; returns the start of the next row. */
  function quotedRow(text: string, from: number, delimiter: string, rows: string[][]): number {
    const row: string[] = [];
    let at = from;
    for (;;) {
      let cell = '';
      if (text[at] === '"') {
        const opened = at;
        for (;;) {
          const close = text.indexOf('"', at + 1);
          if (close < 0) {
            const line = text.slice(0, opened).split(/\r\n|\r|\n/).length;
            throw new Error(`CSV: the quote that opens in line ${line} is never closed.`);
          }
          cell += text.slice(at + 1, close);
          at = close + 1;
          if (text[at] !== '"') break;
          cell += '"';
        }
      }
      const begin = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
      row.push(cell + text.slice(begin, at));
      if (text[at] !== delimiter) break;
      at += 1;
    }
    rows.push(row);
    return at + (text.startsWith('\r\n', at) ? 2 : 1);
  }

  // Code without a clock and random numbers fails, because a wrong date or an unverifiable number would be worse.
  const none = (what: string) => (): never => {
    throw new Error(`There is no ${what} here: write the value into the code.`);
  };
  const RealDate = Date;
  const noClock = none('clock');
  RealDate.now = noClock;
  Math.random = none('randomness');
  const FixedDate = new Proxy(RealDate, {
    apply: noClock,
    construct: (target, given, newTarget) =>
      given.length === 0 ? noClock() : (Reflect.construct(target, given, newTarget) as object),
  });
  RealDate.prototype.constructor = FixedDate;

  const print = (...parts: unknown[]) => host.print(parts.map(shown).join(' '));
  Object.assign(globalThis, {
    Date: FixedDate,
    print,
    console: { log: print, info: print, warn: print, error: print },
    read: (path: string) => host.read(path),
    readLines,
    list: (path = '.') => parse(host.list(path)),
    json: (path: string) => parse(host.read(path).replace(/^\ufeff/, '')),
    csv,
  });
  return {
    shown: (value: unknown) => whole(shown(value)),
    failure: (error: unknown) => whole(failure(error)),
  };
}
