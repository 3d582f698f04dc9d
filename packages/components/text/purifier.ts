/** The only sanitizer: a page's Trusted Types policy may allow a single instance. It is made when it is first needed. */
import createDOMPurify, { type DOMPurify } from 'dompurify';

let made: DOMPurify | null = null;

export function purifier(): DOMPurify {
  made ??= make();
  return made;
}

function make(): DOMPurify {
  const fresh = createDOMPurify(window);
  fresh.addHook('afterSanitizeAttributes', (node, _, { ALLOWED_TAGS: allowed }) => {
    if (node.tagName === 'A') {
      node.setAttribute('rel', 'noopener noreferrer nofollow');
      node.setAttribute('target', '_blank');
    }
    // In texts, the only allowed fields are checkboxes of task lists. Markup of custom elements is sanitized without a
    // list of tags, and keeps its fields.
    if (node.tagName === 'INPUT' && allowed) {
      if (node.getAttribute('type') !== 'checkbox') node.remove();
      node.setAttribute('disabled', '');
    }
  });
  return fresh;
}
