/**
 * The outer frame of an app, on another origin than the console's page. It creates the inner frame, which has an opaque
 * origin, and passes messages on. The sender of a message is identified by its window, never by its content.
 */
import { Quota } from './quota.js';

const READY = 'ui/notifications/sandbox-proxy-ready';
const RESOURCE = 'ui/notifications/sandbox-resource-ready';

const inner = document.createElement('iframe');
inner.setAttribute('sandbox', 'allow-scripts');
const quota = new Quota();
let isFilled = false;

addEventListener('message', (event: MessageEvent<unknown>) => {
  if (event.source === window.parent) {
    const html = htmlOf(event.data);
    if (html === null) inner.contentWindow?.postMessage(event.data, '*');
    else if (!isFilled) fill(html);
  } else if (event.source !== null && event.source === inner.contentWindow) pass(event);
});

/** The target may be '*', because `frame-ancestors` lets only the console frame this page. */
function pass(event: MessageEvent<unknown>): void {
  const taken = quota.take(event, performance.now());
  if (taken === null) return;
  if ('fault' in taken) inner.contentWindow?.postMessage(taken.fault, '*');
  else window.parent.postMessage(taken.message, '*');
}

function fill(html: string): void {
  isFilled = true;
  inner.srcdoc = html;
  document.body.append(inner);
}

function htmlOf(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('method' in data) || data.method !== RESOURCE)
    return null;
  const params = 'params' in data ? data.params : null;
  return typeof params === 'object' && params !== null && 'html' in params ? String(params.html) : '';
}

window.parent.postMessage({ jsonrpc: '2.0', method: READY, params: {} }, '*');
