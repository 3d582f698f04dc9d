/** Sanitizes HTML of models and tools as the last step: the result is a fragment, which is not parsed again. */
import { purifier } from '../parts/text/purifier.js';
import { registry } from './registry.js';

const TAGS =
  'a abbr article aside b blockquote br caption code dd del details div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i kbd li main mark ol p pre q s section small span strong sub summary sup table tbody td tfoot th thead time tr u ul'.split(
    ' ',
  );
const ATTRIBUTES =
  'align cite colspan datetime dir href lang open rel reversed rowspan scope start target title value';
const RULES = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ATTRIBUTES.split(' '),
  ADD_URI_SAFE_ATTR: ATTRIBUTES.split(' ').filter(name => name !== 'href' && name !== 'cite'),
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
  CUSTOM_ELEMENT_HANDLING: {
    tagNameCheck: (name: string) => registry.isElement(name),
    attributeNameCheck: (attribute: string, element?: string) =>
      element !== undefined &&
      registry.isElement(element) &&
      (/^data-[a-z0-9-]+$/.test(attribute) || registry.takes(element, attribute)),
    allowCustomizedBuiltInElements: false,
  },
};

/** Loading an image would reveal the reader to its server, so images become links before the final sanitizing. */
const WITH_IMAGES = {
  ...RULES,
  ALLOWED_TAGS: [...TAGS, 'img'],
  ALLOWED_ATTR: [...RULES.ALLOWED_ATTR, 'src', 'alt'],
};

export function safeHtml(html: string): DocumentFragment {
  // A document without a window loads nothing.
  const inert = document.implementation.createHTMLDocument('').createElement('div');
  inert.append(inert.ownerDocument.adoptNode(purifier.sanitize(html, WITH_IMAGES)));
  for (const image of inert.querySelectorAll('img')) image.replaceWith(linkTo(image));
  return purifier.sanitize(inert, RULES);
}

function linkTo(image: HTMLImageElement): HTMLElement {
  const link = image.ownerDocument.createElement('a');
  const address = image.getAttribute('src') ?? '';
  if (address !== '') link.setAttribute('href', address);
  link.textContent = image.getAttribute('alt') || address || '…';
  return link;
}
