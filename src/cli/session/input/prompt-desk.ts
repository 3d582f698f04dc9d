/** Asks tool servers for their prompts, for the list below the line and for the line itself. */
import {
  leftOutLine,
  type PromptPlace,
  promptServers,
  promptsOf,
  promptText,
} from '../../setup/server-prompts.js';
import { describeError } from '../doing.js';
import type { Paper } from '../screen/paper.js';
import { withMenu } from './menu.js';
import { type PromptMenu, withPromptText } from './prompt-line.js';
import type { Effect, Talk } from './talk-state.js';

interface PromptDeskOptions {
  /** Where the talk stands. */
  desk: { talk: Talk };
  paper: Pick<Paper, 'tell'>;
  /** Where servers are configured, and what they are started for, at this moment. */
  place(): PromptPlace;
  carryOut(effect: Effect): void;
  failed(error: unknown, texts: string[]): void;
  /** Draws the area anew. */
  refresh(): void;
}

export class PromptDesk {
  readonly #options: PromptDeskOptions;

  constructor(options: PromptDeskOptions) {
    this.#options = options;
  }

  /** Names are read from the configuration; only a server that is named is started. */
  async list({ server }: Extract<Effect, { do: 'list-prompts' }>): Promise<void> {
    const { desk, paper, place } = this.#options;
    if (server === null) {
      // Where there are none, or none that may be used, a call says why.
      const names = await promptServers(place()).catch(() => []);
      this.#know({ ...Object.fromEntries(names.map(name => [name, null])), ...desk.talk.prompts });
      return;
    }
    const prompts = await promptsOf(server, place()).catch((error: unknown) => {
      paper.tell(describeError(error));
      return [];
    });
    this.#know({ ...desk.talk.prompts, [server]: prompts });
  }

  /** Puts its text into the line, for the person to read and send. */
  async put({ prompt, words, typed }: Extract<Effect, { do: 'prompt' }>): Promise<void> {
    const { desk, paper, place, failed, refresh } = this.#options;
    paper.tell([`Asking for ${prompt} …`]);
    try {
      const expanded = await promptText(prompt, words, place());
      desk.talk = { ...desk.talk, line: withPromptText(desk.talk.line, expanded.text), menu: null };
      const leftOut = leftOutLine(expanded);
      paper.tell(['It is in your line: Enter sends it.', ...(leftOut === null ? [] : [leftOut])]);
    } catch (error) {
      failed(error, [typed]);
    }
    refresh();
  }

  #know(prompts: PromptMenu): void {
    const { desk, carryOut, refresh } = this.#options;
    const { talk, effects } = withMenu(desk.talk, { ...desk.talk, prompts });
    desk.talk = talk;
    for (const effect of effects) carryOut(effect);
    refresh();
  }
}
