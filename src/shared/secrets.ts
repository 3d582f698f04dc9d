/**
 * Values that must not enter a run's state (TR4): keys of this worker, and what its configuration fills in from
 * variables. Wherever an activity gives something back, they are replaced by their names.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isRecord } from '../base/json/json.js';

const KEY_NAME =
  /(?:^|[_-])(?:api_?key|key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization|pat)(?:$|[_-]|\d)/i;
/** Shorter values, and words without a digit, stand in ordinary texts. */
const MIN_CHARS = 8;
const MIN_WORD_CHARS = 20;
/**
 * What a workspace's own file calls a key, whoever wrote it: anything shorter, or with blanks, or without digit and
 * letter, could be a word by which a model or a tool says something.
 */
const FOREIGN_KEY = /^(?=\S*\d)(?=\S*[A-Za-z])\S{12,}$/;
const MAX_CHARS = 8_192;
/** Of one file: many more would make each text slow to look through. */
const MAX_FILE_VARIABLES = 500;
/** A name stands in place of its value, also in what a model decides: it is one plain word, whoever wrote the file. */
const NO_NAME = /[^A-Za-z0-9_.-]+/g;
const MAX_NAME_CHARS = 64;
/** Fewer characters of a value, at the edge of a text that goes on, say nothing. */
const MIN_PART_CHARS = 5;

/** All before the last @: also what would have to be in percent form. */
const DATABASE_PASSWORD = /^postgres(?:ql)?:\/\/[^:/?#@]*:(.+)@/;

export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name);
}

export type Variables = Readonly<Record<string, string | undefined>>;

export class Secrets {
  /** Name by the value in each of its forms. */
  readonly #forms: Map<string, string>;
  /** What counts in place of these in the work at hand: a run's own. */
  readonly #own = new AsyncLocalStorage<Secrets>();
  /** Of the forms, the longest first: a value that contains another is hidden whole. */
  #pattern: RegExp | null = null;

  /** `base`: they count here too. */
  constructor(base?: Secrets) {
    this.#forms = new Map(base === undefined ? [] : base.#forms);
  }

  /** While `work` runs `own` counts in place of these, which others share. */
  during<T>(own: Secrets, work: () => T): T {
    return this.#own.run(own, work);
  }

  /** Takes up the variables that are keys by their names, and passwords in addresses. */
  addVariables(variables: Variables): void {
    for (const [name, value = ''] of Object.entries(variables)) {
      if (isKeyName(name)) this.add(name, value);
      this.#addPassword(name, value);
    }
  }

  /** Takes up the keys of a folder's `.env`. A workspace's may be read by tools, and is written by whoever wrote that. */
  addDotEnv(variables: Variables, whose: 'worker' | 'workspace'): void {
    const telling = Object.entries(variables).filter(
      ([, value = '']) => whose === 'worker' || FOREIGN_KEY.test(value.trim()),
    );
    this.addVariables(Object.fromEntries(telling.slice(0, MAX_FILE_VARIABLES)));
  }

  /** With the password where it is an address: an error tells that alone. */
  add(name: string, value: string): void {
    this.#addForms(name, value);
    this.#addPassword(name, value);
  }

  #addPassword(name: string, value: string): void {
    const address = value.trim();
    const password = URL.canParse(address) ? new URL(address).password : '';
    if (password !== '') this.#addForms(name, decoded(password));
    // Of one that was not written as URLs want it, a URL has a part alone.
    const [, said = ''] = DATABASE_PASSWORD.exec(address) ?? [];
    if (said === password) return;
    for (const part of [said, ...said.split(/[@/?#]/)]) this.#addForms(name, part);
  }

  #addForms(name: string, value: string): void {
    const secret = value.trim();
    if (!isTelling(secret)) return;
    const word = name.replace(NO_NAME, '_').slice(0, MAX_NAME_CHARS);
    for (const form of formsOf(secret)) {
      if (this.#forms.has(form)) continue;
      this.#forms.set(form, word);
      this.#pattern = null;
    }
  }

  /** The text with `[secret NAME]` in place of each value, plain, in base64 or as part of a URL. */
  redact(text: string): string {
    const { pattern, forms } = this.#atHand().#compiled();
    if (pattern === null) return text;
    return text.replace(pattern, found => `[secret ${forms.get(found) ?? ''}]`);
  }

  /** The same for a piece of a text that is still written: a value that it cuts through is covered too. */
  redactPiece(piece: string): string {
    let text = this.redact(piece);
    for (const form of this.#atHand().#forms.keys()) {
      for (let length = form.length - 1; length >= MIN_PART_CHARS; length -= 1) {
        if (text.startsWith(form.slice(-length))) text = '*'.repeat(length) + text.slice(length);
        if (text.endsWith(form.slice(0, length))) text = text.slice(0, -length) + '*'.repeat(length);
      }
    }
    return text;
  }

  /** The same for every text in a JSON value, keys of objects included; what has none is returned as it is. */
  redactAll<T>(value: T): T {
    return this.#atHand().#compiled().pattern === null ? value : (this.#walk(value) as T);
  }

  #atHand(): Secrets {
    return this.#own.getStore() ?? this;
  }

  #walk(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map(item => this.#walk(item));
    if (!isRecord(value) || value instanceof Uint8Array) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [this.redact(key), this.#walk(member)]),
    );
  }

  #compiled(): { pattern: RegExp | null; forms: ReadonlyMap<string, string> } {
    if (this.#pattern === null && this.#forms.size > 0) {
      const forms = [...this.#forms.keys()].sort((a, b) => b.length - a.length);
      const escaped = forms.map(form => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
      this.#pattern = new RegExp(escaped.join('|'), 'g');
    }
    return { pattern: this.#pattern, forms: this.#forms };
  }
}

function isTelling(value: string): boolean {
  if (value.length < MIN_CHARS || value.length > MAX_CHARS) return false;
  // A path names a file that holds a key.
  if (/^(?:\.{0,2}\/|[A-Za-z]:\\)/.test(value)) return false;
  return value.length >= MIN_WORD_CHARS || /\d/.test(value);
}

function formsOf(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  const forms = [secret, quoted, encodeURIComponent(secret), bytes.toString('hex')];
  // In a longer text in base64, a value begins at one of three places; its first and last characters vary there.
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = (before + bytes.length) % 3 === 0;
    const inner = encoded.slice(before === 0 ? 0 : before + 1, whole ? undefined : -1);
    forms.push(inner, inner.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return [...new Set(forms)].filter(form => form.length >= MIN_CHARS);
}

/** As it is where it is no form of a URL. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
