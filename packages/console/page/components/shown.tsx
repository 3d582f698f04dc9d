/** Content of roles and tools, drawn by the page's kit. Its proposals wait above the composer. */
import { ContentText, Here, listenForActions, Parts, type PartsProps } from '@steersman/components';
import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import { RunHere, type RunOfPage } from './here.js';
import { kit, loadComponents, unsafeHtml } from './load.js';
import { propose } from './propose.js';

export function ShownText(props: { text: string; live: boolean }) {
  return (
    <Kit>
      <ContentText {...props} />
    </Kit>
  );
}

/** `server`: the MCP server of the tool; null for another tool. */
export function ShownParts({ server, ...props }: PartsProps & { server: string | null }) {
  const isUnsafe = server !== null && unsafeHtml.value.includes(server);
  return (
    <Kit>
      <Parts {...props} ofTool {...(isUnsafe && { html: framed })} />
    </Kit>
  );
}

/** The run whose content was drawn last. */
let drawn: RunOfPage | null = null;
// A component may also dispatch an action at the window, where its run is unknown: the run drawn last is assumed.
listenForActions(window, action => void (drawn && propose(drawn, action)));

function Kit({ children }: { children: ComponentChildren }) {
  const run = useContext(RunHere);
  useEffect(() => {
    loadComponents();
    drawn = run;
  }, [run]);
  const here = useMemo(() => ({ kit, propose: propose.bind(null, run) }), [run]);
  return <Here.Provider value={here}>{children}</Here.Provider>;
}

function framed(html: string) {
  return <FramedHtml html={html} />;
}

/** Draws HTML of a server whose styles are trusted, in its own document without scripts, network or navigation. */
function FramedHtml({ html }: { html: string }) {
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
