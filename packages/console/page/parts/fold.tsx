/** A collapsible part whose content is created only when it is opened. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface FoldProps {
  summary: ComponentChildren;
  class?: string;
  open?: boolean;
  children: () => ComponentChildren;
}

export function Fold({ summary, children, class: name = '', open = false }: FoldProps) {
  const isOpen = useSignal(open);
  return (
    <details
      class={name}
      open={isOpen.value}
      onToggle={event => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && children()}
    </details>
  );
}
