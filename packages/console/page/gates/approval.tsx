/** The form of a waiting tool call: approve it, always approve it, deny it, or approve it with changes. */

import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { parseRecord, visibleText } from 'steersman/base';
import { argumentsText } from 'steersman/rules';
import { draft } from '../parts/draft.js';
import { t } from '../words/words.js';
import { draftKey } from './answers.js';
import type { FormProps } from './form-props.js';
import { ReasonField } from './forms.js';

const Compare = lazily(() => import('../parts/text/compare.js').then(({ Compare }) => Compare));

/** Edited arguments can be approved only once, so these choices are then hidden. */
const ALWAYS = [
  ['run', 'alwaysRun'],
  ['workspace', 'alwaysWorkspace'],
] as const;

export function ApprovalForm({ gate, key_, input, sending, answer }: FormProps<'approval'>) {
  const { calls } = gate.subject;
  const given = calls ? null : (input ?? parseRecord(gate.subject.arguments));
  const original = given === null ? null : argumentsText(given);
  const edited = draft(draftKey(key_, 'arguments'));
  const reason = draft(draftKey(key_, 'reason'));
  const left = (calls ?? []).map((_call, index) => draft(draftKey(key_, `except ${index + 1}`)));
  const isEditing = useSignal(edited.peek() !== '');
  const approve = () => {
    const changed = isEditing.value && edited.value !== '' && edited.value !== original;
    const except = Object.fromEntries(
      left.flatMap(({ value }, index) => (value.trim() === '' ? [] : [[`${index + 1}`, value.trim()]])),
    );
    const isLess = Object.keys(except).length > 0;
    answer({ decision: 'approve', ...(changed && { arguments: edited.value }), ...(isLess && { except }) });
  };
  /** Discarding the edit also clears its draft, so that a reload does not restore it. */
  const edit = () => {
    edited.value = '';
    isEditing.value = !isEditing.value;
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
      {calls?.map(({ callId, path }, index) => {
        const out = left[index];
        const placeholder = t('leaveOut', { change: `${index + 1}. ${visibleText(path)}` });
        return out && <ReasonField key={callId} reason={out} placeholder={placeholder} />;
      })}
      <div class="actions">
        <button type="button" class="main" disabled={busy} onClick={approve}>
          {isEditing.value ? t('approveEdited') : t('approve')}
        </button>
        {!isEditing.value &&
          ALWAYS.map(([alwaysFor, word]) => (
            <button
              key={alwaysFor}
              type="button"
              disabled={busy}
              onClick={() => answer({ decision: 'always', alwaysFor })}
            >
              {t(word)}
            </button>
          ))}
        {original !== null && (
          <button type="button" class="quiet" onClick={edit}>
            {isEditing.value ? t('asItWas') : t('editArguments')}
          </button>
        )}
      </div>
      <div class="actions">
        <ReasonField reason={reason} />
        <button
          type="button"
          class="bad"
          disabled={busy}
          onClick={() => answer({ decision: 'deny', reason: reason.value })}
        >
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
