/** The form of a new run: its goal. Its other settings are loaded when a person uses the form. */

import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { TextArea, useSending } from '../parts/sending.js';
import { t } from '../words/words.js';
import type { StartFaults } from './start-body.js';
import { type GoesOn, startDraft } from './start-draft.js';

const StartRest = lazily(() => import('./start-rest.js').then(({ StartRest }) => StartRest));

interface StartProps extends GoesOn {
  /** One line until a person types a goal. */
  isSmall?: boolean;
}

export function StartForm({ isSmall = false, ...given }: StartProps) {
  const { session, after } = given;
  const { goal } = startDraft(given);
  const isOpened = useSignal(false);
  const faults = useSignal<StartFaults>({});
  const sending = useSending();
  const isNew = (session ?? after) === undefined;
  const isLine = isSmall && !isOpened.value && goal.value === '';
  const start = () =>
    void sending.send(async () => (await import('./start-rest.js')).startRun(given, faults));
  return (
    <form
      class={isLine ? 'start card small-form' : 'start card'}
      onFocusCapture={() => (isOpened.value = true)}
      aria-label={t(isNew ? 'newRun' : 'goOn')}
      onSubmit={event => {
        event.preventDefault();
        start();
      }}
    >
      <TextArea
        label={t('goal')}
        placeholder={t(isNew ? 'goalHint' : 'goOnHint')}
        rows={3}
        text={goal}
        onSend={start}
      />
      {!isLine && <StartRest {...given} faults={faults} sending={sending} />}
    </form>
  );
}
