/** A tool call that waits: approve it, always approve it, deny it, or approve it otherwise. */
import { useSignal } from '@preact/signals';
import { parseRecord } from '../../../../core/outputs/json-in-text.js';
import { draft } from '../parts/draft.js';
import { lazily } from '../parts/lazy.js';
import { t } from '../words/words.js';
import { draftKey } from './answers.js';
import type { FormProps } from './form-props.js';
import { ReasonField } from './forms.js';
import { approvalInput } from './inputs.js';

const Compare = lazily(() => import('../parts/text/compare.js').then(({ Compare }) => Compare));

export function ApprovalForm({ gate, key_, input, sending, answer }: FormProps<'approval'>) {
  const given = input ?? parseRecord(gate.subject.arguments);
  const original = given === null ? null : JSON.stringify(given, null, 2);
  const edited = draft(draftKey(key_, 'arguments'));
  const reason = draft(draftKey(key_, 'reason'));
  const isEditing = useSignal(edited.peek() !== '');
  const say = (decision: Parameters<typeof approvalInput>[0]) => {
    const changed = isEditing.value && edited.value !== '' && edited.value !== original;
    answer(approvalInput(decision, { edited: changed ? edited.value : null, reason: reason.value }));
  };
  const { busy } = sending;
  return (
    <>
      {isEditing.value && original !== null && (
        <EditedArguments
          original={original}
          text={edited.value || original}
          onText={text => (edited.value = text)}
        />
      )}
      <div class="actions">
        <button type="button" class="main" disabled={busy} onClick={() => say('approve')}>
          {isEditing.value ? t('approveEdited') : t('approve')}
        </button>
        <button type="button" disabled={busy} onClick={() => say('always')}>
          {t('alwaysRun')}
        </button>
        <button type="button" disabled={busy} onClick={() => say('workspace')}>
          {t('alwaysWorkspace')}
        </button>
        {original !== null && (
          <button type="button" class="quiet" onClick={() => (isEditing.value = !isEditing.value)}>
            {isEditing.value ? t('asItWas') : t('editArguments')}
          </button>
        )}
      </div>
      <div class="actions">
        <ReasonField reason={reason} />
        <button type="button" class="bad" disabled={busy} onClick={() => say('deny')}>
          {t('deny')}
        </button>
      </div>
    </>
  );
}

interface EditedProps {
  original: string;
  text: string;
  onText: (text: string) => void;
}

function EditedArguments({ original, text, onText }: EditedProps) {
  return (
    <>
      <textarea
        class="code"
        aria-label={t('arguments')}
        spellcheck={false}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        onInput={event => onText(event.currentTarget.value)}
      />
      {text !== original && <Compare before={original} after={text} />}
    </>
  );
}
