/** Data that outlives a run: conversations and their texts. The interfaces hide where it is stored. */
import { LRUCache } from 'lru-cache';
import { type Mark, messageNumber, type RunRecord, type StoredLine } from '../../run/state/stored-line.js';
import { SteersmanError } from '../process/errors.js';
import { BLOB_REF, type BlobStore, type IsOver, runFolder } from './blob-store.js';

/** A conversation in a list. */
export interface SessionLine {
  id: string;
  /** The beginning of its first goal. */
  title: string;
  workspace: string;
  startedAt: number;
  changedAt: number;
  /** The message of another conversation that it continues from. */
  parent?: MessageOf;
}

/** Identifies a message, whose id is unique in its run. */
export interface MessageOf extends RunOf {
  message: string;
}

/** A message that contains the searched words. */
export interface Hit {
  session: string;
  chain: string;
  workflowId: string;
  /** Id of the message. */
  message: string;
  at: number;
  /** The text around the words. */
  text: string;
}

/** Identifies a run in its conversation. */
export type RunOf = Pick<RunRecord, 'session' | 'chain'>;

export interface SessionStore {
  /**
   * Adds records to a run, in one write. Existing records are unchanged, except that the run's own record is replaced.
   * `after` is the mark that the records follow. If the store has more than that from another execution, the run was
   * reset and repeats its work from there, so all records after the mark are removed.
   * @returns null once they are stored. If the store lacks what they follow, nothing is written, and the returned mark
   * says where the run must be written from.
   */
  keep(run: RunRecord, records: readonly StoredLine[], after?: Mark): Promise<Mark | null>;
  /** Returns the current records of a conversation's runs, oldest first. */
  runs(session: string): Promise<RunRecord[]>;
  /** Returns all runs that had this workflow id, newest first. */
  find(workflowId: string): Promise<RunRecord[]>;
  /** Returns records of one kind, in order, after the record with the number `after`. */
  read(run: RunOf, ask: { kind: StoredLine['kind']; after?: number; limit: number }): Promise<StoredLine[]>;
  /**
   * Yields all records of one kind for each of these runs, one run after the other, in the given order. Records are
   * only read when awaited; the conversation is scanned once for all runs.
   */
  readEach(
    session: string,
    ask: { kind: StoredLine['kind']; chains: readonly string[] },
  ): Promise<AsyncIterable<{ chain: string; records: StoredLine[] }>>;
  /** Lists conversations, newest first. `before`: changed before that time. `text`: words of the title. */
  list(ask: { limit: number; before?: number; text?: string; workspaces?: string[] }): Promise<SessionLine[]>;
  /** Finds texts that contain each word literally, in any case. Newest conversations come first. */
  search(ask: { sessions?: string[]; text: string; limit: number }): Promise<Hit[]>;
  /** Returns a conversation's line in lists; null for an unknown one. */
  line(session: string): Promise<SessionLine | null>;
  /** Returns ids of conversations that begin with this one's messages. */
  branches(session: string): Promise<string[]>;
  /** Begins a conversation that continues from a message of another one. Earlier messages stay there and are shared. */
  branch(from: MessageOf, to: string): Promise<void>;
  /**
   * Removes a conversation; returns the workflow ids of its runs. Later messages of a run that has not ended are not
   * stored. With `before`, it is only removed if nothing was added since. Throws a SteersmanError if a branch shares
   * its messages, or if a run differs from how it was `judged`.
   */
  remove(session: string, ask?: RemovalTerms): Promise<{ workflowIds: string[] }>;
}

export interface RemovalTerms {
  before?: number;
  /** The runs that the removal is meant for, in the state in which they were checked. */
  judged?: readonly RunRecord[];
}

/** Called while no other writer can add to the conversation. @throws SteersmanError if a run has changed since. */
export function refuseUnjudged(session: string, runs: readonly RunRecord[], { judged }: RemovalTerms): void {
  const other = judged && runs.find(run => !judged.some(known => isSameLook(known, run)));
  if (other)
    throw new SteersmanError(
      `The conversation ${session} has changed meanwhile: the run ${other.workflowId} has written to it.`,
      'Read it, then delete it again.',
      'conflict',
    );
}

/** True if a run may be written again after its removal: by itself, or from its history, which Temporal removes late. */
export function mayComeAgain({ ended, late }: RunRecord): boolean {
  return !ended || late === true;
}

function isSameLook(a: RunRecord, b: RunRecord): boolean {
  return a.chain === b.chain && a.runId === b.runId && a.changedAt === b.changedAt && a.ended === b.ended;
}

export function hasBranches(session: string, branches: readonly string[]): SteersmanError {
  return new SteersmanError(
    `The conversation ${session} has branches that share its messages: ${branches.join(', ')}.`,
    'Delete them first.',
    'conflict',
  );
}

/** A run of a conversation, or its beginning: `upTo` is the last message that belongs to the conversation. */
export interface ConversationPart {
  run: RunRecord;
  upTo?: string;
}

/** Returns all runs of a conversation, oldest first: those shared with the conversation that it branched from, then its own. */
export async function lineageOf(
  sessions: Pick<SessionStore, 'runs' | 'line'>,
  session: string,
  below: ReadonlySet<string> = new Set(),
): Promise<ConversationPart[]> {
  const own = (await sessions.runs(session)).map(run => ({ run }));
  const parent = (await sessions.line(session))?.parent;
  const known = new Set([...below, session]);
  // A conversation that was deleted while it was branched from may exist again, as a branch of its branch.
  if (!parent || known.has(parent.session)) return own;
  const before = (await lineageOf(sessions, parent.session, known)).filter(
    ({ run }) => run.parent === undefined,
  );
  const at = before.findIndex(({ run }) => run.chain === parent.chain);
  const [last] = before.slice(at, at + 1);
  return [...before.slice(0, Math.max(at, 0)), ...(last ? [{ ...last, upTo: parent.message }] : []), ...own];
}

/** The run that asks for texts of its conversation. A null `namespaceId` matches any namespace. */
export interface Asker {
  workflowId: string;
  namespaceId: string | null;
}

/**
 * Returns the run that asks, as stored, and the messages that it may read: those of its own conversation and of the
 * ones that it continues from, in its own workspace. A sub-agent may only read its own messages. Null if the store does
 * not know the run.
 */
export async function conversationOf(
  sessions: Pick<SessionStore, 'find' | 'runs' | 'line'>,
  { workflowId, namespaceId }: Asker,
): Promise<{ run: RunRecord; said: ConversationPart[] } | null> {
  const found = await sessions.find(workflowId);
  const asker = found.find(run => namespaceId === null || run.namespaceId === namespaceId);
  if (!asker) return null;
  const visible = (await lineageOf(sessions, asker.session)).filter(
    ({ run }) =>
      run.workspace === asker.workspace && (asker.parent === undefined || run.chain === asker.chain),
  );
  return { run: asker, said: visible };
}

/** Owners of texts from earlier runs that are cached: a model call may have twenty pictures of one run. */
const OWNERS = 1_000;

/** Returns a reader for texts that a run refers to: its own, and those of earlier runs of its conversation. */
export function textsOfConversation(
  texts: Pick<BlobStore, 'read'>,
  sessions: Pick<SessionStore, 'find' | 'runs' | 'line'>,
  namespaceId: () => Promise<string | null>,
): BlobStore['read'] {
  const owners = new LRUCache<string, string>({ max: OWNERS });
  const ownerOf = async (workflowId: string, folder: string) => {
    const known = await conversationOf(sessions, { workflowId, namespaceId: await namespaceId() });
    const owner = known?.said.find(({ run }) => runFolder(run.workflowId) === folder)?.run.workflowId;
    if (owner !== undefined) owners.set(`${workflowId} ${folder}`, owner);
    return owner;
  };
  return async (workflowId, ref, range) => {
    const [, folder = ''] = BLOB_REF.exec(ref) ?? [];
    if (folder === '' || folder === runFolder(workflowId)) return texts.read(workflowId, ref, range);
    const owner = owners.get(`${workflowId} ${folder}`) ?? (await ownerOf(workflowId, folder));
    return owner === undefined ? null : texts.read(owner, ref, range);
  };
}

export type StoredMessage = Extract<StoredLine, { kind: 'message' }>;

/** Yields the messages of each of these runs, one run after the other, in the given order. Each message has its thread. */
export async function* messagesOfEach(
  sessions: Pick<SessionStore, 'readEach'>,
  saids: readonly ConversationPart[],
): AsyncGenerator<ConversationPart & { messages: StoredMessage[] }> {
  for (let first = 0; first < saids.length; ) {
    const session = saids[first]?.run.session ?? '';
    const end = saids.findIndex(({ run }, at) => at > first && run.session !== session);
    const ofOne = saids.slice(first, end < 0 ? saids.length : end);
    const chains = ofOne.map(({ run }) => run.chain);
    let at = 0;
    for await (const { records } of await sessions.readEach(session, { kind: 'message', chains })) {
      const part = ofOne[at++];
      if (part) yield { ...part, messages: upTo(part, records) };
    }
    first += ofOne.length;
  }
}

/** Returns the message of this id, without reading the others of its run; null if this segment has none. */
export async function messageById(
  sessions: Pick<SessionStore, 'read'>,
  said: ConversationPart,
  id: string,
): Promise<StoredMessage | null> {
  const after = messageNumber({ id }) - 1;
  if (after < 0) return null;
  const records = await sessions.read(said.run, { kind: 'message', after, limit: 1 });
  return upTo(said, records).find(({ message }) => message.id === id) ?? null;
}

export async function messagesOf(
  sessions: Pick<SessionStore, 'readEach'>,
  said: ConversationPart,
): Promise<StoredMessage[]> {
  for await (const { messages } of messagesOfEach(sessions, [said])) return messages;
  return [];
}

/** Compares by number, because a run that was reset may lack the message of that id; later messages do not count. */
function upTo({ upTo: last }: ConversationPart, records: readonly StoredLine[]): StoredMessage[] {
  const messages = records.flatMap(each => (each.kind === 'message' ? [each] : []));
  const most = last === undefined ? Number.POSITIVE_INFINITY : messageNumber({ id: last });
  return messages.filter(({ message }) => messageNumber(message) <= most);
}

/** Texts by reference. */
export interface TextStore extends BlobStore {
  /** Removes the texts of these runs; returns how many there were. */
  removeOf(workflowIds: readonly string[]): Promise<number>;
  /** Removes the texts of runs that had ended `by` then; returns how many. Later texts and those without a known owner stay. */
  prune(by: Date, isOver: IsOver): Promise<number>;
}

/** What an account may use: credits, rounded to millionths, and tokens for each day in UTC. */
export interface Account {
  id: string;
  /** Negative if the last turn cost more than there was. */
  balance: number;
  /** Day of the newest charge, such as 2030-01-31; empty before the first. */
  day: string;
  /** Tokens charged on that day. */
  dayTokens: number;
}

/** A database can't index a key that is much longer. */
const ACCOUNT_BYTES = 500;

/** @throws SteersmanError for a name that not every store can have. */
export function checkAccount(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes <= ACCOUNT_BYTES) return;
  const fault = `The name of the account has ${bytes} bytes, and at most ${ACCOUNT_BYTES} are taken.`;
  throw new SteersmanError(fault, 'Name it by a short id.', 'usage');
}

/** Days and hours follow the clock of the store, because a worker's may be wrong. */
export interface AccountStore {
  /** Takes credits once per key. If `isNew` is false, the key was charged before, and nothing is taken. */
  charge(
    account: string,
    key: string,
    what: { credits: number; tokens: number },
  ): Promise<Account & { isNew: boolean }>;
  /** Adds credits once per key. */
  grant(account: string, key: string, credits: number): Promise<Account>;
  /** Returns the credits of all charges whose keys have this prefix, once each. The day's tokens stay, as they were used. */
  refund(account: string, keyPrefix: string): Promise<Account>;
  /** Null before the account's first charge, grant or lease. */
  show(account: string): Promise<Account | null>;
  list(): Promise<Account[]>;
  /**
   * Takes a place among at most `limit` simultaneous runs; returns true if the run has one, also on repeated calls. A
   * place that was not renewed for an hour is free.
   */
  lease(account: string, chain: string, limit: number): Promise<boolean>;
  release(account: string, chain: string): Promise<void>;
}

export interface Store {
  sessions: SessionStore;
  texts: TextStore;
  accounts: AccountStore;
  /** Stores the texts that waited while the store was unavailable. @throws if the store is still unavailable. */
  catchUp(): Promise<void>;
  /** Returns the time by the clock of the store: a worker's may be wrong. */
  now(): Promise<Date>;
  /** @throws SteersmanError that says what does not work. */
  check(): Promise<void>;
  close(): Promise<void>;
}
