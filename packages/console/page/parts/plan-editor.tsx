/** Edits the tasks that have not begun: changes, adds and removes them. */
import { useSignal } from '@preact/signals';
import type { Task } from 'steersman/client';
import { t } from '../words/words.js';
import { type DraftTask, draftOf, planChanges, removedFrom, wholePlan, withNewTask } from './plan-draft.js';
import { Fault, type Sending } from './sending.js';

interface EditorProps {
  tasks: readonly Task[];
  /** True: all wanted tasks are saved, and others removed. False: only changes are saved. */
  whole: boolean;
  sending: Sending;
  onSave: (tasks: object[], removed: string[]) => void;
  onClose: () => void;
}

export function PlanEditor({ tasks: now, whole, sending, onSave, onClose }: EditorProps) {
  // The editor keeps the tasks of its start, so that changes of others do not count as this person's.
  const { value: tasks } = useSignal(now);
  const draft = useSignal(draftOf(tasks));
  const change = (at: number, part: Partial<DraftTask>) => {
    draft.value = draft.value.map((task, index) => (index === at ? { ...task, ...part } : task));
  };
  const removed = removedFrom(draft.value);
  const made = whole ? wholePlan(draft.value, tasks) : planChanges(draft.value, tasks);
  return (
    <form
      class="plan-editor"
      aria-label={t('editPlan')}
      onSubmit={event => {
        event.preventDefault();
        onSave(made, removed);
      }}
    >
      {draft.value.map((task, at) => (
        <TaskFields key={task.id} task={task} onChange={part => change(at, part)} />
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
        <button
          type="submit"
          class="main"
          disabled={sending.busy || made.length + (whole ? 0 : removed.length) === 0}
        >
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
  onChange: (part: Partial<DraftTask>) => void;
}

function TaskFields({ task, onChange }: FieldsProps) {
  const { id, description, criterion, removed, isNew } = task;
  return (
    <fieldset class={removed ? 'removed' : ''}>
      <legend>
        {id} {isNew && <span class="chip">{t('newTask')}</span>}
        <button type="button" class="quiet small" onClick={() => onChange({ removed: !removed })}>
          {removed ? t('keepTask') : t('removeTask')}
        </button>
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
