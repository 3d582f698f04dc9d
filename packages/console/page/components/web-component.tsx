/** Draws sanitized HTML of a model or a tool in its own shadow root, where it can't use names of the page. */
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { RunHere } from './here.js';
import { propose, tellAction } from './proposals.js';
import { registry } from './registry.js';
import { safeHtml } from './safe-html.js';

export function WebComponent({ html }: { html: string }) {
  const run = useContext(RunHere);
  const ref = useRef<HTMLDivElement>(null);
  const version = registry.version.value;
  useLayoutEffect(() => {
    const host = ref.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const listen = (event: Event) =>
      tellAction(event, (action, label, data) => void propose(run, { action, label, data }));
    root.addEventListener('component-action', listen);
    root.replaceChildren(safeHtml(html));
    return () => {
      root.removeEventListener('component-action', listen);
      root.replaceChildren();
    };
  }, [html, run, version]);
  return <div ref={ref} class="component made" />;
}

/** Draws HTML of a server whose styles are trusted, in its own document without scripts, network or navigation. */
export function FramedHtml({ html }: { html: string }) {
  const ref = useRef<HTMLIFrameElement>(null);
  const fill = () => ref.current?.contentWindow?.postMessage(html, '*');
  return (
    <iframe
      ref={ref}
      class="component framed"
      title="HTML"
      sandbox="allow-scripts"
      src="/components/frame"
      onLoad={fill}
    />
  );
}
