/** The only sanitizer: the page's Trusted Types policy allows a single instance. */
import createDOMPurify from 'dompurify';

export const purifier = createDOMPurify(window);

purifier.addHook('afterSanitizeAttributes', node => {
  if (node.tagName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow');
    node.setAttribute('target', '_blank');
  }
  // Only checkboxes of task lists are allowed as fields.
  if (node.tagName === 'INPUT') {
    if (node.getAttribute('type') !== 'checkbox') node.remove();
    node.setAttribute('disabled', '');
  }
});
