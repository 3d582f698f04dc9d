/** Draws content in an element of any page, whatever library the page is made with. */
import { render } from 'preact';
import type { ComponentAction } from './action.js';
import { ContentText, Parts, type PartsProps } from './content-view.js';
import { Here, type Kit, type Surroundings } from './here.js';

interface Listened {
  /** Takes what a component proposes. Returns why it is not taken; null if it is. Default: no proposal is taken. */
  propose?: (action: ComponentAction) => string | null;
}

/** A role's text, also while it is `live`, or parts of content. */
export type Content = Listened & ({ text: string; live?: boolean } | PartsProps);

export interface Drawing {
  update(content: Content): void;
  /** Removes what was drawn, with all that listens to it. */
  remove(): void;
}

export function draw(kit: Kit, element: Element, content: Content): Drawing {
  let here: Surroundings | null = null;
  const update = (given: Content) => {
    const { propose = () => kit.say('notProposed') } = given;
    // The same object, so that an update does not draw all HTML again.
    if (here === null) here = { kit, propose };
    here.propose = propose;
    render(
      <Here.Provider value={here}>
        {'text' in given ? (
          <ContentText text={given.text} live={given.live === true} />
        ) : (
          <Parts {...given} />
        )}
      </Here.Provider>,
      element,
    );
  };
  update(content);
  return { update, remove: () => render(null, element) };
}
