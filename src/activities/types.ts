/**
 * What workflows and activities say to each other: plain data, small, and without the conversation,
 * which activities read from the workflow by query.
 */

import type { Packed } from '../base/sizes/packed.js';
import type { RunWords } from '../base/words/words.js';
import type { ContextChange } from '../conversation/transform.js';
import type { ComparedFile } from '../rules/gates/whole-write.js';
import type { ModelRequestPage } from '../rules/prompts/model-request.js';
import type { PinnedRun, RunSettings } from '../run/agents/run-config.js';
import type { Check, CheckStatus } from '../run/checks/check.js';
import type { FilesNow, Snapshot } from '../run/evidence/evidence.js';
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
import type { Mark } from '../run/state/kept.js';

export interface LoadRunInput {
  settings: RunSettings;
}

export interface CallModelInput {
  callId: string;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** Names what the workflow offered for this call: see `RequestSinks`. */
  check: string;
  /** What the run knows of refusals of this model. Default: nothing. */
  lessons?: readonly string[];
}

/** Where a workflow puts what its next call sends, for activities of the same worker. */
export type RequestSinks = {
  steersman: { offer(page: ModelRequestPage, check: string): void };
};

export interface RefusalLesson {
  id: string;
  told: string;
  once?: true;
}

/** The new message and nothing else of the conversation. Its id and time are given by the workflow. */
export interface CallModelResult {
  content: AssistantMessage['content'];
  stopReason: AssistantMessage['stopReason'];
  usage: Usage;
  /** Where the endpoint names another than was asked for. */
  servedModel?: string;
  /** The text that the output is read from, where the message has another: its head and tail, or JSON to be mended. */
  outputText?: string;
  /** What was changed of the request because its endpoint refuses it, and the run does not know: `id` to keep unless it is of this call alone (`once`), `told` to tell. */
  lessons?: RefusalLesson[];
  /** Tools that the text ends with calls of, by name: they are not read yet. */
  calledInText?: string[];
  /** What the person should know of this reply, such as a usage that can't be right. */
  warning?: string;
  durationMs: number;
}

export interface CallToolInput {
  callId: string;
  /** The pairing id of the call in the conversation. */
  toolUseId: string;
  /** Names this call, and no other of any run: the same in every try. */
  idempotencyKey: string;
  /** Name as pinned in the run. */
  tool: string;
  /** Where the server calls it otherwise. */
  serverToolName?: string;
  /** MCP server, or null for a built-in tool. */
  server: string | null;
  /** Type of the application's activity that it is, in place of `steersmanCallTool`. */
  activity?: string;
  /** Small arguments; larger ones are read by the query `toolRequest`. */
  arguments?: Record<string, unknown>;
  /** The worker checks the arguments again, with the schema that the server gives. */
  checked?: boolean;
  timeoutMs: number;
  /** Nothing bad can come of running it twice: read-only or idempotent. */
  idempotent: boolean;
  /** It ends its work when it is told to stop, whatever it may have done until then. */
  stoppable?: true;
  workspace: string;
  /** How long a person is waited for, where the server asks one; absent: nobody attends. */
  asksForMs?: number;
  /** Of a stateful server: id of the run's session, or null where the call opens one. */
  session?: string | null;
  /** Of a stateful server that the call opens a session with: how long it may take to start. Default 20,000. */
  startTimeoutMs?: number;
  goal: number;
  /** The task of the plan that it is for; null outside of one. */
  taskId: string | null;
  /** As the starter gave it. */
  context: Record<string, string>;
  /** An app gets the answer: the one at this address, or that which called. */
  app?: { uri?: string };
  /** Of the notes: absent for the built-in English. */
  words?: RunWords;
}

/** Beside the arguments of an activity that the application has: for the worker, which keeps it to itself. */
export interface ActivityToolCall
  extends Pick<CallToolInput, 'workspace' | 'idempotencyKey' | 'timeoutMs' | 'idempotent' | 'words'> {
  attempts: number;
}

export interface CallToolResult {
  ending: Exclude<ToolEnding, 'reused' | 'skipped'>;
  /** Words of the worker (`conversation/tool-notes.ts`), never of the tool or its server. */
  note?: string;
  content: ToolContent[];
  isError: boolean;
  durationMs: number;
  /** Why the store could not keep the content whole: it is cut. */
  storeFault?: string;
  /** For the app that gets the answer; `appFault`: why there is nothing for it. */
  app?: AppResult;
  appFault?: string;
  /** The session that the call opened, and the task queue of the worker that holds it. */
  session?: { id: string; queue: string };
  /** When the server last said that it has other tools than before, milliseconds since the epoch. */
  toolsChangedAt?: number;
}

/** A call that may be made, with its arguments as they were read; or how it ends. */
export type CallChecked =
  | { arguments: unknown }
  | { ending: Extract<ToolEnding, 'denied' | 'invalid'>; note: string };

export interface ResolveModelInput {
  situation: ModelSituation;
  /** As the starter gave it. */
  context: Record<string, string>;
}

/** Which conversation is looked at: that of a call that was pinned for it, read as a model call reads it. */
export interface TransformInput extends CallModelInput {
  transform: string;
  goal: number;
  /** Estimated, of the conversation. */
  tokens: number;
  /** As the starter gave it. */
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
  /** Of a check by a tool: what that has said. */
  said?: string;
  /** Of a check by a function: what it judges. */
  about?: { goal: string; answer: string; context: Record<string, string> };
}

export interface CheckEnd {
  status: CheckStatus;
  why: string;
  /** What it said, unless it passed: its beginning and its end. */
  output?: string;
}

/** What is looked at in the workspace for the run itself: no tool is called, and nothing is changed. */
export type LookInput = { workspace: string } & (
  | {
      at: 'before';
      /** Paths that a call may write, from the workspace on. */
      paths: string[];
    }
  | {
      at: 'now';
      files: Pick<Snapshot, 'path' | 'hash' | 'ref'>[];
      /** Files that changed since are wanted too; null: they are not, and no differences. */
      since: number | null;
      /** What the look `start` has kept: what changed since is wanted; null: it could not be kept. */
      start?: string | null;
    }
  /** All files with sizes and times, kept for a later look. */
  | { at: 'start' }
  /** The names of the files. */
  | { at: 'list' }
);

export interface LookFinds {
  before: Omit<Snapshot, 'taskIds'>[];
  now: FilesNow;
  /** Null: the store did not take it. */
  start: { ref: string | null };
  list: string;
}

export interface StoreTextInput {
  text: string;
  name: string;
}

/** What lies between two marks: read by the query `keepPage`, kept in the store of sessions. */
export interface KeepInput {
  workspace: string;
  after: Mark;
  upTo: Mark;
  /** No other try follows where the store fails. */
  once?: true;
}

/** `missing`: the store was put back to an earlier state, and the run was written again from that mark on. */
export type KeepEnd = { missing: Mark } | null;

/** Which part of a conversation a run begins with. */
export interface OpenSessionInput {
  session: string;
  /** Of the run itself: what it has kept already is no part of it. */
  chain: string;
  /** That the run works in: a conversation of another one is not told. */
  workspace: string;
  /** Estimated tokens that it may take. */
  tokens: number;
  /** What is said of a goal that came to no answer. */
  noAnswer: string;
}

/** What a run begins with. `untold`: runs that ended while the store was away, and whose end nobody could tell. */
export interface Opened {
  messages: Message[];
  untold?: string[];
}

/** What features add to a moment, and tell the run of it: each declares its own in its folder. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it.
export interface MomentParts {}
// biome-ignore lint/suspicious/noEmptyInterface: features add to it.
export interface MomentEndParts {}

/** A moment of a run that the worker is told of. `key` names it, and nothing else of any run. */
export type MomentInput = {
  key: string;
  goal: number;
  /** As the starter gave it. */
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
  /** False: the goal is not to go on. */
  goOn: boolean;
  why?: string;
  /** A hook whose failure ends nothing has failed. */
  warning?: string;
}

/** What workers run for workflows, beside the activities of features. The keys are the activity types on the wire. */
export interface SteersmanActivities {
  steersmanLoadRun(input: LoadRunInput): Promise<Packed<PinnedRun>>;
  steersmanCallModel(input: CallModelInput): Promise<CallModelResult>;
  steersmanCallTool(input: CallToolInput): Promise<CallToolResult>;
  /** Looks at a call of a workflow before that is started. */
  steersmanCheckCall(input: CallToolInput): Promise<CallChecked>;
  /** Asks the worker's program which model answers; null leaves it to chains and rows. */
  steersmanResolveModel(input: ResolveModelInput): Promise<{ model: string | null }>;
  /** Asks a function of the worker's program what is to be changed of a conversation before a call. */
  steersmanTransform(input: TransformInput): Promise<Required<ContextChange>>;
  /** Compares a file that a call is about to write with what the call brings, for who is asked about it. */
  steersmanCompareFile(input: CompareFileInput): Promise<ComparedFile>;
  /** Makes a check of a goal, by a command, a file or a function: it reads, and may be made again. */
  steersmanRunCheck(input: RunCheckInput): Promise<CheckEnd>;
  /** Looks at files of the workspace, for evidence and for the opening. */
  steersmanLook<I extends LookInput>(input: I): Promise<LookFinds[I['at']]>;
  /** Keeps a text in the blob store; returns its reference. */
  steersmanStoreText(input: StoreTextInput): Promise<{ ref: string }>;
  /** Keeps a part of the run in the store of sessions; kept twice, it is there once. */
  steersmanKeep(input: KeepInput): Promise<KeepEnd>;
  /** Reads what a run begins with of the conversation that it is a part of. */
  steersmanOpenSession(input: OpenSessionInput): Promise<Packed<Message[] | Opened>>;
  /** Tells features of a moment, and hooks of the worker. */
  steersmanHook(input: MomentInput): Promise<MomentEnd>;
}
