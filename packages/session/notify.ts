/** Notifies an absent person that a run waits or has ended: by the terminal's bell, and a web hook. */

import { definedOptions } from '@steersman/print';
import { InvalidArgumentError } from 'commander';
import { errorText } from 'steersman/base';
import type { GateKind, RunEvent } from 'steersman/client';
import { outward } from 'steersman/shared';

/** The body of a web hook's request. It has no text of the run: its id leads to the details. */
export interface News {
  id: string;
  /** `answered`: the goal is answered, and the run is open for the next. */
  what: 'waiting' | 'answered' | 'ended';
  gate?: { id: string; kind: GateKind };
  outcome?: string;
}

export interface NotifyPorts {
  bell(): void;
  post(news: News): Promise<void>;
  report(line: string): void;
}

/** Collects news until all events that arrived together are handled: a gate that was answered meanwhile is dropped. */
export class Notifier {
  readonly #id: string;
  readonly #ports: NotifyPorts;
  readonly #due = new Map<string, News>();
  #scheduled: NodeJS.Immediate | null = null;
  #posting: Promise<void> = Promise.resolve();
  #hasReportedFailure = false;
  /** Events from before this session are posted, but ring no bell: the person has just opened it. */
  #first = true;

  constructor(id: string, ports: NotifyPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  take(item: RunEvent): void {
    // Goals of sub-agents are not reported.
    if (item.path !== undefined) return;
    switch (item.type) {
      case 'end':
        this.#due.clear();
        this.#add('end', { what: 'ended', ...definedOptions({ outcome: item.end.outcome ?? undefined }) });
        break;
      case 'gate_opened':
        this.#add(item.gateId, { what: 'waiting', gate: { id: item.gateId, kind: item.kind } });
        break;
      case 'gate_closed':
        this.#due.delete(item.gateId);
        break;
      case 'goal_ended':
        this.#add('goal', { what: 'answered', outcome: item.outcome });
        break;
      case 'goal_started':
      case 'run_ended':
        this.#due.delete('goal');
        break;
    }
    // All events of one read arrive in the same tick.
    this.#scheduled ??= setImmediate(() => this.#flush());
  }

  /** Resolves when all news were sent, or have failed. */
  async settled(): Promise<void> {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#flush();
    await this.#posting;
  }

  #add(key: string, news: Omit<News, 'id'>): void {
    this.#due.set(key, { id: this.#id, ...news });
  }

  #flush(): void {
    this.#scheduled = null;
    const news = [...this.#due.values()];
    this.#due.clear();
    if (news.length > 0 && !this.#first) this.#ports.bell();
    this.#first = false;
    for (const each of news) this.#posting = this.#posting.then(() => this.#post(each));
  }

  async #post(news: News): Promise<void> {
    try {
      await this.#ports.post(news);
    } catch (error) {
      if (this.#hasReportedFailure) return;
      this.#hasReportedFailure = true;
      const why = `the web hook did not take "${news.what}": ${errorText(error)}`;
      this.#ports.report(`--notify: ${why}. The run goes on.`);
    }
  }
}

const POST_TIMEOUT_MS = 5_000;

/** Posts to the address; does nothing without one. Errors never show the address, which may be a secret. */
export function webHook(url: URL | undefined): NotifyPorts['post'] {
  return async news => {
    if (url === undefined) return;
    const request: RequestInit = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(news),
      signal: AbortSignal.timeout(POST_TIMEOUT_MS),
      // Redirects are not followed: only the named address gets the news.
      redirect: 'manual',
    };
    const answer = await outward.fetch(url, request).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Error(cause instanceof Error && 'code' in cause ? String(cause.code) : 'it does not answer');
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`it answers with status ${answer.status}`);
  };
}

export const NOTIFY_HELP =
  'http(s) address that is told when the run waits, is answered or ends: POST with JSON';

export function notifyOption(words: string): URL {
  const url = URL.canParse(words) ? new URL(words) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('It must be an address that begins with http:// or https://.');
}
