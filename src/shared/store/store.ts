/** What outlives a run: conversations, and the texts that they refer to. Where it is kept is one seam. */
import { LRUCache } from 'lru-cache';
import { type Kept, type Mark, messageNumber, type RunRecord } from '../../run/state/kept.js';
import { SteersmanError } from '../process/errors.js';
import { BLOB_REF, type BlobStore, type IsOver, runFolder } from './blob-store.js';

/** A conversation in a list. */
export interface SessionLine {
  id: string;
  /** Beginning of its first goal. */
  title: string;
  workspace: string;
  startedAt: number;
  changedAt: number;
  /** Where it goes on from a message of another one. */
  parent?: MessageOf;
}

/** Names a message: its id is unique in its run. */
export interface MessageOf extends RunOf {
  message: string;
}

/** Something said that has the words that were looked for. */
export interface Hit {
  session: string;
  chain: string;
  workflowId: string;
  /** Id of the message. */
  message: string;
  at: number;
  /** What stands around them. */
  text: string;
}

/** Names a run in its conversation. */
export type RunOf = Pick<RunRecord, 'session' | 'chain'>;

export interface SessionStore {
  /**
   * Adds records to a run, in one write. What is there already stays as it is, but steps and the run's own record are
   * replaced. `after`: the mark that the records follow. Where the store has more than that from another execution, the
   * run was reset, and tells its story anew from there: what came behind the mark is gone.
   * @returns null once they are kept. A mark if the store lacks what they follow: nothing is written, and the run is to
   * be written from that mark on.
   */
  keep(run: RunRecord, records: readonly Kept[], after?: Mark): Promise<Mark | null>;
  /** The runs of a conversation, as they stand, oldest first. */
  runs(session: string): Promise<RunRecord[]>;
  /** All runs that had this workflow id, newest first. */
  find(workflowId: string): Promise<RunRecord[]>;
  /** Records of one kind, in order; `after`: the number that the last one had. */
  read(run: RunOf, ask: { kind: Kept['kind']; after?: number; limit: number }): Promise<Kept[]>;
  /**
   * Records of one kind of each of these runs, whole, one run after the other, in the order given. What is not waited for
   * is not read; the conversation is looked through once for all of them.
   */
  readEach(
    session: string,
    ask: { kind: Kept['kind']; chains: readonly string[] },
  ): Promise<AsyncIterable<{ chain: string; records: Kept[] }>>;
  /** Newest first; `before`: changed before that time; `text`: words of the title. */
  list(ask: { limit: number; before?: number; text?: string; workspaces?: string[] }): Promise<SessionLine[]>;
  /** Each word is a part of the text, as it stands, in any case. Newest conversations first. */
  search(ask: { sessions?: string[]; text: string; limit: number }): Promise<Hit[]>;
  /** A conversation as lists have it; null for an unknown one. */
  line(session: string): Promise<SessionLine | null>;
  /** Ids of conversations that begin with what this one says. */
  branches(session: string): Promise<string[]>;
  /** Begins a conversation that goes on from a message of another one: what came before stays there, and is shared. */
  branch(from: MessageOf, to: string): Promise<void>;
  /**
   * Removes a conversation; gives the workflow ids of its runs. What a run of it that has not ended says from then on is
   * kept nowhere. `before`: only where nothing was added since. Throws a SteersmanError where a branch shares what it says,
   * and where a run is not as it was `judged`.
   */
  remove(session: string, ask?: RemovalTerms): Promise<{ workflowIds: string[] }>;
}

export interface RemovalTerms {
  before?: number;
  /** The runs that the removal is meant for, as they stood. */
  judged?: readonly RunRecord[];
}

/** Looked at while nobody else can add to the conversation. */
export function refuseUnjudged(session: string, runs: readonly RunRecord[], { judged }: RemovalTerms): void {
  const other = judged && runs.find(run => !judged.some(known => isSameLook(known, run)));
  if (other)
    throw new SteersmanError(
      `The conversation ${session} has gone on meanwhile, by the run ${other.workflowId}.`,
      'See what was said, and delete it again.',
      'conflict',
    );
}

/** Whether somebody may add to a run after its removal: itself, or who reads its history, which Temporal removes late. */
export function mayComeAgain({ ended, late }: RunRecord): boolean {
  return !ended || late === true;
}

function isSameLook(a: RunRecord, b: RunRecord): boolean {
  return a.chain === b.chain && a.runId === b.runId && a.changedAt === b.changedAt && a.ended === b.ended;
}

export function hasBranches(session: string, branches: readonly string[]): SteersmanError {
  return new SteersmanError(
    `The conversation ${session} has branches, which share what it says: ${branches.join(', ')}.`,
    'Delete them first.',
    'conflict',
  );
}

/** A run that a conversation has, or its beginning: `upTo` is the last message of it that counts. */
export interface Said {
  run: RunRecord;
  upTo?: string;
}

/** All runs of a conversation, oldest first: those of its own come after what it shares with the one that it branched from. */
export async function lineageOf(
  sessions: Pick<SessionStore, 'runs' | 'line'>,
  session: string,
  below: ReadonlySet<string> = new Set(),
): Promise<Said[]> {
  const own = (await sessions.runs(session)).map(run => ({ run }));
  const parent = (await sessions.line(session))?.parent;
  const known = new Set([...below, session]);
  // One that was deleted while it was branched from may have come again, as a branch of its branch.
  if (!parent || known.has(parent.session)) return own;
  const before = (await lineageOf(sessions, parent.session, known)).filter(
    ({ run }) => run.parent === undefined,
  );
  const at = before.findIndex(({ run }) => run.chain === parent.chain);
  const [last] = before.slice(at, at + 1);
  return [...before.slice(0, Math.max(at, 0)), ...(last ? [{ ...last, upTo: parent.message }] : []), ...own];
}

/** Who asks for what its conversation has. `namespaceId` null: of any. */
export interface Asker {
  workflowId: string;
  namespaceId: string | null;
}

/**
 * The run that asks, as the store has it, and what it may read: its own conversation, with what that goes on from, of its
 * own workspace; a sub-agent only what it said itself. Null where the store does not know it.
 */
export async function conversationOf(
  sessions: Pick<SessionStore, 'find' | 'runs' | 'line'>,
  { workflowId, namespaceId }: Asker,
): Promise<{ run: RunRecord; said: Said[] } | null> {
  const found = await sessions.find(workflowId);
  const asker = found.find(run => namespaceId === null || run.namespaceId === namespaceId);
  if (!asker) return null;
  const said = (await lineageOf(sessions, asker.session)).filter(
    ({ run }) =>
      run.workspace === asker.workspace && (asker.parent === undefined || run.chain === asker.chain),
  );
  return { run: asker, said };
}

/** Of texts of earlier runs: a model call may have twenty pictures of one. */
const OWNERS = 1_000;

/** Reads what a run is shown by reference: its own texts, and those of the runs that its conversation had before it. */
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

export type SaidMessage = Extract<Kept, { kind: 'message' }>;

/** What was said in each of these runs, one after the other, in the order given: each message with its thread, in order. */
export async function* saidInEach(
  sessions: Pick<SessionStore, 'readEach'>,
  saids: readonly Said[],
): AsyncGenerator<Said & { messages: SaidMessage[] }> {
  for (let first = 0; first < saids.length; ) {
    const session = saids[first]?.run.session ?? '';
    const end = saids.findIndex(({ run }, at) => at > first && run.session !== session);
    const ofOne = saids.slice(first, end < 0 ? saids.length : end);
    const chains = ofOne.map(({ run }) => run.chain);
    let at = 0;
    for await (const { records } of await sessions.readEach(session, { kind: 'message', chains })) {
      const said = ofOne[at++];
      if (said) yield { ...said, messages: upTo(said, records) };
    }
    first += ofOne.length;
  }
}

export async function saidIn(sessions: Pick<SessionStore, 'readEach'>, said: Said): Promise<SaidMessage[]> {
  for await (const { messages } of saidInEach(sessions, [said])) return messages;
  return [];
}

/** By number: a run that was reset may have no message of that name any more, and what came after is no part of it. */
function upTo({ upTo: last }: Said, records: readonly Kept[]): SaidMessage[] {
  const said = records.flatMap(each => (each.kind === 'message' ? [each] : []));
  const most = last === undefined ? Number.POSITIVE_INFINITY : messageNumber({ id: last });
  return said.filter(({ message }) => messageNumber(message) <= most);
}

/** Texts by reference. */
export interface TextStore extends BlobStore {
  /** Removes the texts of these runs; gives how many there were. */
  removeOf(workflowIds: readonly string[]): Promise<number>;
  /**
   * Removes the texts of runs that had ended `by` then, and gives how many. What was stored since stays, and what nobody
   * can be asked about.
   */
  prune(by: Date, isOver: IsOver): Promise<number>;
}

/** What somebody may use: credits in millionths at the least, and tokens of the day, in UTC. */
export interface Account {
  id: string;
  /** Below zero where the last turn cost more than there was. */
  balance: number;
  /** Of the newest charge, such as 2030-01-31; empty before the first. */
  day: string;
  /** Charged on that day. */
  dayTokens: number;
}

/** Days and hours are by the clock of the store: that of a worker may be wrong. */
export interface AccountStore {
  /** Takes credits once for a key; `isNew` false: it was charged before, nothing is taken. */
  charge(
    account: string,
    key: string,
    what: { credits: number; tokens: number },
  ): Promise<Account & { isNew: boolean }>;
  /** Adds credits, once for a key. */
  grant(account: string, key: string, credits: number): Promise<Account>;
  /** Gives back what charges with keys that begin so have taken, each once. Tokens of the day stay: they were used. */
  refund(account: string, keyPrefix: string): Promise<Account>;
  /** Null before its first charge, grant or lease. */
  show(account: string): Promise<Account | null>;
  list(): Promise<Account[]>;
  /**
   * A place among at most `limit` runs at once; true if it has one, also when asked again. One that was not asked for
   * again in an hour is free.
   */
  lease(account: string, chain: string, limit: number): Promise<boolean>;
  release(account: string, chain: string): Promise<void>;
}

export interface Store {
  sessions: SessionStore;
  texts: TextStore;
  accounts: AccountStore;
  /** Takes in texts that waited while it was away. @throws where it still is. */
  catchUp(): Promise<void>;
  /** @throws SteersmanError that says what does not work. */
  check(): Promise<void>;
  close(): Promise<void>;
}
