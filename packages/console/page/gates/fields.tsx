/** The form of a tool server's question, with its fields. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ownValue } from 'steersman/base';
import { type FieldValues, firstValues } from 'steersman/rules';
import { choiceText, formFields, valueText } from 'steersman/run';
import { draft, forget } from '../parts/draft.js';
import { t } from '../words/words.js';
import { draftKey, taken } from './answers.js';
import type { FormProps } from './form-props.js';

type Field = ReturnType<typeof formFields>[number];

export function FieldsForm({ run, gate, key_, sending, answer, status }: FormProps<'form'>) {
  const { schema, tool } = gate.subject;
  const fields = formFields(schema);
  // If the call is repeated, the same form opens at another gate. This draft carries the typed values over to it.
  const unanswered = `form ${run} ${tool} ${fields.map(({ name }) => name).join()}`;
  const typed = draft(unanswered);
  const kept = draft(draftKey(key_, 'fields'), typed.value || JSON.stringify(firstValues(schema)));
  useEffect(
    () => () => {
      if (taken.peek().has(key_)) forget(unanswered);
    },
    [],
  );
  const values = JSON.parse(kept.value) as FieldValues;
  const set = (name: string, value: string | string[]) => {
    kept.value = JSON.stringify({ ...values, [name]: value });
    typed.value = kept.value;
  };
  const { busy } = sending;
  return (
    <form
      class="fields"
      onSubmit={event => {
        event.preventDefault();
        answer({ decision: 'accept', fields: values });
      }}
    >
      {fields.map(field => (
        <FieldRow key={field.name} field={field} value={ownValue(values, field.name) ?? ''} onValue={set} />
      ))}
      <div class="actions">
        <button type="submit" class="main" disabled={busy}>
          {t('giveFields')}
        </button>
        <button type="button" class="bad" disabled={busy} onClick={() => answer({ decision: 'decline' })}>
          {t('decline')}
        </button>
        <button type="button" class="quiet" disabled={busy} onClick={() => answer({ decision: 'cancel' })}>
          {t('cancelForm')}
        </button>
        {status}
      </div>
    </form>
  );
}

interface RowProps {
  field: Field;
  value: string | readonly string[];
  onValue: (name: string, value: string | string[]) => void;
}

function FieldRow({ field, value, onValue }: RowProps) {
  const { label, title, description, required } = field;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the field of its type, within.
    <label>
      <span>
        {title || label}
        {title !== '' && title.toLowerCase() !== label.toLowerCase() && <small class="muted"> {label}</small>}
        {!required && <em class="muted"> {t('optional')}</em>}
      </span>
      <Control field={field} value={value} onValue={onValue} />
      {description !== '' && <small class="muted">{description}</small>}
    </label>
  );
}

function Control(props: RowProps) {
  const { type, choices } = props.field;
  if (type === 'array' && choices.length > 0) return <SomeChoices {...props} />;
  if (type === 'boolean' || choices.length > 0) return <OneChoice {...props} />;
  return <Typed {...props} />;
}

function OneChoice({ field: { name, type, choices, required }, value, onValue }: RowProps) {
  const options =
    type === 'boolean' ? YES_NO : choices.map(choice => [valueText(choice.value), choiceText(choice)]);
  return (
    <select
      required={required}
      value={String(value)}
      onChange={event => onValue(name, event.currentTarget.value)}
    >
      <option value="" />
      {options.map(([each = '', title]) => (
        <option key={each} value={each}>
          {type === 'boolean' ? t(each === 'true' ? 'yes' : 'no') : title}
        </option>
      ))}
    </select>
  );
}

function SomeChoices({ field: { name, choices }, value, onValue }: RowProps) {
  const chosen = typeof value === 'string' ? [] : value;
  return (
    <select
      multiple
      size={Math.min(6, choices.length)}
      onChange={event =>
        onValue(
          name,
          [...event.currentTarget.selectedOptions].map(option => option.value),
        )
      }
    >
      {choices.map(choice => {
        const each = valueText(choice.value);
        return (
          <option key={each} value={each} selected={chosen.includes(each)}>
            {choiceText(choice)}
          </option>
        );
      })}
    </select>
  );
}

function Typed({ field: { name, type, required }, value, onValue }: RowProps) {
  // A single-line field would remove the line breaks of a default value.
  const hasLines = useSignal(String(value).includes('\n'));
  const onInput = (event: { currentTarget: { value: string } }) => onValue(name, event.currentTarget.value);
  if (hasLines.value)
    return <textarea required={required} rows={3} value={String(value)} onInput={onInput} />;
  return (
    <input
      required={required}
      inputMode={type === 'number' || type === 'integer' ? 'decimal' : 'text'}
      value={String(value)}
      onInput={onInput}
    />
  );
}

const YES_NO = [
  ['true', ''],
  ['false', ''],
];
