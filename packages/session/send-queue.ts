/** The only sender of a session: a person's actions are sent one after another, in the order they were typed (PR6). */

export interface Sending {
  /** The text of a message; null for switches and answers. */
  text: string | null;
  /** Resolves when the server has accepted it. A message is resent under the same id, which has no second effect. */
  send(): Promise<unknown>;
}

export interface SendPorts {
  /** True if a message that failed with this error can be resent. */
  mayPass(error: unknown): boolean;
  pause(): Promise<unknown>;
  /** Reports, once for each message, that it waits for an unreachable server. */
  waits(error: unknown): void;
  /** Reports a failed action; for a message, with its text and the texts of the messages after it, in order. */
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

  /** Stops sending. Returns the unsent texts, in order. */
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
    for (let hasReported = false; ; hasReported = true) {
      try {
        await send();
        return null;
      } catch (cause) {
        if (this.#closed || text === null || !this.#ports.mayPass(cause)) return { cause };
        if (!hasReported) this.#ports.waits(cause);
        await this.#ports.pause();
      }
    }
  }

  /** A failed message also stops the messages after it, which may refer to it. */
  #fail(failed: Sending, cause: unknown): void {
    const texts = failed.text === null ? [] : textsOf([failed, ...this.#queue]);
    if (failed.text !== null) this.#queue = this.#queue.filter(({ text }) => text === null);
    this.#ports.failed(cause, texts);
  }
}

function textsOf(queue: readonly Sending[]): string[] {
  return queue.map(({ text }) => text).filter(text => text !== null);
}
