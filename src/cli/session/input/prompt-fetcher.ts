/** Asks tool servers for their prompts, for the list below the line and for the line itself. */
import {
  leftOutLine,
  type PromptPlace,
  promptServers,
  promptsOf,
  promptText,
} from '../../setup/server-prompts.js';
import { describeError } from '../doing.js';
import type { Scrollback } from '../screen/scrollback.js';
import { withMenu } from './menu.js';
import { type PromptMenu, withPromptText } from './prompt-line.js';
import type { Effect, Talk } from './talk-state.js';

interface PromptFetcherOptions {
  /** Where the talk stands. */
  sessionState: { talk: Talk };
  scrollback: Pick<Scrollback, 'tell'>;
  /** Where servers are configured, and what they are started for, at this moment. */
  place(): PromptPlace;
  carryOut(effect: Effect): void;
  failed(error: unknown, texts: string[]): void;
  /** Draws the area anew. */
  refresh(): void;
}

export class PromptFetcher {
  readonly #options: PromptFetcherOptions;

  constructor(options: PromptFetcherOptions) {
    this.#options = options;
  }

  /** Names are read from the configuration; only a server that is named is started. */
  async list({ server }: Extract<Effect, { do: 'list-prompts' }>): Promise<void> {
    const { sessionState, scrollback, place } = this.#options;
    if (server === null) {
      // Where there are none, or none that may be used, a call says why.
      const names = await promptServers(place()).catch(() => []);
      this.#know({ ...Object.fromEntries(names.map(name => [name, null])), ...sessionState.talk.prompts });
      return;
    }
    const prompts = await promptsOf(server, place()).catch((error: unknown) => {
      scrollback.tell(describeError(error));
      return [];
    });
    this.#know({ ...sessionState.talk.prompts, [server]: prompts });
  }

  /** Puts its text into the line, for the person to read and send. */
  async put({ prompt, words, typed }: Extract<Effect, { do: 'prompt' }>): Promise<void> {
    const { sessionState, scrollback, place, failed, refresh } = this.#options;
    scrollback.tell([`Asking for ${prompt} …`]);
    try {
      const expanded = await promptText(prompt, words, place());
      sessionState.talk = {
        ...sessionState.talk,
        line: withPromptText(sessionState.talk.line, expanded.text),
        menu: null,
      };
      const leftOut = leftOutLine(expanded);
      scrollback.tell(['It is in your line: Enter sends it.', ...(leftOut === null ? [] : [leftOut])]);
    } catch (error) {
      failed(error, [typed]);
    }
    refresh();
  }

  #know(prompts: PromptMenu): void {
    const { sessionState, carryOut, refresh } = this.#options;
    const { talk, effects } = withMenu(sessionState.talk, { ...sessionState.talk, prompts });
    sessionState.talk = talk;
    for (const effect of effects) carryOut(effect);
    refresh();
  }
}
