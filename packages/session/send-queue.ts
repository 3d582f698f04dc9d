/** The one sender of a session: what a person does goes out one after another, in the order it was typed (PR6). */

export interface Sending {
  /** What was said, where it is a message; null for switches and answers. */
  text: string | null;
  /** Resolves when the server has taken it. A message is sent again under the same id, which does nothing twice. */
  send(): Promise<unknown>;
}

export interface SendPorts {
  /** Whether a message that failed this way may be taken when it is sent again. */
  mayPass(error: unknown): boolean;
  pause(): Promise<unknown>;
  /** A message waits for a server that is away: said once for each. */
  waits(error: unknown): void;
  /** It was not taken; with a message, its text and those of the messages behind it, in order. */
  failed(error: unknown, texts: string[]): void;
}

export class SendQueue {
  readonly #ports: SendPorts;
  #queue: Sending[] = [];
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(ports: SendPorts) {
    this.#ports = ports;
  }

  add(sending: Sending): void {
    this.#queue.push(sending);
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async drained(): Promise<void> {
    await this.#working;
  }

  /** Sends nothing more; gives the texts that were not taken, in order. */
  close(): string[] {
    this.#closed = true;
    return textsOf(this.#queue);
  }

  async #work(): Promise<void> {
    for (let [next] = this.#queue; next && !this.#closed; [next] = this.#queue) {
      const error = await this.#sendNow(next);
      if (this.#closed && error !== null) return;
      this.#queue.shift();
      if (error !== null) this.#fail(next, error.cause);
    }
  }

  async #sendNow({ text, send }: Sending): Promise<{ cause: unknown } | null> {
    for (let told = false; ; told = true) {
      try {
        await send();
        return null;
      } catch (cause) {
        if (this.#closed || text === null || !this.#ports.mayPass(cause)) return { cause };
        if (!told) this.#ports.waits(cause);
        await this.#ports.pause();
      }
    }
  }

  /** A message that is not taken stops those behind it: they were said after it. */
  #fail(failed: Sending, cause: unknown): void {
    const texts = failed.text === null ? [] : textsOf([failed, ...this.#queue]);
    if (failed.text !== null) this.#queue = this.#queue.filter(({ text }) => text === null);
    this.#ports.failed(cause, texts);
  }
}

function textsOf(queue: readonly Sending[]): string[] {
  return queue.map(({ text }) => text).filter(text => text !== null);
}
