/** The form of a new run: its goal, and next to it the settings that decide how the goal is pursued. */

import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { about, readAbout } from '../about.js';
import { post } from '../ask.js';
import { draft, forget, freshId } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { runHref } from '../parts/link.js';
import { Fault, TextArea, useSending } from '../parts/sending.js';
import { go } from '../state.js';
import { t } from '../words/words.js';
import { type AttachedFile, Choice, FieldFault, Folder, type FormState } from './pickers.js';
import {
  type FieldName,
  LIMIT_FIELDS,
  NO_FIELDS,
  requestIdOf,
  type StartFaults,
  type StartFields,
  startBody,
  startDraft,
} from './start-body.js';

const MoreFields = lazily(() => import('./more-fields.js').then(({ MoreFields }) => MoreFields));

interface StartProps {
  /** Id of the conversation that the new run continues. */
  session?: string;
  /** Id of an ended run whose goals and answers the new run knows. */
  after?: string;
  /** Default: the console's folder. */
  workspace?: string | null;
  /** One line until a person types a goal. */
  isSmall?: boolean;
}

export function StartForm({ isSmall = false, ...given }: StartProps) {
  const { form, goal, files, sending, start } = useStart(given);
  const isOpened = useSignal(false);
  const isNew = (given.session ?? given.after) === undefined;
  return (
    <form
      class={isSmall && !isOpened.value && goal.value === '' ? 'start card small-form' : 'start card'}
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
      <FieldFault of={form.faults.goal} />
      <Choices form={form} />
      <Fold class="data" summary={t('moreChoices')} open={hasMore(form.fields)}>
        {() => <MoreFields form={form} files={files} mayAttach={given.session === undefined} />}
      </Fold>
      <div class="actions end">
        <label class="keep-open">
          <input
            type="checkbox"
            checked={form.fields.keepOpen}
            onChange={event => form.set({ keepOpen: event.currentTarget.checked })}
          />{' '}
          {t('keepOpen')}
        </label>
        <button type="submit" class="main" disabled={sending.busy || goal.value.trim() === ''}>
          {sending.busy ? t('sending') : t('start')}
        </button>
      </div>
      {Object.keys(form.faults).length > 0 && <Fault of={t('faultsInForm')} />}
      <Fault of={sending.fault} />
    </form>
  );
}

/** A person's choices, and how they are sent. A reload keeps them, and the random part of the request's id. */
function useStart({ session, after, workspace = null }: StartProps) {
  const names = startDraft(session ?? after);
  const goal = draft(names.goal);
  const kept = draft(names.fields);
  const word = draft(names.request);
  const faults = useSignal<StartFaults>({});
  const files = useSignal<AttachedFile[]>([]);
  const sending = useSending();
  useEffect(readAbout, []);
  const chosen = () => JSON.parse(kept.value || '{}') as Partial<StartFields>;
  const fields: StartFields = { ...NO_FIELDS, workspace, ...chosen(), goal: goal.value };
  const form: FormState = {
    fields,
    faults: faults.value,
    set(part) {
      faults.value = without(faults.value, Object.keys(part) as FieldName[]);
      kept.value = JSON.stringify({ ...chosen(), ...part });
    },
  };
  const start = () => {
    const made = startBody(fields);
    faults.value = 'faults' in made ? made.faults : {};
    if ('faults' in made) return;
    const body = {
      ...made.body,
      ...(session !== undefined && { session }),
      ...(after !== undefined && { after }),
      ...attachedTo(files.value),
    };
    word.value ||= freshId();
    void sending.send(async () => {
      const { id } = await post<{ id: string }>('runs', {
        ...body,
        requestId: requestIdOf(word.value, body),
      });
      forget(...Object.values(names));
      go(runHref(id));
    });
  };
  return { form, goal, files, sending, start };
}

function Choices({ form }: { form: FormState }) {
  return (
    <div class="choices">
      <Folder form={form} />
      <Choice word="mode" name="mode" form={form} options={about.value?.modes ?? []} />
      <Choice word="model" name="model" form={form} options={about.value?.models ?? []} typed />
      <label>
        <span>{t('approvals')}</span>
        <select
          value={form.fields.approvals}
          onChange={event => form.set({ approvals: event.currentTarget.value as StartFields['approvals'] })}
        >
          <option value="ask">{t('approvals_ask')}</option>
          <option value="all">{t('approvals_all')}</option>
          <option value="none">{t('approvals_none')}</option>
        </select>
      </label>
    </div>
  );
}

function attachedTo(all: readonly AttachedFile[]): object {
  const files = all.filter(file => 'text' in file);
  const pictures = all.filter(file => 'base64' in file);
  return { ...(files.length > 0 && { files }), ...(pictures.length > 0 && { pictures }) };
}

function without(faults: StartFaults, names: readonly FieldName[]): StartFaults {
  return Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name as FieldName)));
}

/** True if something is set that the folded part of the form has. */
function hasMore({ checks, approvePlan, ...fields }: StartFields): boolean {
  return checks !== '' || approvePlan || LIMIT_FIELDS.some(({ field }) => fields[field] !== '');
}
