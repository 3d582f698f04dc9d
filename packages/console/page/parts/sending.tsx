/** Something that is being sent: one at a time, and what was refused is said in the server's own words. */
import { type Signal, useSignal } from '@preact/signals';
import { AskFault } from '../ask.js';
import { language, named, t } from '../words/words.js';

export interface Sending {
  busy: boolean;
  fault: string | null;
  /** True where it was taken. */
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
    // What a run refuses is said at its form: where else to look is no help there.
    const said = error.code === 'rejected' ? error.message : `${error.message} ${error.remedy}`.trim();
    return inWords(error.code, said);
  }
  return error instanceof Error ? error.message : String(error);
}

/** The server speaks English: in another language the page says first what kind of fault it is. */
function inWords(code: string, said: string): string {
  if (language.value === 'en') return said;
  return `${named('fault', code)} ${said}`;
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
  /** The key `c` goes there. */
  'data-composer'?: boolean;
}

/** Enter sends the text, with Shift it begins a line. */
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
