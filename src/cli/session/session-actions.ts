/** Carries out what a person's keys ask for. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Run, SteersmanError } from '../../client/index.js';
import type { Gate } from '../../core/gates/gate.js';
import { isOpen as isOpenTask } from '../../core/plan/plan.js';
import { wholeBody } from '../print/gate-help.js';
import { type Does, describeError, doer, outgoing } from './doing.js';
import { editedIn } from './editor.js';
import { editedElsewhere, yesEffects } from './input/gate-keys.js';
import { withMenu } from './input/menu.js';
import { PromptFetcher } from './input/prompt-fetcher.js';
import { type Effect, type Look, type Talk, takenBack, withGates } from './input/talk-state.js';
import { workspaceFiles } from './input/workspace-files.js';
import { lookLines } from './look.js';
import type { RunProgress } from './run-view.js';
import type { Reader } from './screen/reader.js';
import { gateLines } from './screen/scroll-lines.js';
import type { Scrollback } from './screen/scrollback.js';
import type { Terminal } from './screen/terminal.js';
import { SendQueue } from './send-queue.js';
import type { StateReader } from './state-reader.js';

/** What is typed and what is known, as it stands. */
export interface SessionState {
  talk: Talk;
  readonly progress: RunProgress;
}

interface SessionActionsOptions {
  run: Run;
  /** The run was started here, to stay open for follow-ups. */
  owned: boolean;
  /** `--config` of the start, if any. */
  config: string | undefined;
  sessionState: SessionState;
  scrollback: Scrollback;
  reader: Reader;
  states: StateReader;
  /** Aborted when the person leaves. */
  left: AbortController;
  /** Draws the area anew. */
  refresh(): void;
  /** The program in which texts are edited, if there is one. */
  editor: string | null;
  /** Gives the terminal to it. */
  lend: Terminal['lend'];
}

const SEND_AGAIN_MS = 1_000;
const LEAVE_TIMEOUT_MS = 5_000;

export class SessionActions {
  /** The run was asked to end. */
  finishing = false;
  readonly #owned: boolean;
  readonly #sessionState: SessionState;
  readonly #scrollback: Scrollback;
  readonly #reader: Reader;
  readonly #states: StateReader;
  readonly #left: AbortController;
  readonly #refresh: () => void;
  readonly #editor: string | null;
  readonly #lend: Terminal['lend'];
  readonly #does: Does;
  readonly #queue: SendQueue;
  readonly #prompts: PromptFetcher;
  /**
   * Gates that were answered from here: the last question about the state whose answer may list them still. Listed
   * later, an agent could not take what was said there, and the gate waits for another answer.
   */
  readonly #answered = new Map<string, number>();

  constructor({
    run,
    owned,
    config,
    sessionState,
    scrollback,
    reader,
    states,
    left,
    refresh,
    editor,
    lend,
  }: SessionActionsOptions) {
    this.#owned = owned;
    this.#sessionState = sessionState;
    this.#scrollback = scrollback;
    this.#reader = reader;
    this.#states = states;
    this.#left = left;
    this.#refresh = refresh;
    this.#editor = editor;
    this.#lend = lend;
    this.#does = doer(run);
    this.#prompts = new PromptFetcher({
      ...{ sessionState, scrollback, refresh },
      place: () => ({
        config,
        workspace: sessionState.progress.state?.workspace ?? process.cwd(),
        ask: null,
      }),
      carryOut: effect => this.carryOut(effect),
      failed: (error, texts) => this.failed(error, texts),
    });
    this.#queue = new SendQueue({
      mayPass: error => error instanceof SteersmanError && error.code === 'unreachable',
      pause: () => delay(SEND_AGAIN_MS, undefined, { signal: left.signal }).catch(() => undefined),
      waits: error =>
        scrollback.tell([...describeError(error), 'What you said is sent when it answers again.']),
      failed: (error, texts) => this.failed(error, texts),
    });
  }

  carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'say':
        this.#scrollback.tell(effect.lines);
        return;
      case 'detach':
        this.#left.abort();
        return;
      case 'finish':
        void this.#finish().catch(error => this.failed(error));
        return;
      case 'status':
        void this.#does.status().then(
          lines => this.#scrollback.write(lines),
          error => this.failed(error),
        );
        return;
      case 'view':
        this.#view(effect.gate);
        return;
      case 'edit':
        void this.#edit(effect).catch(error => this.failed(error));
        return;
      case 'look':
        this.#look(effect.at);
        return;
      case 'open-last': {
        const { gates, inputs } = this.#sessionState.talk;
        this.#reader.openLast(gates[0], inputs[gates[0]?.id ?? ''] ?? null);
        return;
      }
      case 'transcript':
        this.#reader.openTranscript(effect.thread === '' ? undefined : effect.thread);
        return;
      case 'add-task':
        this.#change(() =>
          this.#does.addTask(effect.text, this.#sessionState.progress.state?.tasks.map(({ id }) => id) ?? []),
        );
        return;
      case 'set-budget':
        this.#change(() => this.#does.setBudget(effect.words));
        return;
      case 'set-model':
        this.#change(() => this.#does.setModel(effect));
        return;
      case 'list-files':
        void this.#listFiles();
        return;
      case 'list-prompts':
        void this.#prompts.list(effect);
        return;
      case 'prompt':
        void this.#prompts.put(effect);
        return;
      case 'answer':
        this.#answer(effect);
        return;
      case 'steer':
      case 'follow-up':
        this.#say(effect);
        return;
      case 'take-back':
        this.#queue.add({ text: null, send: () => this.#takeBack() });
        return;
      case 'pause':
      case 'hold':
      case 'resume':
      case 'stop': {
        const { do: signal } = effect;
        this.#queue.add({ text: null, send: () => this.#does.signal(signal) });
      }
    }
  }

  #view(gate: Gate): void {
    const body = wholeBody(gate, this.#sessionState.talk.inputs[gate.id] ?? null);
    this.#scrollback.print(gateLines({ ...gate, body }, this.#scrollback.page));
  }

  async #edit({ gate, text }: Extract<Effect, { do: 'edit' }>): Promise<void> {
    let edited = text;
    await this.#lend(async () => {
      edited = await editedIn(this.#editor ?? '', text);
    });
    const { talk, effects } = editedElsewhere(this.#sessionState.talk, gate, text, edited);
    this.#sessionState.talk = talk;
    for (const effect of effects) this.carryOut(effect);
    this.#refresh();
  }

  #look(at: Look): void {
    const { talk, progress } = this.#sessionState;
    this.#scrollback.write(lookLines(at, progress.state, talk, this.#scrollback.page));
  }

  /** Carried out in turn with what is said; the journal tells what became of it. */
  #change(send: () => Promise<void>): void {
    this.#queue.add({ text: null, send: () => send().then(() => this.#states.read()) });
  }

  /** Anew at each `@`: the run writes files meanwhile. */
  async #listFiles(): Promise<void> {
    const workspace = this.#sessionState.progress.state?.workspace;
    if (workspace === undefined) return;
    const files = await workspaceFiles(workspace);
    this.#sessionState.talk = withMenu(this.#sessionState.talk, { ...this.#sessionState.talk, files }).talk;
    this.#refresh();
  }

  #answer({ gate, input }: Extract<Effect, { do: 'answer' }>): void {
    if (this.#answered.has(gate.id)) return;
    this.#answered.set(gate.id, Number.POSITIVE_INFINITY);
    this.setGates(this.#sessionState.talk.gates);
    this.#scrollback.you('', answerWords(gate, input));
    const send = () =>
      this.#does.answer(gate, input).then(
        () => void this.#answered.set(gate.id, this.#states.asked),
        error => {
          this.#notTaken(gate.id);
          throw error;
        },
      );
    this.#queue.add({ text: null, send });
  }

  /** What is not taken is not tried for ever. */
  #notTaken(gateId: string): void {
    this.#answered.delete(gateId);
    this.#sessionState.talk = { ...this.#sessionState.talk, yes: false };
  }

  #say(effect: Extract<Effect, { do: 'steer' | 'follow-up' }>): void {
    const later = effect.do === 'follow-up' && !this.#sessionState.progress.idle ? ', for later' : '';
    const to = effect.do === 'steer' && effect.to ? `, to ${effect.to}` : '';
    const cut = effect.do === 'steer' && effect.when === 'interrupt' ? ' (interrupt)' : '';
    this.#scrollback.you(`${later}${to}${cut}`, effect.text);
    const message = outgoing(effect);
    this.#scrollback.ownMessages.push(message.id);
    this.#queue.add({ text: effect.text, send: () => this.#does.deliver(message).then(() => undefined) });
  }

  /** What was not taken comes back into the line, in the order it was said. */
  failed(error: unknown, texts: string[] = []): void {
    this.#scrollback.tell(describeError(error));
    if (texts.length > 0) {
      this.#scrollback.tell(['It was not sent, and is in your line again.']);
      this.#sessionState.talk = takenBack(this.#sessionState.talk, texts.join('\n'));
    }
    this.#states.read();
  }

  async #takeBack(): Promise<void> {
    const text = await this.#does.takeBack(this.#scrollback.ownMessages);
    if (text !== null) this.#sessionState.talk = takenBack(this.#sessionState.talk, text);
    else this.#scrollback.tell(['Nothing that you said waits: it has been read.']);
    this.#refresh();
  }

  /** Leaves a run that is answered: it ends, where it was kept open for this session. */
  async #finish(): Promise<void> {
    if (!this.#owned && this.#sessionState.progress.idle) {
      this.#left.abort();
      return;
    }
    this.finishing = true;
    await this.#does.signal('finish');
    if (!this.#sessionState.progress.idle) return;
    // A run without a worker does not end now: nobody waits for that.
    await delay(LEAVE_TIMEOUT_MS, undefined, { ref: false });
    this.#left.abort();
  }

  /**
   * The gates that are open, but those that were answered from here. After `/yes` it answers them. `asked`: number of
   * the question about the state that listed them; 0 for none.
   */
  setGates(gates: readonly Gate[], asked = 0): void {
    for (const { id } of gates) if (asked > (this.#answered.get(id) ?? asked)) this.#notTaken(id);
    const { progress, talk } = this.#sessionState;
    const open = gates.filter(gate => !this.#answered.has(gate.id));
    const tasks = (progress.state?.tasks ?? []).filter(isOpenTask);
    this.#sessionState.talk = withGates(talk, open, tasks, Date.now());
    for (const effect of yesEffects(this.#sessionState.talk)) this.carryOut(effect);
  }

  /** Lets go: what was typed last may be on its way still. Gives the texts that were not taken. */
  async letGo(): Promise<string[]> {
    await Promise.race([this.#queue.drained(), delay(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
    return this.#queue.close();
  }

  /** Nobody is here for a follow-up any more: a run that was kept open ends when its goal is answered. */
  async endWhenAnswered(): Promise<void> {
    if (this.#owned && !this.finishing) await this.#does.signal('finish').catch(() => undefined);
  }
}

/** What was answered, in a line. */
function answerWords(gate: Gate, input: Record<string, unknown>): string {
  const { gateId: _, decision, ...rest } = input;
  const said = [decision, ...Object.values(rest)].filter(part => part !== undefined);
  const words = said.map(part => (typeof part === 'string' ? part : JSON.stringify(part)));
  return `${gate.id} · ${words.join(' · ')}`;
}
