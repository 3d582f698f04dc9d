/** Something that is being sent: one at a time, and what was refused is said in the server's own words. */
import { useSignal } from '@preact/signals';
import { AskFault } from '../ask.js';
import { t } from '../words/words.js';

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
    return error.code === 'rejected' ? error.message : `${error.message} ${error.remedy}`.trim();
  }
  return error instanceof Error ? error.message : String(error);
}

export function Fault({ of }: { of: string | null }) {
  return of === null ? null : (
    <p class="fault" role="alert">
      {of}
    </p>
  );
}
