/** The form to send a message to a run: as steering or as its next goal, with its time and receiver. */
import { type Signal, useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { takesNextGoal } from '@steersman/view';
import { proposals } from '../components/proposals.js';
import { GateNotice } from '../gates/gate-notice.js';
import { draft, freshId } from '../parts/draft.js';
import { TextArea } from '../parts/sending.js';
import type { RunModel } from '../run-model.js';
import { t } from '../words/words.js';
import { sendNote } from './messages.js';
import type { SentNote } from './sent.js';

const ProposalChips = lazily(() =>
  import('../components/proposal-chips.js').then(({ ProposalChips }) => ProposalChips),
);

export function Composer({ run }: { run: RunModel }) {
  void run.version.value;
  const text = draft(`composer ${run.id}`);
  const chosen = useSignal<SentNote['kind'] | null>(null);
  // An answered run is not steered: the message is its next goal.
  const kind = chosen.value ?? (takesNextGoal(run) ? 'follow-up' : 'steer');
  const when = useSignal('skip');
  const to = useSignal('');
  const send = () => {
    const words = text.value.trim();
    if (words === '') return;
    text.value = '';
    const note = { id: freshId(), text: words, at: Date.now(), fault: null };
    void sendNote(run.id, { ...note, kind, when: when.value, to: to.value });
  };
  return (
    <form
      class="composer"
      aria-label={t('sayToRun')}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <GateNotice />
      {(proposals.value[run.id] ?? []).length > 0 && <ProposalChips run={run.id} />}
      <TextArea
        data-composer
        label={t('message')}
        placeholder={kind === 'steer' ? t('steerHint') : t('followUpHint')}
        rows={2}
        text={text}
        onSend={send}
      />
      <div class="actions">
        <select
          aria-label={t('messageKind')}
          value={kind}
          onChange={event => (chosen.value = event.currentTarget.value as SentNote['kind'])}
        >
          <option value="steer">{t('steer')}</option>
          <option value="follow-up">{t('followUp')}</option>
        </select>
        {kind === 'steer' && <SteerChoices readers={readers(run)} when={when} to={to} />}
        <button type="submit" class="main" disabled={text.value.trim() === ''}>
          {t('send')}
        </button>
      </div>
    </form>
  );
}

interface SteerProps {
  readers: readonly string[];
  when: Signal<string>;
  to: Signal<string>;
}

/** Chooses when steering takes effect, and its receiver. */
function SteerChoices({ readers, when, to }: SteerProps) {
  return (
    <>
      <select
        aria-label={t('when')}
        value={when.value}
        onChange={event => (when.value = event.currentTarget.value)}
      >
        <option value="skip">{t('whenSkip')}</option>
        <option value="after-batch">{t('whenAfter')}</option>
        <option value="interrupt">{t('whenInterrupt')}</option>
      </select>
      <select
        aria-label={t('toWhom')}
        value={to.value}
        onChange={event => (to.value = event.currentTarget.value)}
      >
        <option value="">{t('toAtWork')}</option>
        {readers.map(each => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </>
  );
}

/** Returns the roles that read messages, and the sub-agents that run. */
function readers({ snapshot }: RunModel): string[] {
  if (!snapshot) return [];
  const agents = snapshot.children.filter(({ outcome }) => outcome === null).map(({ id }) => id);
  return [...snapshot.readers, ...agents];
}
