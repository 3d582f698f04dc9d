/** Sanitizes HTML of models and tools as the last step: the result is a fragment, which is not parsed again. */
import { purifier } from './purifier.js';

/** Elements that HTML may have in addition to those on the list. */
export interface KnownElements {
  isElement(name: string): boolean;
  takes(element: string, attribute: string): boolean;
}

const TAGS =
  'a abbr article aside b blockquote br caption code dd del details div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i kbd li main mark ol p pre q s section small span strong sub summary sup table tbody td tfoot th thead time tr u ul'.split(
    ' ',
  );
const ATTRIBUTES =
  'align cite colspan datetime dir href lang open rel reversed rowspan scope slot start target title value';

const rulesFor = (known: KnownElements) => ({
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ATTRIBUTES.split(' '),
  ADD_URI_SAFE_ATTR: ATTRIBUTES.split(' ').filter(name => name !== 'href' && name !== 'cite'),
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
  CUSTOM_ELEMENT_HANDLING: {
    tagNameCheck: (name: string) => known.isElement(name),
    attributeNameCheck: (attribute: string, element?: string) =>
      element !== undefined &&
      known.isElement(element) &&
      (/^data-[a-z0-9-]+$/.test(attribute) || known.takes(element, attribute)),
    allowCustomizedBuiltInElements: false,
  },
});

/** `known`: custom elements that may stay, with the attributes that they take. */
export function safeHtml(html: string, known: KnownElements): DocumentFragment {
  const rules = rulesFor(known);
  // Loading an image would reveal the reader to its server, so images become links before the final sanitizing.
  const withImages = {
    ...rules,
    ALLOWED_TAGS: [...TAGS, 'img'],
    ALLOWED_ATTR: [...rules.ALLOWED_ATTR, 'src', 'alt'],
  };
  // A document without a window loads nothing.
  const inert = document.implementation.createHTMLDocument('').createElement('div');
  inert.append(inert.ownerDocument.adoptNode(purifier().sanitize(html, withImages)));
  for (const image of inert.querySelectorAll('img')) image.replaceWith(linkTo(image));
  return purifier().sanitize(inert, rules);
}

function linkTo(image: HTMLImageElement): HTMLElement {
  const link = image.ownerDocument.createElement('a');
  const address = image.getAttribute('src') ?? '';
  if (address !== '') link.setAttribute('href', address);
  link.textContent = image.getAttribute('alt') || address || '…';
  return link;
}

/**
 * Returns the HTML that a project's own element writes (`innerHTML`), without scripts, event handlers and anything that
 * could become one. Unlike `safeHtml`, it keeps forms, classes and graphics, because the element's code belongs to the
 * project.
 */
export function safeMarkup(html: string): string {
  return purifier().sanitize(html, {
    CUSTOM_ELEMENT_HANDLING: {
      tagNameCheck: (name: string) => customElements.get(name) !== undefined,
      attributeNameCheck: /^(?!on)[a-z][a-z0-9-]*$/,
      allowCustomizedBuiltInElements: false,
    },
    ADD_ATTR: ['slot', 'part', 'target'],
    // Without this, a style at the beginning would be dropped silently. With it, the page's policy reports the style.
    FORCE_BODY: true,
    ALLOW_UNKNOWN_PROTOCOLS: false,
  });
}
