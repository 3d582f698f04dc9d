/** Draws sanitized HTML of a model or a tool in its own shadow root, where it can't use names of the page. */
import { isCostlyHtml } from '@steersman/view';
import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { errorText } from 'steersman/base';
import { safeHtml } from '../text/safe-html.js';
import { actionOf } from './action-events.js';
import { type Surroundings, useHere } from './here.js';

interface WebComponentProps {
  html: string;
  /** Returns what is drawn below an element that failed. */
  hint: (fault: string) => ComponentChild;
}

export function WebComponent({ html, hint }: WebComponentProps) {
  const here = useHere();
  const ref = useRef<HTMLDivElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const { registry } = here.kit;
  const version = registry.version.value;
  useLayoutEffect(() => {
    const host = ref.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    setFault(null);
    if (isCostlyHtml(html)) {
      root.replaceChildren();
      return setFault(here.kit.say('notDrawn'));
    }
    const tell = (text: string | null) => setFault(known => text ?? known);
    const leave = hearAll(root, here, tell);
    const failed = (error: unknown) => tell(`${here.kit.say('brokenElement')} ${errorText(error)}`);
    const errors = errorsOf(() => root.replaceChildren(safeHtml(html, registry)));
    for (const error of errors) failed(error);
    let isGone = false;
    // Elements of Lit draw later, and report faults by this promise.
    for (const element of root.querySelectorAll('*'))
      (element as { updateComplete?: Promise<unknown> }).updateComplete?.then?.(undefined, error => {
        if (!isGone) failed(error);
      });
    return () => {
      isGone = true;
      leave();
      root.replaceChildren();
    };
  }, [html, here, version]);
  return (
    <>
      <div ref={ref} class="component made" />
      {fault !== null && hint(fault)}
    </>
  );
}

/** Listens for proposals, registered events of elements, and violations of the page's policy. */
function hearAll(root: ShadowRoot, here: Surroundings, tell: (fault: string | null) => void): () => void {
  const { registry, say } = here.kit;
  const ends: (() => void)[] = [];
  const hear = (type: string, listen: (event: Event) => void, capture: boolean) => {
    root.addEventListener(type, listen, capture);
    ends.push(() => root.removeEventListener(type, listen, capture));
  };
  hear(
    'component-action',
    event => {
      const action = actionOf(event);
      if (action !== null) tell(here.propose(action));
    },
    false,
  );
  // Listens while events travel down, because some of them do not bubble.
  for (const { element: name, type, listener } of registry.listeners())
    hear(
      type,
      event => {
        const element = elementOf(event, name);
        if (element === null) return;
        const detail: unknown = event instanceof CustomEvent ? event.detail : null;
        const propose = (label: string, data: unknown = null) =>
          tell(here.propose({ action: name, label, data }));
        try {
          listener(detail, { propose, element, event });
        } catch (error) {
          tell(`${say('brokenElement')} ${errorText(error)}`);
        }
      },
      true,
    );
  hear(
    'securitypolicyviolation',
    event => {
      const { effectiveDirective: what = '' } = event as SecurityPolicyViolationEvent;
      tell(say('blockedElement', { what }));
    },
    false,
  );
  return () => {
    for (const end of ends) end();
  };
}

function elementOf({ target }: Event, name: string): Element | null {
  return target instanceof Element ? target.closest(name) : null;
}

/** Browsers report errors of an element's callbacks to the window, while they insert it. */
function errorsOf(insert: () => void): unknown[] {
  const errors: unknown[] = [];
  const note = ({ error, message }: ErrorEvent) => void errors.push(error ?? message);
  addEventListener('error', note);
  try {
    insert();
  } catch (error) {
    errors.push(error);
  } finally {
    removeEventListener('error', note);
  }
  return errors;
}
