/** The one that makes markup safe: the page's policy of trusted types lets it be made once. */
import createDOMPurify from 'dompurify';

export const purifier = createDOMPurify(window);

purifier.addHook('afterSanitizeAttributes', node => {
  if (node.tagName === 'A') {
    node.setAttribute('rel', 'noopener noreferrer nofollow');
    node.setAttribute('target', '_blank');
  }
  // The boxes of a list of things to do, and no other field.
  if (node.tagName === 'INPUT') {
    if (node.getAttribute('type') !== 'checkbox') node.remove();
    node.setAttribute('disabled', '');
  }
});
