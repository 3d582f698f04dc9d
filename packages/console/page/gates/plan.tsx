/** The form of a waiting plan: approve it, say what it should change, or edit it. */

import { useSignal } from '@preact/signals';
import type { RunSnapshot, Task } from 'steersman/client';
import { get, runPath } from '../ask.js';
import { draft } from '../parts/draft.js';
import { PlanEditor } from '../parts/plan-editor.js';
import { t } from '../words/words.js';
import { draftKey } from './answers.js';
import type { FormProps } from './form-props.js';
import { ReasonField } from './forms.js';

export function PlanForm({ run, gate, key_, sending, answer }: FormProps<'plan'>) {
  const reason = draft(draftKey(key_, 'reason'));
  const tasks = useSignal<Task[] | null>(null);
  const edit = async () => {
    const asking = gate.from?.run ?? run;
    tasks.value = (await get<RunSnapshot>(runPath(asking))).tasks;
  };
  if (tasks.value !== null) {
    const shown = tasks.value.map(({ id }) => id);
    return (
      <PlanEditor
        whole
        tasks={tasks.value}
        sending={sending}
        onSave={edited => answer({ decision: 'edit', tasks: edited, shown })}
        onClose={() => (tasks.value = null)}
      />
    );
  }
  const { busy } = sending;
  return (
    <>
      <div class="actions">
        <button type="button" class="main" disabled={busy} onClick={() => answer({ decision: 'approve' })}>
          {t('approvePlan')}
        </button>
        <button type="button" disabled={busy} onClick={() => void sending.send(edit)}>
          {t('editPlan')}
        </button>
      </div>
      <div class="actions">
        <ReasonField reason={reason} placeholder={t('whatToChange')} />
        <button
          type="button"
          class="bad"
          disabled={busy}
          onClick={() => answer({ decision: 'reject', reason: reason.value })}
        >
          {t('reject')}
        </button>
      </div>
    </>
  );
}
