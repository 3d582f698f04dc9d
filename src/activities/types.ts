/**
 * The messages between workflows and activities: plain data, small, and without the conversation, which activities read
 * from the workflow by query.
 */

import type { Packed } from '../base/sizes/packed.js';
import type { RunWords } from '../base/words/words.js';
import type { ContextChange } from '../conversation/transform.js';
import type { ComparedFile, EditFails } from '../rules/gates/whole-write.js';
import type { ModelRequestPage } from '../rules/prompts/model-request.js';
import type { PinnedRun, RunSettings } from '../run/agents/run-config.js';
import type { Check, CheckStatus } from '../run/checks/check.js';
import type { FilesChanged, FilesNow, Snapshot } from '../run/evidence/evidence.js';
import type { Cause, Outcome } from '../run/limits/cause.js';
import type {
  AppResult,
  AssistantMessage,
  Message,
  ToolContent,
  ToolEnding,
  Usage,
} from '../run/messages/message.js';
import type { ModelSituation } from '../run/models/resolver.js';
import type { Note } from '../run/state/note.js';
import type { Mark } from '../run/state/stored-line.js';

export interface LoadRunInput {
  settings: RunSettings;
  /** The run begins: a worker with a store of sessions lists it there. */
  lists?: true;
}

/**
 * What a run pins. `listed`: the store of sessions has its records up to here. `start`: the look at the workspace before the
 * first goal, if its work is judged: the run makes no other.
 */
export type LoadedRun = PinnedRun & { listed?: Mark; start?: LookFinds['start'] };

export interface CallModelInput {
  callId: string;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** Identifies the workflow's offer for this call: see `RequestSinks`. */
  check: string;
  /** The run's knowledge of this model's refusals. Default: []. */
  lessons?: readonly string[];
}

/** The sink for a workflow's next request, read by activities of the same worker. */
export type RequestSinks = {
  steersman: { offer(page: ModelRequestPage, check: string): void };
};

export interface RefusalLesson {
  id: string;
  told: string;
  once?: true;
}

/** The new message and nothing else of the conversation. The workflow sets its id and time. */
export interface CallModelResult {
  content: AssistantMessage['content'];
  stopReason: AssistantMessage['stopReason'];
  usage: Usage;
  /** The endpoint's name of the model, if it differs from the requested one. */
  servedModel?: string;
  /** The text for reading the output, if the message differs: it has head and tail, or JSON before repair. */
  outputText?: string;
  /** Changes to a refused request. `id` is stored, unless it is for this call only (`once`); `told` is for people. */
  lessons?: RefusalLesson[];
  /** Names of tools that the text calls at its end: these calls are not read yet. */
  calledInText?: string[];
  /** A warning for the person about this reply, such as implausible usage. */
  warning?: string;
  durationMs: number;
}

export interface CallToolInput {
  callId: string;
  /** The pairing id of the call in the conversation. */
  toolUseId: string;
  /** Identifies this call uniquely among all runs: the same in every attempt. */
  idempotencyKey: string;
  /** Name as pinned in the run. */
  tool: string;
  /** The server's name of the tool, if it differs. */
  serverToolName?: string;
  /** MCP server, or null for a built-in tool. */
  server: string | null;
  /** Type of the application's activity that runs instead of `steersmanCallTool`. */
  activity?: string;
  /** Small arguments; larger ones are read by the query `toolRequest`. */
  arguments?: Record<string, unknown>;
  /** The worker checks the arguments again, with the server's schema. */
  checked?: boolean;
  timeoutMs: number;
  /** Running it twice is harmless: read-only or idempotent. */
  idempotent: boolean;
  /** It ends its work when asked, regardless of its effects so far. */
  stoppable?: true;
  workspace: string;
  /** Milliseconds to wait for a person if the server asks one; absent: no person attends. */
  asksForMs?: number;
  /** Id of the run's session with a stateful server, or null if the call opens one. */
  session?: string | null;
  /** Milliseconds that a stateful server may take to start, if the call opens a session. Default 20,000. */
  startTimeoutMs?: number;
  goal: number;
  /** The plan's task that it is for; null without one. */
  taskId: string | null;
  /** The `context` that the run was started with. */
  context: Record<string, string>;
  /** An app gets the answer: the one at this address, or the calling one. */
  app?: { uri?: string };
  /** The words of the notes; absent for the built-in English. */
  words?: RunWords;
}

/** Accompanies the arguments of an application's activity; the worker does not pass it on. */
export interface ActivityToolCall
  extends Pick<CallToolInput, 'workspace' | 'idempotencyKey' | 'timeoutMs' | 'idempotent' | 'words'> {
  attempts: number;
  /** The run's context; absent for an empty one. */
  values?: Record<string, string>;
}

export interface CallToolResult {
  ending: Exclude<ToolEnding, 'reused' | 'skipped'>;
  /** Words of the worker (`conversation/tool-notes.ts`), never of the tool or its server. */
  note?: string;
  content: ToolContent[];
  isError: boolean;
  durationMs: number;
  /** The files that changed while a command ran. */
  files?: FilesChanged;
  /** Why the store could not take the content, which is therefore cut. */
  storeFault?: string;
  /** Data for the app that gets the answer; `appFault`: why there is none. */
  app?: AppResult;
  appFault?: string;
  /** The session that the call opened, and the task queue of the worker that holds it. */
  session?: { id: string; queue: string };
  /** The time at which the server last reported changed tools, milliseconds since the epoch. */
  toolsChangedAt?: number;
}

/** A permitted call with its parsed arguments; or its ending. */
export type CallChecked =
  | { arguments: unknown }
  | { ending: Extract<ToolEnding, 'denied' | 'invalid'>; note: string };

export interface ResolveModelInput {
  situation: ModelSituation;
  /** The `context` that the run was started with. */
  context: Record<string, string>;
}

/** A conversation, by a call that was pinned for it: the activity reads it like a model call's. */
export interface TransformInput extends CallModelInput {
  transform: string;
  goal: number;
  /** Estimated tokens of the conversation. */
  tokens: number;
  /** The `context` that the run was started with. */
  context: Record<string, string>;
}

export interface CompareFileInput {
  /** The model's own id of the call. */
  callId: string;
  workspace: string;
  /** Small arguments of the call; larger ones are read by the query `toolRequest`. */
  arguments?: Record<string, unknown>;
}

export interface RunCheckInput {
  check: Check;
  workspace: string;
  timeoutMs: number;
  /** The tool's output, for a check by a tool. */
  said?: string;
  /** The subject, for a check by a function. */
  about?: { goal: string; answer: string; context: Record<string, string> };
}

export interface CheckEnd {
  status: CheckStatus;
  why: string;
  /** Beginning and end of its output, unless it passed. */
  output?: string;
}

/** A look at the workspace for the run itself: without a tool call, and without changes. */
export type LookInput = { workspace: string } & (
  | {
      at: 'before';
      /** Paths that a call may write, relative to the workspace. */
      paths: string[];
    }
  | {
      at: 'now';
      files: Pick<Snapshot, 'path' | 'hash' | 'ref' | 'changedAt'>[];
      /** Milliseconds since the epoch: files changed later are listed too; null: no such files, and no diffs. */
      since: number | null;
      /**
       * Reference of the list that the look `start` stored, to return changes since then; null: it could not be stored.
       */
      start?: string | null;
      /** Unchanged lines around each change of a diff; 2 by default. */
      context?: number;
    }
  /** All files with sizes and times, stored for a later look. */
  | { at: 'start' }
  /** The names of the files. */
  | { at: 'list' }
);

export interface LookFinds {
  before: Omit<Snapshot, 'taskIds'>[];
  now: FilesNow;
  /** Null: the store refused it. */
  start: { ref: string | null };
  list: string;
}

export interface StoreTextInput {
  text: string;
  name: string;
}

/** Records between two marks: read by the query `keepPage`, stored in the store of sessions. */
export interface KeepInput {
  workspace: string;
  after: Mark;
  upTo: Mark;
  /** If the store fails, there is no further attempt. */
  once?: true;
}

/** `missing`: the store was restored to an earlier state, and the run was written again from that mark on. */
export type KeepEnd = { missing: Mark } | null;

/** The part of a conversation that a run begins with. */
export interface OpenSessionInput {
  session: string;
  /** The run itself: its own stored records are left out. */
  chain: string;
  /** The run's workspace: conversations of another one are not shown. */
  workspace: string;
  /** The maximum of estimated tokens. */
  tokens: number;
  /** The note about a goal without an answer. */
  noAnswer: string;
  /** Runs that failed are left out, with all of their messages. Default: they are kept, and marked. */
  rollsBack?: true;
}

/** The earlier messages that a run begins with. `untold`: runs that ended while the store was unavailable, with an unknown end. */
export interface Opened {
  messages: Message[];
  untold?: string[];
}

/** Features' additions to a moment and its report to the run: each feature declares its own in its folder. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it.
export interface MomentParts {}
// biome-ignore lint/suspicious/noEmptyInterface: features add to it.
export interface MomentEndParts {}

/** A moment of a run that is reported to the worker. `key` identifies it among all runs. */
export type MomentInput = {
  key: string;
  goal: number;
  /** The `context` that the run was started with. */
  context: Record<string, string>;
} & MomentParts &
  MomentFacts;

export type MomentFacts =
  | { at: 'begin' }
  | { at: 'turn'; turn: number; role: string; model: string; usage: Usage; messageId: string }
  | { at: 'results'; messageIds: string[] }
  | { at: 'error'; role: string; model: string; error: string; isRetryable: boolean }
  | { at: 'goal' }
  | { at: 'end'; outcome: Outcome; cause: Cause };

export interface MomentEnd extends MomentEndParts {
  /** False: the goal must end. */
  goOn: boolean;
  why?: string;
  /** Says that a hook has failed which can't end the goal. */
  warning?: string;
  /** Notes that hooks have for people. */
  notes?: Note[];
}

/** Activities of workers for workflows, in addition to those of features. The keys are the activity types on the wire. */
export interface SteersmanActivities {
  steersmanLoadRun(input: LoadRunInput): Promise<Packed<LoadedRun>>;
  steersmanCallModel(input: CallModelInput): Promise<CallModelResult>;
  steersmanCallTool(input: CallToolInput): Promise<CallToolResult>;
  /** Checks a call of a workflow before that is started. */
  steersmanCheckCall(input: CallToolInput): Promise<CallChecked>;
  /** Asks the worker's program for the model; null leaves it to chains and rows. */
  steersmanResolveModel(input: ResolveModelInput): Promise<{ model: string | null }>;
  /** Asks a function of the worker's program for changes to a conversation before a call. */
  steersmanTransform(input: TransformInput): Promise<Required<ContextChange>>;
  /** Compares a file with a call's new content, for the person who is asked about it. */
  steersmanCompareFile(input: CompareFileInput): Promise<ComparedFile | EditFails>;
  /** Makes a check of a goal, by a command, a file or a function: it reads, and may be repeated. */
  steersmanRunCheck(input: RunCheckInput): Promise<CheckEnd>;
  /** Looks at files of the workspace, for evidence and for the opening. */
  steersmanLook<I extends LookInput>(input: I): Promise<LookFinds[I['at']]>;
  /** Stores a text in the blob store; returns its reference. */
  steersmanStoreText(input: StoreTextInput): Promise<{ ref: string }>;
  /** Stores a part of the run in the store of sessions; storing it twice has no further effect. */
  steersmanKeep(input: KeepInput): Promise<KeepEnd>;
  /** Reads the earlier messages of a run's conversation. */
  steersmanOpenSession(input: OpenSessionInput): Promise<Packed<Message[] | Opened>>;
  /** Returns the folders below which runs may work, by the worker's configuration. */
  steersmanFolders(): Promise<string[]>;
  /** Reports a moment to features, and to hooks of the worker. */
  steersmanHook(input: MomentInput): Promise<MomentEnd>;
}
