/** Sends one request at a time, and shows a refusal with the server's message. */

import { type Signal, useSignal } from '@preact/signals';
import { AskFault } from '../ask.js';
import { language, named, said, t } from '../words/words.js';

export interface Sending {
  busy: boolean;
  fault: string | null;
  /** Resolves to true if the request succeeded. */
  send(work: () => Promise<unknown>): Promise<boolean>;
  say(fault: string | null): void;
}

export function useSending(): Sending {
  const busy = useSignal(false);
  const fault = useSignal<string | null>(null);
  return {
    busy: busy.value,
    fault: fault.value,
    say(text) {
      fault.value = text;
    },
    async send(work) {
      if (busy.peek()) return false;
      busy.value = true;
      fault.value = null;
      try {
        await work();
        return true;
      } catch (error) {
        fault.value = faultWords(error);
        return false;
      } finally {
        busy.value = false;
      }
    },
  };
}

export function faultWords(error: unknown): string {
  if (error instanceof AskFault) {
    if (error.code === 'away') return t('faultAway');
    // A refusal that is shown at its form or field is shown without its remedy, which may name a command.
    const isAtForm = error.code === 'rejected' || error.option !== null;
    const message = inWords(error.code, error.message);
    return isAtForm ? message : `${message} ${said(error.remedy)}`.trim();
  }
  return error instanceof Error ? error.message : String(error);
}

/** Messages of the server are English. The page translates those that it knows, and the kind of the other faults. */
function inWords(code: string, message: string): string {
  const words = said(message);
  return language.value === 'en' || words !== message ? words : `${named('fault', code)} ${message}`;
}

export function Fault({ of }: { of: string | null }) {
  return of === null ? null : (
    <p class="fault" role="alert">
      {of}
    </p>
  );
}

interface TextAreaProps {
  label: string;
  placeholder: string;
  rows: number;
  text: Signal<string>;
  onSend: () => void;
  /** The key `c` moves the focus to this field. */
  'data-composer'?: boolean;
}

/** Enter sends the text, Shift+Enter begins a new line. */
export function TextArea({ label, text, onSend, ...rest }: TextAreaProps) {
  return (
    <textarea
      {...rest}
      aria-label={label}
      value={text.value}
      onInput={event => {
        text.value = event.currentTarget.value;
      }}
      onKeyDown={event => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        onSend();
      }}
    />
  );
}
