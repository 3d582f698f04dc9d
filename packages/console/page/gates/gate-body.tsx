/** Draws the body of a gate: texts unchanged, the run's own blocks as code. */
import type { GatePart } from 'steersman/rules';
import { Diff } from '../parts/text/diff.js';

export function GateBody({ parts }: { parts: readonly GatePart[] }) {
  return (
    <div class="gate-body">
      {parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
    </div>
  );
}

function Part({ part }: { part: GatePart }) {
  switch (part.kind) {
    case 'text':
      return <p>{part.text}</p>;
    case 'said':
      return <blockquote>{part.text}</blockquote>;
    case 'code':
      return part.language === 'diff' ? <Diff text={part.text} /> : <pre class="tool-text">{part.text}</pre>;
    case 'options':
      // The form has a button for each option.
      return null;
  }
}
