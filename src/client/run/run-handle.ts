/** The handle of a run for programs. In the workflow a run is `workflows/run/run.ts`. */

import type { UpdateDefinition } from '@temporalio/common';
import type { Gate } from '../../run/gates/gate.js';
import type { Limits } from '../../run/limits/limits.js';
import type { Artifact } from '../../run/outputs/artifact.js';
import type { PlannedTask } from '../../run/plan/plan.js';
import type { Note } from '../../run/state/note.js';
import type { RunRecord } from '../../run/state/stored-line.js';
import type { TraceReport } from '../../run/state/trace.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { ofThisProcess } from '../../shared/secrets.js';
import type { RunResult, RunView } from '../../workflows/run/definitions.js';
import {
  type ComponentActionInput,
  callToolUpdate,
  componentActionSignal,
  editPlanUpdate,
  finishSignal,
  followUpSignal,
  noteUpdate,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  setModelUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
} from '../../workflows/run/definitions.js';
import { type Abortable, abortable, leavable } from '../connection/abortable.js';
import { askRun } from '../connection/ask-run.js';
import type { ClientScope } from '../connection/client-scope.js';
import { type Temporal, webUiLink } from '../connection/connect.js';
import type { ChildTree } from '../record/child-tree.js';
import { gateInput, type ToolInput } from '../record/gate-input.js';
import { type ModelRequest, readModelRequest } from '../record/model-request.js';
import type { RunEnd } from '../record/run-end.js';
import { readHistory, readStored } from '../record/run-files.js';
import { RunReader, resultIn } from '../record/run-reader.js';
import type { RunSnapshot } from '../record/run-snapshot.js';
import { type RunStart, readRunStart } from '../record/run-start.js';
import { fromWorker, mayBeServed } from '../record/runs.js';
import type { ToolOutput } from '../start/client-tools.js';
import type { StartOptions } from '../start/start-run.js';
import type { ThreadTranscript } from '../stored/stored-runs.js';
import { wordsOf } from '../vocabularies/stream-events.js';
import type { RunEvent } from '../watch/run-event.js';
import { type WaitOptions, waitForEnd } from '../watch/wait-for-end.js';
import { type WatchOptions, watchRun } from '../watch/watch-run.js';
import { answerTools, type GateHandler, type GateHandlers, handlerOf, onGate } from './on-gate.js';
import {
  type Asked,
  answerAndKeep,
  type GateReply,
  type Handle,
  type MessageOptions,
  type PauseOptions,
  type SentMessage,
  type SteerOptions,
  sendMessage,
  sendToOpen,
  type ToolResultInput,
  takeBack,
  update,
} from './send.js';

/**
 * A run. Its methods throw a `SteersmanError`: `ended` if it accepts nothing more, `unserved` if a worker is needed and
 * does not answer, `rejected` if the run refuses the request, `unreachable` if Temporal does not answer, `aborted` if
 * the signal ended the wait.
 */
export class Run<T = unknown> {
  readonly id: string;
  /** True if a start found this run of its conversation open: the goal is queued in it. */
  readonly joined: boolean;
  /** Temporal's run id of the started or found execution. A long run continues as new, under another id. */
  readonly runId: string;
  /** Task queue of its worker. */
  readonly taskQueue: string;
  /** Its page in the Web UI, if that address is known: on the local stack and Temporal Cloud. */
  readonly webUi: string | null;
  /** Folder in which its tools work; null if its start did not record it. */
  readonly workspace: string | null;
  readonly #scope: ClientScope;
  readonly #reader: RunReader;
  readonly #handlers: (GateHandler | GateHandlers)[] = [];
  /** Aborted by a gate that could not be answered, with the error. */
  readonly #failed = new AbortController();

  /** Programs get runs from `start` and `attach`. */
  constructor(
    scope: ClientScope,
    {
      id,
      runId,
      taskQueue,
      workspace,
      joined = false,
      forgotten = null,
    }: Pick<Run, 'id' | 'runId' | 'taskQueue' | 'workspace'> & {
      joined?: boolean;
      forgotten?: RunRecord | null;
    },
    { tools = [], context = {} }: Pick<StartOptions, 'tools' | 'context'> = {},
  ) {
    this.#scope = scope;
    this.#reader = new RunReader(scope.temporal, id, scope.kept?.sessions ?? null, forgotten);
    this.id = id;
    this.joined = joined;
    this.runId = runId;
    this.taskQueue = taskQueue;
    this.workspace = workspace;
    this.webUi = webUiLink(scope.temporal, id);
    if (forgotten === null) answerTools(scope, this.#reader, { tools, values: context });
  }

  /**
   * Yields the run's events, from the first (or after `since`) to its end, through restarts of all parts. An aborted
   * signal ends only the iteration, as does `return` of the generator.
   */
  events(options: WatchOptions = {}): AsyncGenerator<RunEvent> {
    return this.#leavable(options, signal =>
      this.#withGateNotices(watchRun(this.#reader, { ...options, signal })),
    );
  }

  /**
   * Yields only the text of the answer as it arrives: no plans or verdicts, no other roles or sub-agents. An answer in
   * a verdict arrives at once, when its goal ends. Ends with the run, like `events`.
   */
  textStream(options: Omit<WatchOptions, 'live' | 'children'> = {}): AsyncGenerator<string> {
    return this.#leavable(options, signal =>
      wordsOf(watchRun(this.#reader, { ...options, signal, children: false })),
    );
  }

  /** Sends a message to the running goal. Resolves with the run's first receipt, which says what will happen to it. */
  steer(text: string, { when = 'skip', to, ...options }: SteerOptions = {}): Promise<SentMessage> {
    const input = { text, when, ...(to === undefined ? {} : { to }) };
    return sendMessage(this.#scope, this.id, { as: steerSignal, input }, options);
  }

  /** Queues the next goal, which begins when the current one is answered. */
  followUp(text: string, options: MessageOptions = {}): Promise<SentMessage> {
    return sendMessage(this.#scope, this.id, { as: followUpSignal, input: { text } }, options);
  }

  /** Sends a person's choice in a displayed component. Label and data (at most 16 KB) are read as data; it answers no gate. */
  componentAction(
    { action, label, data }: Omit<ComponentActionInput, 'id'>,
    options: MessageOptions = {},
  ): Promise<SentMessage> {
    return sendMessage(
      this.#scope,
      this.id,
      { as: componentActionSignal, input: { action, label, data } },
      options,
    );
  }

  /**
   * Withdraws the last of these messages that neither the run nor a sub-agent has read. Returns its text, or null if
   * all were read.
   */
  withdraw(messageIds: readonly string[], options: Abortable = {}): Promise<string | null> {
    return this.#work(options, temporal => takeBack(temporal, this.id, messageIds));
  }

  /** Pauses the run before its next model or tool call. */
  pause(reason = '', { interrupt = false, ...options }: PauseOptions = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(pauseSignal, { reason, ...(interrupt && { interrupt }) }));
  }

  /** Resumes a paused run and its sub-agents, regardless of who paused them. */
  resume(reason = '', options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(resumeSignal, { reason }));
  }

  /** Ends a run that is kept open, once its goal is answered and nothing waits. */
  finish(options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(finishSignal));
  }

  /** Ends the run with its current results, without another model call. */
  stop(reason = '', options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(stopSignal, { reason }));
  }

  /** Cancels the run by Temporal's own mechanism. `stop` is gentler. */
  cancel(options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.cancel());
  }

  /** Answers an open gate, such as `g1`; also with the result of a client's tool. */
  async answerGate(gateId: string, answer: GateReply | ToolOutput, options: Abortable = {}): Promise<void> {
    await this.#work(options, temporal => answerAndKeep(temporal, this.id, gateId, answer));
  }

  /** Submits the result of a client's tool, identified by its gate or its call. */
  async submitToolResult(result: ToolResultInput, options: Abortable = {}): Promise<void> {
    await this.#update(options, submitToolResultUpdate, { ...result });
  }

  /**
   * Requests a tool call for an app, as pages that show apps do; `of` is the call whose result the app shows. Resolves
   * with its id: the event `app_call_ended` reports its outcome, and has the complete answer by reference
   * (`app.answer`).
   */
  async callTool(
    call: { of: string; tool: string; arguments?: Record<string, unknown> },
    options: Abortable = {},
  ): Promise<string> {
    return (await this.#update(options, callToolUpdate, { ...call })).callId;
  }

  /**
   * Adds tasks, or changes those that have not begun: omitted fields stay, null removes one. `remove`: ids of tasks
   * that have not begun and must not be done. Resolves with the number of tasks in the plan.
   */
  async editPlan(
    tasks: readonly (Partial<PlannedTask> & { id: string })[],
    { remove = [], ...options }: Abortable & { remove?: readonly string[] } = {},
  ): Promise<number> {
    const edit = { tasks: [...tasks], ...(remove.length > 0 && { remove: [...remove] }) };
    return (await this.#update(options, editPlanUpdate, edit)).tasks;
  }

  /** Changes limits, such as `{ tokens: 2_000_000 }`: they apply from the next step on, also in working sub-agents. */
  async setBudget(limits: Partial<Limits>, options: Abortable = {}): Promise<void> {
    await this.#update(options, setBudgetUpdate, limits);
  }

  /**
   * Changes the model of a role, or of all, also in sub-agents, from their next calls on. It is then used alone,
   * without chains and rows of `models.resolver`. It must be in the run's first configuration. Resolves with the roles.
   */
  async setModel(model: string, { role, ...options }: Abortable & { role?: string } = {}): Promise<string[]> {
    const input = { model, ...(role === undefined ? {} : { role }) };
    return (await this.#update(options, setModelUpdate, input)).roles;
  }

  /**
   * Passes each gate to `handlers` once, while this client is open. They are a function, or an object of functions by
   * kind (`approval`, `plan`, `question`, …, `default`). A returned value is the answer; without one, the gate stays
   * open for others. If a handler throws, or the run refuses its answer, `result`, `end`, `events` and `textStream` of
   * this run throw that, as a SteersmanError. A gate without a handler stays open, and `events` reports it by a
   * `notice`. Returns a function that ends the handling.
   */
  onGate(handlers: GateHandler | GateHandlers): () => void {
    this.#handlers.push(handlers);
    const end = onGate(this.#scope, this.#reader, handlers, error => this.#failed.abort(error));
    return () => {
      this.#handlers.splice(this.#handlers.indexOf(handlers), 1);
      end();
    };
  }

  /** Adds a notice for each gate that no handler takes. */
  async *#withGateNotices(events: AsyncGenerator<RunEvent>): AsyncGenerator<RunEvent> {
    for await (const event of events) {
      yield event;
      if (event.type !== 'gate_opened' || this.#handlers.length === 0) continue;
      if (this.#handlers.some(handlers => handlerOf(handlers, event.kind) !== null)) continue;
      const text = `No handler of onGate takes the gate ${event.gateId} (${event.kind}): it stays open.`;
      yield { type: 'notice', text };
    }
  }

  /**
   * Adds a note of the application to the run: people see it as an event, the store keeps it, and no model gets it.
   * Values of this process's keys are replaced in it first. Returns the number of the event.
   */
  async note(note: Note, options: Abortable = {}): Promise<number> {
    return (await this.#update(options, noteUpdate, ofThisProcess().redactAll(note))).seq;
  }

  /** Returns the run's state from its worker; throws `unserved` if no worker answers. */
  state(options: Abortable = {}): Promise<RunView> {
    const { id } = this;
    return this.#work(options, temporal =>
      fromWorker(temporal, id, { knows: 'its state', ask: () => askRun(temporal, { id }, stateQuery) }),
    );
  }

  /** Returns all arguments of a gate's tool call; null for other gates, and if no worker answers. */
  inputOf(gate: Gate): Promise<ToolInput | null> {
    return gateInput(this.#scope.temporal, this.id, gate);
  }

  /** Returns the run's state from worker, result and server combined; works for ended runs and without a worker. */
  show(options: Abortable = {}): Promise<RunSnapshot> {
    return this.#work(options, () => this.#reader.snapshot());
  }

  /** Returns what it was started with, without a worker; null if Temporal has deleted that, or it can't be read here. */
  startedWith(options: Abortable = {}): Promise<RunStart | null> {
    return this.#work(options, async temporal =>
      this.#reader.forgotten === null ? readRunStart(temporal, this.id) : null,
    );
  }

  /** Returns its sub-agents, each with its usage and its own sub-agents: each is the run `{id}/{child.id}`. */
  children(options: Abortable = {}): Promise<ChildTree[]> {
    return this.#work(options, () => this.#reader.children());
  }

  /**
   * Returns the conversation, main thread first, or one thread: complete if this machine has the store, else the
   * worker's part.
   */
  transcript({ thread, ...options }: Abortable & { thread?: string } = {}): Promise<ThreadTranscript[]> {
    return this.#work(options, () => this.#reader.transcript(thread));
  }

  /**
   * Returns what a model call was sent: system text, tools and messages. A run has the requests of its last calls. Throws
   * a SteersmanError `unserved` if no worker answers or the request is no longer there.
   */
  modelRequest(callId: string, options: Abortable = {}): Promise<ModelRequest> {
    return this.#work(options, temporal => readModelRequest(temporal, this.id, callId));
  }

  /** Returns its steps; of an ended run without a worker only the last steps. */
  trace(options: Abortable = {}): Promise<TraceReport> {
    return this.#work(options, () => this.#reader.trace());
  }

  /**
   * Waits for the result of any outcome, without a time limit. Throws a SteersmanError `no_result` if Temporal ended
   * the run without a result.
   */
  async result(options: WaitOptions = {}): Promise<RunResult<T>> {
    // The cast is safe: a value fits the schema that the type comes from.
    return resultIn(await this.end(options)) as RunResult<T>;
  }

  /** Waits for the end and returns it, even without a result: terminated, or timed out. */
  end(options: WaitOptions = {}): Promise<RunEnd> {
    return abortable(this.#scope, { signal: this.#orFailed(options) }, signal =>
      waitForEnd(this.#reader, { ...options, signal }, this.#scope.report),
    );
  }

  /** Returns the Temporal history of its latest segment, as JSON that replay tests take. */
  history(options: Abortable = {}): Promise<{ runId: string; json: string }> {
    return this.#work(options, temporal => readHistory(temporal, this.id));
  }

  /** Returns the complete text of a reference (`blob:…`). It works only on a machine with the worker's store. */
  stored(ref: string): Promise<string> {
    return readStored(this.#scope.kept, this.id, ref);
  }

  /** Returns its artifacts, in the order of their creation. */
  async artifacts(options: Abortable = {}): Promise<Artifact[]> {
    return (await this.show(options)).artifacts;
  }

  /**
   * Returns an artifact with its content. It works only on a machine with the worker's store. Throws a SteersmanError
   * `not_found` if the run has no artifact of this id.
   */
  async artifact(id: string, options: Abortable = {}): Promise<Artifact & { text: string }> {
    const all = await this.artifacts(options);
    const found = all.find(each => each.id === id);
    if (found) return { ...found, text: await this.stored(found.ref) };
    const known = all.map(each => each.id).join(', ') || 'none';
    throw new SteersmanError(`The run ${this.id} has no artifact ${id}. It has: ${known}.`, '', 'not_found');
  }

  #ask(options: Abortable, ask: (run: Handle) => Promise<unknown>): Promise<Asked> {
    return this.#work(options, async temporal => {
      const { taskQueue } = await sendToOpen(temporal, this.id, ask);
      return { served: await mayBeServed(temporal, taskQueue) };
    });
  }

  #update<Result, Input>(
    options: Abortable,
    wanted: UpdateDefinition<Result, [Input]>,
    input: Input,
  ): Promise<Result> {
    return this.#work(options, temporal => update(temporal, this.id, wanted, input));
  }

  #leavable<T>(options: Abortable, start: (signal: AbortSignal) => AsyncGenerator<T>): AsyncGenerator<T> {
    return leavable(this.#scope, this.#orFailed(options), start);
  }

  /** Ends waits if a gate could not be answered as the program intended: the run may wait forever. */
  #orFailed({ signal }: Abortable): AbortSignal {
    return AbortSignal.any([this.#failed.signal, ...(signal ? [signal] : [])]);
  }

  #work<T>(options: Abortable, work: (temporal: Temporal) => Promise<T>): Promise<T> {
    return abortable(this.#scope, options, signal => work({ ...this.#scope.temporal, signal }));
  }
}
