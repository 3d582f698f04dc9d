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
    // Texts have no fields but the checkboxes of task lists. Markup of elements has no list of tags.
    if (node.tagName === 'INPUT' && allowed) {
      if (node.getAttribute('type') !== 'checkbox') node.remove();
      node.setAttribute('disabled', '');
    }
  });
  return fresh;
}
