/**
 * Values that must not enter a run's state (TR4): this worker's keys, and values that its configuration takes from
 * variables. Every activity replaces them by their names in its results.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { isRecord } from '../base/json/json.js';
import { decoded } from '../base/text/decoded.js';
import { env } from './process/env.js';

const KEY_NAME =
  /(?:^|[_-])(?:api_?key|key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization|pat)(?:$|[_-]|\d)/i;
/** Shorter values, and words without a digit, occur in ordinary texts. */
const MIN_CHARS = 8;
const MIN_WORD_CHARS = 20;
/**
 * Values that count as keys in a workspace's own file, which may have any author. Values that are shorter, have blanks,
 * or lack a digit or a letter could be ordinary words of a model or a tool.
 */
const FOREIGN_KEY = /^(?=\S*\d)(?=\S*[A-Za-z])\S{12,}$/;
const MAX_CHARS = 8_192;
/** Limit per file; many more would make each search slow. */
const MAX_FILE_VARIABLES = 500;
/** A name replaces its value even in texts that decide something, so it must be a single plain word. */
const NO_NAME = /[^A-Za-z0-9_.-]+/g;
const MAX_NAME_CHARS = 64;
/** Fewer characters of a value, at the edge of a text that continues, reveal nothing. */
const MIN_PART_CHARS = 5;

/** Everything before the last @, including characters that should have been percent-encoded. */
const DATABASE_PASSWORD = /^postgres(?:ql)?:\/\/[^:/?#@]*:(.+)@/;

export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name);
}

export type Variables = Readonly<Record<string, string | undefined>>;

export class Secrets {
  /** The name for each value, by each of the value's forms. */
  readonly #forms: Map<string, string>;
  /** The secrets that replace these during the current work: a run's own. */
  readonly #own = new AsyncLocalStorage<Secrets>();
  /** Matches all forms, the longest first, so that a value that contains another is hidden as a whole. */
  #pattern: RegExp | null = null;

  /** The secrets of `base` are included. */
  constructor(base?: Secrets) {
    this.#forms = new Map(base === undefined ? [] : base.#forms);
  }

  /** While `work` runs, `own` is used instead of these secrets, which other runs share. */
  during<T>(own: Secrets, work: () => T): T {
    return this.#own.run(own, work);
  }

  /** Adds variables whose names mark them as keys, and passwords in addresses. */
  addVariables(variables: Variables): void {
    for (const [name, value = ''] of Object.entries(variables)) {
      if (isKeyName(name)) this.add(name, value);
      this.#addPassword(name, value);
    }
  }

  /** Adds the keys of a folder's `.env`. A workspace's file may have any author, so its values are filtered. */
  addDotEnv(variables: Variables, whose: 'worker' | 'workspace'): void {
    const telling = Object.entries(variables).filter(
      ([, value = '']) => whose === 'worker' || FOREIGN_KEY.test(value.trim()),
    );
    this.addVariables(Object.fromEntries(telling.slice(0, MAX_FILE_VARIABLES)));
  }

  /** Adds a value, and if it is an address also its password, because an error may quote the password alone. */
  add(name: string, value: string): void {
    this.#addForms(name, value);
    this.#addPassword(name, value);
  }

  #addPassword(name: string, value: string): void {
    const address = value.trim();
    const password = URL.canParse(address) ? new URL(address).password : '';
    if (password !== '') this.#addForms(name, decoded(password));
    // A URL only has a part of a password that was not properly encoded.
    const [, said = ''] = DATABASE_PASSWORD.exec(address) ?? [];
    if (said === password) return;
    for (const part of [said, ...said.split(/[@/?#]/)]) this.#addForms(name, part);
  }

  #addForms(name: string, value: string): void {
    const secret = value.trim();
    if (!isSecret(secret)) return;
    const word = name.replace(NO_NAME, '_').slice(0, MAX_NAME_CHARS);
    for (const form of formsOf(secret)) {
      if (this.#forms.has(form)) continue;
      this.#forms.set(form, word);
      this.#pattern = null;
    }
  }

  /** Returns the text with `[secret NAME]` in place of each value, whether plain, in base64 or as part of a URL. */
  redact(text: string): string {
    const { pattern, forms } = this.#atHand().#compiled();
    if (pattern === null) return text;
    return text.replace(pattern, found => `[secret ${forms.get(found) ?? ''}]`);
  }

  /** Like `redact`, for a piece of a text that is still being written: a value that is cut at its edge is covered too. */
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

  /** Like `redact`, for every text in a JSON value, including object keys. Returns the value itself if there are no secrets. */
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

/** Returns the keys among the variables of this process. */
export function ofThisProcess(): Secrets {
  const secrets = new Secrets();
  secrets.addVariables(env.all());
  return secrets;
}

function isSecret(value: string): boolean {
  if (value.length < MIN_CHARS || value.length > MAX_CHARS) return false;
  // A path names a file that holds a key, and is not itself secret.
  if (/^(?:\.{0,2}\/|[A-Za-z]:\\)/.test(value)) return false;
  return value.length >= MIN_WORD_CHARS || /\d/.test(value);
}

function formsOf(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  const forms = [secret, quoted, encodeURIComponent(secret), bytes.toString('hex')];
  // Within a longer base64 text a value begins at one of three offsets, and its first and last characters vary.
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
