/**
 * Spools texts while the store does not answer: they wait in a folder of this machine until it does, even if the worker
 * dies. Each text is one file: its first line names its run, then its bytes follow.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, parseJson, plural } from 'steersman/base';
import type { TextStore } from 'steersman/shared';
import {
  BLOB_REF,
  type BlobPage,
  type BlobStore,
  bytesOf,
  hashOf,
  refOf,
  removeDrafts,
  runFolder,
} from 'steersman/shared';
import { z } from 'zod';

const SPOOL_BYTES = 256 * 1024 * 1024;
/** After a failure the store is not asked for this long, because each attempt may take seconds. */
const LEFT_ALONE_MS = 5_000;
/** At most this many refused texts are tried at a time. */
const REFUSED_AT_ONCE = 10;
const NEWLINE = 10;

export interface SpoolOptions {
  dir: string;
  /** The namespace of the runs that the store serves. */
  namespaceId?: (() => Promise<string | null>) | undefined;
  /** Receives a line for people. */
  report?: ((line: string) => void) | undefined;
  /** Default 256 MB. */
  mostBytes?: number;
}

/** A store, and a folder that replaces it while it fails. Their references are the same. */
export class SpooledTexts implements TextStore {
  readonly #store: TextStore;
  readonly #spool: Spool;
  readonly #options: SpoolOptions;
  /** Set after a failure: when the store is asked again. Null while it works. */
  #away: { askAgainAt: number } | null = null;
  #moving: Promise<void> | null = null;
  /** Names of unreadable and refused texts, which were reported; the one that was tried last is at the end. */
  readonly #left = new Set<string>();

  constructor(store: TextStore, options: SpoolOptions) {
    this.#store = store;
    this.#options = options;
    this.#spool = new Spool(options.dir, options.mostBytes ?? SPOOL_BYTES);
  }

  async put(runId: string, data: string | Uint8Array): Promise<string> {
    const bytes = bytesOf(data);
    if (this.#away === null || performance.now() >= this.#away.askAgainAt)
      try {
        return await this.#store.put(runId, bytes);
      } catch (error) {
        this.#failed(error);
      }
    const waits = { runId, namespaceId: await this.#namespaceId(), bytes };
    // If the spool has no room either, the store's own error counts.
    return this.#spool.put(waits).catch(() => this.#store.put(runId, bytes));
  }

  async read(...asked: Parameters<BlobStore['read']>): Promise<BlobPage | null> {
    let unreadable: unknown;
    const waits = await this.#spool.read(...asked).catch((error: unknown) => {
      unreadable = error;
      return null;
    });
    const page = waits ?? (await this.#store.read(...asked));
    if (page === null && unreadable !== undefined) throw unreadable;
    return page;
  }

  async removeOf(workflowIds: readonly string[]): Promise<number> {
    return (await this.#spool.removeOf(workflowIds)) + (await this.#store.removeOf(workflowIds));
  }

  prune(...asked: Parameters<TextStore['prune']>): Promise<number> {
    return this.#store.prune(...asked);
  }

  /** Moves waiting texts into the store. Throws if it does not take them yet. */
  catchUp(): Promise<void> {
    this.#moving ??= this.#moveAll().finally(() => {
      this.#moving = null;
    });
    return this.#moving;
  }

  async #moveAll(): Promise<void> {
    await this.#spool.removeDrafts();
    let moved = 0;
    let refused = 0;
    for (const name of await this.#inTurn()) {
      const waits = await this.#spool.open(name).catch(error => this.#leave(name, 'cannot be read', error));
      if (waits === undefined) continue;
      // Another worker of this machine serves that namespace.
      if (waits && waits.namespaceId !== '' && waits.namespaceId !== (await this.#namespaceId())) continue;
      try {
        if (waits) await this.#store.put(waits.runId, waits.bytes);
      } catch (error) {
        if (!(await this.#answers())) {
          this.#failed(error);
          throw error;
        }
        this.#leave(name, 'is refused', error);
        refused += 1;
        if (refused === REFUSED_AT_ONCE) break;
        continue;
      }
      if (waits) moved += 1;
      this.#left.delete(name);
      await this.#spool.drop(name);
    }
    if (moved === 0) return;
    this.#away = null;
    this.#say(`The store takes large texts again, and has ${plural(moved, 'text')} that waited for it.`);
  }

  /** Returns the names of all waiting texts; those that failed before are tried last. */
  async #inTurn(): Promise<string[]> {
    const names = await this.#spool.names();
    const waiting = new Set(names);
    const left = [...this.#left].filter(name => waiting.has(name));
    return [...names.filter(name => !this.#left.has(name)), ...left];
  }

  /** False if the store is unavailable: then a failure says nothing about the text. */
  #answers(): Promise<boolean> {
    const nothing = { offset: 0, length: 0 };
    return this.#store.read('', refOf('', hashOf(bytesOf(''))), nothing).then(
      () => true,
      () => false,
    );
  }

  /** The text stays in the folder: it is the only copy. */
  #leave(name: string, why: 'cannot be read' | 'is refused', error: unknown): undefined {
    const isTold = this.#left.delete(name);
    this.#left.add(name);
    if (isTold) return;
    const path = join(this.#options.dir, name);
    this.#say(`The text ${path} waits for the store and ${why} (${errorText(error)}): it stays there.`);
  }

  #failed(error: unknown): void {
    if (this.#away === null)
      this.#say(
        `The store takes no large texts (${errorText(error)}). Until it takes them again, they wait in ${this.#options.dir}.`,
      );
    this.#away = { askAgainAt: performance.now() + LEFT_ALONE_MS };
  }

  #say(line: string): void {
    this.#options.report?.(line);
  }

  async #namespaceId(): Promise<string> {
    return (await this.#options.namespaceId?.()) ?? '';
  }
}

const headSchema = z.object({ runId: z.string(), namespaceId: z.string() });

/** `namespaceId`: empty if it is unknown. */
type Waiting = z.infer<typeof headSchema> & { bytes: Uint8Array };

/** The folder. Each file name begins with the run's. */
class Spool {
  readonly #dir: string;
  readonly #mostBytes: number;

  constructor(dir: string, mostBytes: number) {
    this.#dir = dir;
    this.#mostBytes = mostBytes;
  }

  async put({ bytes, ...head }: Waiting): Promise<string> {
    const hash = hashOf(bytes);
    const text = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
    if ((await this.#size()) + text.length > this.#mostBytes) throw new Error(`${this.#dir} is full`);
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const aside = join(this.#dir, `.${randomUUID()}`);
    try {
      await writeFile(aside, text, { mode: 0o600, flush: true });
      await rename(aside, join(this.#dir, nameOf(head.runId, hash)));
    } catch (error) {
      await unlink(aside).catch(() => undefined);
      throw error;
    }
    return refOf(head.runId, hash);
  }

  async read(
    runId: string,
    ref: string,
    { offset, length }: { offset: number; length: number },
  ): Promise<BlobPage | null> {
    const [, run, hash] = BLOB_REF.exec(ref) ?? [];
    if (hash === undefined || run !== runFolder(runId)) return null;
    const waits = await this.open(nameOf(runId, hash));
    if (waits === null) return null;
    const from = Math.max(0, offset);
    const data = Buffer.from(waits.bytes).subarray(from, from + Math.max(0, length));
    return { data, totalBytes: waits.bytes.length };
  }

  removeDrafts(): Promise<void> {
    return removeDrafts(this.#dir, /^\.[0-9a-f-]{36}$/);
  }

  async names(): Promise<string[]> {
    return (await readdir(this.#dir).catch(() => [])).filter(name => !name.startsWith('.'));
  }

  /** Returns null if the file is missing or damaged. @throws if it can't be read: its state is unknown then. */
  async open(name: string): Promise<Waiting | null> {
    const text = await readText(join(this.#dir, name));
    const end = text?.indexOf(NEWLINE) ?? -1;
    if (text === null || end < 0) return null;
    const head = headSchema.safeParse(parseJson(text.subarray(0, end).toString('utf8'))).data;
    const bytes = text.subarray(end + 1);
    return head && nameOf(head.runId, hashOf(bytes)) === name ? { ...head, bytes } : null;
  }

  async drop(name: string): Promise<void> {
    await unlink(join(this.#dir, name)).catch(() => undefined);
  }

  async removeOf(workflowIds: readonly string[]): Promise<number> {
    const runs = workflowIds.map(id => `${runFolder(id)}.`);
    const names = (await this.names()).filter(name => runs.some(run => name.startsWith(run)));
    await Promise.all(names.map(name => this.drop(name)));
    return names.length;
  }

  async #size(): Promise<number> {
    const sizes = (await this.names()).map(name =>
      stat(join(this.#dir, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }
}

/** Returns null if there is no file; a folder does not count as one. */
async function readText(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.includes(error.code)) return null;
    throw error;
  }
}

const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR'];

function nameOf(runId: string, hash: string): string {
  return `${runFolder(runId)}.${hash}`;
}
