/** A link to another page of the console, without a page load. */
import type { ComponentChildren, JSX } from 'preact';
import { go } from '../state.js';
import { t } from '../words/words.js';

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

/** Returns the address of a run's page; the id may contain slashes. */
export function runHref(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

/** The last name of a folder, with its whole path where the pointer is. */
export function InFolder({ path }: { path: string }) {
  const folder = path.split(/[\\/]/).findLast(part => part !== '') ?? path;
  return <span title={path}>{t('inFolder', { folder })}</span>;
}
