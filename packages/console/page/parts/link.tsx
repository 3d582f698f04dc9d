/** A way to another page of the console, without loading anything. */
import type { ComponentChildren, JSX } from 'preact';
import { go } from '../state.js';

interface LinkProps extends Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'class'> {
  to: string;
  class?: string;
  children: ComponentChildren;
}

export function Link({ to, children, ...props }: LinkProps) {
  return (
    <a
      {...props}
      href={to}
      onClick={event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** The page of a run, whose id may have slashes. */
export function runHref(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}
