/** Asks tool servers for their prompts, for the completion list and for the line itself. */

import type { RunProgress } from '@steersman/view';
import { withMenu } from './complete.js';
import { type PromptMenu, withPromptText } from './prompt-line.js';
import { leftOutLine, promptServers, promptsOf, promptText } from './server-prompts.js';
import type { Effect, EffectOf, SessionState } from './session-state.js';

interface FetcherScope {
  session: SessionState;
  readonly progress: Pick<RunProgress, 'state'>;
  /** `--config`, if any: the folder that configures the servers. */
  readonly config?: string | undefined;
  readonly scrollback: { tell(lines: readonly string[]): void };
  readonly terminal: { refresh(): void };
}

interface Actions {
  carryOut(effect: Effect): void;
  failed(error: unknown, texts?: string[]): void;
}

export class PromptFetcher {
  readonly #scope: FetcherScope;
  readonly #actions: Actions;

  constructor(scope: FetcherScope, actions: Actions) {
    this.#scope = scope;
    this.#actions = actions;
  }

  /** The names of servers are read from the configuration; only a named server is started. */
  async list({ server }: EffectOf<'list-prompts'>): Promise<void> {
    const scope = this.#scope;
    if (server === null) {
      // Without servers, or without trust, there are no names: a call of a prompt says why.
      const names = await promptServers(this.#place).catch(() => []);
      this.#know({ ...Object.fromEntries(names.map(name => [name, null])), ...scope.session.prompts });
      return;
    }
    const prompts = await promptsOf(server, this.#place).catch((error: unknown) => {
      this.#actions.failed(error);
      return [];
    });
    this.#know({ ...scope.session.prompts, [server]: prompts });
  }

  /** Puts the text of a prompt into the line, for the person to read and send. */
  async put({ prompt, words, typed }: EffectOf<'prompt'>): Promise<void> {
    const scope = this.#scope;
    scope.scrollback.tell([`Asking for ${prompt} …`]);
    try {
      const expanded = await promptText(prompt, words, this.#place);
      scope.session = {
        ...scope.session,
        line: withPromptText(scope.session.line, expanded.text),
        menu: null,
      };
      scope.scrollback.tell(['It is in your line: Enter sends it.', ...leftOutLine(expanded)]);
    } catch (error) {
      this.#actions.failed(error, [typed]);
    }
    scope.terminal.refresh();
  }

  get #place() {
    const { config, progress } = this.#scope;
    return { config, workspace: progress.state?.workspace ?? process.cwd(), ask: null };
  }

  #know(prompts: PromptMenu): void {
    const { session, effects } = withMenu(this.#scope.session, { ...this.#scope.session, prompts });
    this.#scope.session = session;
    for (const effect of effects) this.#actions.carryOut(effect);
    this.#scope.terminal.refresh();
  }
}
