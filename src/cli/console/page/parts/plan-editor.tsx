/** Tasks that have not begun, to be changed, added, or removed where that may be. */
import { useSignal } from '@preact/signals';
import type { Task } from '../../../../client/index.js';
import { t } from '../words/words.js';
import { type DraftTask, draftOf, planChanges, wholePlan, withNewTask } from './plan-draft.js';
import { Fault, type Sending } from './sending.js';

interface EditorProps {
  tasks: readonly Task[];
  /** All that is to be done is sent, so that what is left out is removed; else only changes are. */
  whole: boolean;
  sending: Sending;
  onSave: (tasks: object[]) => void;
  onClose: () => void;
}

export function PlanEditor({ tasks, whole, sending, onSave, onClose }: EditorProps) {
  const draft = useSignal(draftOf(tasks));
  const change = (at: number, part: Partial<DraftTask>) => {
    draft.value = draft.value.map((task, index) => (index === at ? { ...task, ...part } : task));
  };
  const made = whole ? wholePlan(draft.value, tasks) : planChanges(draft.value, tasks);
  return (
    <form
      class="plan-editor"
      aria-label={t('editPlan')}
      onSubmit={event => {
        event.preventDefault();
        onSave(made);
      }}
    >
      {draft.value.map((task, at) => (
        <TaskFields key={task.id} task={task} whole={whole} onChange={part => change(at, part)} />
      ))}
      <Fault of={sending.fault} />
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            draft.value = withNewTask(
              draft.value,
              tasks.map(({ id }) => id),
            );
          }}
        >
          {t('addTask')}
        </button>
        <button type="submit" class="main" disabled={sending.busy || made.length === 0}>
          {t('savePlan')}
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          {t('discard')}
        </button>
      </div>
    </form>
  );
}

interface FieldsProps {
  task: DraftTask;
  whole: boolean;
  onChange: (part: Partial<DraftTask>) => void;
}

function TaskFields({ task, whole, onChange }: FieldsProps) {
  const { id, description, criterion, removed, isNew } = task;
  return (
    <fieldset class={removed ? 'removed' : ''}>
      <legend>
        {id} {isNew && <span class="chip">{t('newTask')}</span>}
        {(whole || isNew) && (
          <button type="button" class="quiet small" onClick={() => onChange({ removed: !removed })}>
            {removed ? t('keepTask') : t('removeTask')}
          </button>
        )}
      </legend>
      <textarea
        aria-label={t('taskDescription', { id })}
        rows={2}
        disabled={removed}
        value={description}
        onInput={event => onChange({ description: event.currentTarget.value })}
      />
      <input
        aria-label={t('taskCriterion', { id })}
        placeholder={t('criterion')}
        disabled={removed}
        value={criterion}
        onInput={event => onChange({ criterion: event.currentTarget.value })}
      />
    </fieldset>
  );
}
