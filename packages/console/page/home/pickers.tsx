/** Fields of a start that are chosen from a list, or typed. */
import { type Signal, useSignal } from '@preact/signals';
import { about, folders } from '../about.js';
import { t, type Word } from '../words/words.js';
import type { StartFault, StartFaults, StartFields } from './start-body.js';

/** Values and faults of the form's fields. */
export interface FormState {
  fields: StartFields;
  faults: StartFaults;
  set(part: Partial<StartFields>): void;
}

export function FieldFault({ of }: { of: StartFault | undefined }) {
  return of === undefined ? null : (
    <small class="bad-text" role="alert">
      {typeof of === 'string' ? t(of) : of.message}
    </small>
  );
}

interface ChoiceProps {
  word: Word;
  name: 'mode' | 'model';
  form: FormState;
  options: readonly string[];
  /** True if a value may be typed that is not listed. */
  typed?: boolean;
}

export function Choice({ word, name, form, options, typed = false }: ChoiceProps) {
  const isTyping = useSignal(false);
  const value = form.fields[name];
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the list or the field, within.
    <label>
      <span>{t(word)}</span>
      {isTyping.value ? (
        <Typed
          placeholder="openai/gpt-5-mini"
          value={value}
          isTyping={isTyping}
          onValue={text => form.set({ [name]: text })}
        />
      ) : (
        <Listed
          value={value}
          first={t('defaultChoice')}
          options={value === '' || options.includes(value) ? options : [...options, value]}
          isTyping={typed ? isTyping : null}
          onValue={text => form.set({ [name]: text })}
        />
      )}
      <FieldFault of={form.faults[name]} />
    </label>
  );
}

/** The folders that workers serve, and any other by its path. */
export function Folder({ form }: { form: FormState }) {
  const isTyping = useSignal(false);
  const { workspace = '', workspaces = [] } = about.value ?? {};
  const value = form.fields.workspace ?? workspace;
  const options = [...new Set([workspace, value, ...folders.value, ...workspaces])].filter(Boolean);
  const set = (path: string) => form.set({ workspace: path });
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the list or the field, within.
    <label class="folder">
      <span>{t('workspace')}</span>
      {isTyping.value ? (
        <Typed placeholder="/srv/site" value={value} isTyping={isTyping} onValue={set} />
      ) : (
        <Listed value={value} first={null} options={options} isTyping={isTyping} onValue={set} />
      )}
      <FieldFault of={form.faults.workspace} />
    </label>
  );
}

const OTHER = '\0other';

interface ListedProps {
  value: string;
  /** The word for no choice; null if one is always chosen. */
  first: string | null;
  options: readonly string[];
  isTyping: Signal<boolean> | null;
  onValue: (value: string) => void;
}

function Listed({ value, first, options, isTyping, onValue }: ListedProps) {
  return (
    <select
      value={value}
      onChange={event => {
        const chosen = event.currentTarget.value;
        if (isTyping && chosen === OTHER) isTyping.value = true;
        else onValue(chosen);
      }}
    >
      {first !== null && <option value="">{first}</option>}
      {options.map(each => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
      {isTyping && <option value={OTHER}>{t('otherChoice')}</option>}
    </select>
  );
}

interface TypedProps {
  value: string;
  placeholder: string;
  isTyping: Signal<boolean>;
  onValue: (value: string) => void;
}

function Typed({ value, placeholder, isTyping, onValue }: TypedProps) {
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here.
      autoFocus
      value={value}
      placeholder={placeholder}
      spellcheck={false}
      onInput={event => onValue(event.currentTarget.value)}
      onBlur={event => {
        if (event.currentTarget.value.trim() === '') isTyping.value = false;
      }}
    />
  );
}
