/**
 * Accounts in a folder: a file of JSON lines for each. Nothing is locked, for a line is one append, and what it does
 * follows from those before it: of two charges with one key the first counts, for whoever reads.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, isText, ownValue, parseJson } from 'steersman/base';
import type { Account, AccountStore } from 'steersman/shared';
import { runFolder, SteersmanError } from 'steersman/shared';
import { openFile } from './folder-lines.js';

const SUFFIX = '.jsonl';
const NEWLINE = 10;
/** Of lines that were read: by so much it is seen whether they still stand there. */
const END_BYTES = 1_000;
/** A place that was not asked for again for so long, by the clock of the store, is free: its run was terminated, or waits for a person. */
export const LEASE_MS = 3_600_000;

type Entry = { account: string; by: string } & (
  | { k: 'grant'; key: string; credits: number }
  | { k: 'charge'; key: string; credits: number; tokens: number; at: number }
  | { k: 'refund'; prefix: string }
  | { k: 'lease'; chain: string; limit: number; at: number }
  | { k: 'release'; chain: string }
);
type NewEntry = Entry extends infer E ? (E extends Entry ? Omit<E, 'account' | 'by'> : never) : never;

/** Texts and numbers of each kind of line. Somebody may have written one by hand. */
const FIELDS: Readonly<Record<Entry['k'], { texts: readonly string[]; numbers: readonly string[] }>> = {
  grant: { texts: ['key'], numbers: ['credits'] },
  charge: { texts: ['key'], numbers: ['credits', 'tokens', 'at'] },
  refund: { texts: ['prefix'], numbers: [] },
  lease: { texts: ['chain'], numbers: ['limit', 'at'] },
  release: { texts: ['chain'], numbers: [] },
};

function isEntry(line: unknown): line is Entry {
  if (!isRecord(line) || !isText(line.k)) return false;
  const { texts, numbers } = ownValue(FIELDS, line.k) ?? {};
  return (
    texts !== undefined &&
    [...texts, 'account', 'by'].every(name => isText(line[name])) &&
    numbers?.every(name => Number.isFinite(line[name])) === true &&
    (line.at === undefined || !Number.isNaN(new Date(Number(line.at)).getTime()))
  );
}

/** An account as its lines say, as far as they were read. */
class Ledger {
  account: Account | null = null;
  /** By its key, who made it: grants and charges. */
  readonly made = new Map<string, string>();
  readonly #charged = new Map<string, number>();
  readonly leases = new Map<string, number>();
  #read = 0;
  /** The end of what was read: there is a uuid in each line. */
  #end = Buffer.alloc(0);

  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads on, at once: between two lines nobody else reads here. Anew where the folder was put back as it once was. */
  catchUp(): this {
    const file = openThere(this.path);
    if (file === null) return this.#forget();
    try {
      const { size } = fstatSync(file);
      if (!readAt(file, this.#read - this.#end.length, this.#read).equals(this.#end)) this.#forget();
      const bytes = readAt(file, this.#read, size);
      const whole = bytes.lastIndexOf(NEWLINE) + 1;
      this.#read += whole;
      this.#end = Buffer.concat([this.#end, bytes.subarray(0, whole)].map(part => part.subarray(-END_BYTES)));
      for (const text of bytes.subarray(0, whole).toString('utf8').split('\n')) {
        // Each line has an empty one before it, and what is no JSON takes long.
        const line = text === '' ? null : parseJson(text);
        if (isEntry(line)) this.#take(line);
      }
    } finally {
      closeSync(file);
    }
    return this;
  }

  #forget(): this {
    this.account = null;
    for (const known of [this.made, this.#charged, this.leases]) known.clear();
    this.#read = 0;
    this.#end = Buffer.alloc(0);
    return this;
  }

  #take(line: Entry): void {
    this.account ??= { id: line.account, balance: 0, day: '', dayTokens: 0 };
    const { account } = this;
    switch (line.k) {
      case 'grant':
        if (this.#isFirst(`grant ${line.key}`, line.by))
          account.balance = rounded(account.balance + line.credits);
        return;
      case 'charge': {
        if (!this.#isFirst(`charge ${line.key}`, line.by)) return;
        this.#charged.set(line.key, line.credits);
        account.balance = rounded(account.balance - line.credits);
        const day = dayOf(line.at);
        // Also an earlier day: what a clock once said that was ahead holds no longer than that.
        if (day !== account.day) Object.assign(account, { day, dayTokens: 0 });
        account.dayTokens += line.tokens;
        return;
      }
      case 'refund':
        for (const [key, credits] of this.#charged) {
          if (!key.startsWith(line.prefix)) continue;
          this.#charged.delete(key);
          account.balance = rounded(account.balance + credits);
        }
        return;
      case 'lease':
        for (const [chain, at] of this.leases) if (at < line.at - LEASE_MS) this.leases.delete(chain);
        if (this.leases.has(line.chain) || this.leases.size < line.limit)
          this.leases.set(line.chain, line.at);
        return;
      case 'release':
        this.leases.delete(line.chain);
    }
  }

  #isFirst(key: string, by: string): boolean {
    if (this.made.has(key)) return false;
    this.made.set(key, by);
    return true;
  }
}

export function folderAccounts(dir: string): AccountStore {
  const ledgers = new Map<string, Ledger>();
  const ledgerAt = (path: string) => {
    const ledger = ledgers.get(path) ?? new Ledger(path);
    ledgers.set(path, ledger);
    return ledger.catchUp();
  };
  const pathOf = (account: string) => join(dir, `${runFolder(account)}${SUFFIX}`);
  const add = async (account: string, entryAt: (at: number) => NewEntry) => {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const by = randomUUID();
    await appendLine(pathOf(account), at => JSON.stringify({ account, by, ...entryAt(at) }));
    const ledger = ledgerAt(pathOf(account));
    if (ledger.account === null) throw new Error(`${pathOf(account)} does not have what was written`);
    return { ledger, account: { ...ledger.account }, by };
  };
  return {
    async charge(account, key, what) {
      const counted = countable(what);
      const said = await add(account, at => ({ k: 'charge', key, ...counted, at }));
      return { ...said.account, isNew: said.ledger.made.get(`charge ${key}`) === said.by };
    },
    async grant(account, key, given) {
      const { credits } = countable({ credits: given });
      return (await add(account, () => ({ k: 'grant', key, credits }))).account;
    },
    refund: async (account, prefix) => (await add(account, () => ({ k: 'refund', prefix }))).account,
    async show(account) {
      const found = ledgerAt(pathOf(account)).account;
      return found && { ...found };
    },
    async list() {
      const files = namesIn(dir)
        .map(name => join(dir, name))
        .filter(path => lstatSync(path, { throwIfNoEntry: false })?.isFile());
      const found = files.map(path => ledgerAt(path).account);
      return found
        .flatMap(account => (account ? [{ ...account }] : []))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async lease(account, chain, limit) {
      const { ledger } = await add(account, at => ({ k: 'lease', chain, limit, at }));
      return ledger.leases.has(chain);
    },
    async release(account, chain) {
      await add(account, () => ({ k: 'release', chain }));
    },
  };
}

/** On the disk when it returns. `at`: by the clock of the disk, which all hosts share that write there. */
async function appendLine(path: string, line: (at: number) => string): Promise<void> {
  const file = await openFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  try {
    // The line may follow one that is torn.
    await file.write('\n');
    const at = Math.floor((await file.stat()).mtimeMs);
    const bytes = Buffer.from(`${line(at)}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error(`${path} could not be written whole: no space left`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function readAt(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}

function openThere(path: string): number | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
    throw new Error(`${path} is no file`);
  } catch (error) {
    return unlessGone(error, null);
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter(name => name.endsWith(SUFFIX));
  } catch (error) {
    return unlessGone(error, []);
  }
}

function unlessGone<T>(error: unknown, otherwise: T): T {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise;
  throw error;
}

/** A millionth is the least that counts: what was added up is the same in every store. */
export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}

/** @throws SteersmanError for what is no number: a balance would be none for ever. */
export function countable<T extends { credits: number; tokens?: number }>(what: T): T {
  const { credits, tokens = 0 } = what;
  if (Number.isFinite(rounded(credits)) && Number.isSafeInteger(tokens))
    return { ...what, credits: rounded(credits) };
  throw new SteersmanError(
    `${credits} credits and ${tokens} tokens can not be counted.`,
    'Give numbers.',
    'usage',
  );
}

/** In UTC. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
