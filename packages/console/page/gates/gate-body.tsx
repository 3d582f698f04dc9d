/** Draws the body of a gate, which scrolls while the buttons below it stay: texts unchanged, the run's own blocks as code. */
import type { ComponentChildren } from 'preact';
import type { GatePart } from 'steersman/rules';
import { Diff } from '../parts/text/diff.js';
import { said, t } from '../words/words.js';

export function GateBody({ children }: { children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a landmark of a form.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard.
    <div class="gate-body" role="group" aria-label={t('whatIsAsked')} tabIndex={0}>
      {children}
    </div>
  );
}

export function GateParts({ parts }: { parts: readonly GatePart[] }) {
  return (
    <>
      {parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
    </>
  );
}

function Part({ part }: { part: GatePart }) {
  switch (part.kind) {
    case 'text':
      return <p>{said(part.text)}</p>;
    case 'said':
      return <blockquote>{part.text}</blockquote>;
    case 'code':
      return part.language === 'diff' ? <Diff text={part.text} /> : <pre class="tool-text">{part.text}</pre>;
    case 'options':
      // The form has a button for each option.
      return null;
  }
}
