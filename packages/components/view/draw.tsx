/** Draws content in an element of any page, with any library. */
import { render } from 'preact';
import type { ComponentAction } from './action.js';
import { ContentText, Parts, type PartsProps } from './content-view.js';
import { Here, type Kit, type Surroundings } from './here.js';

interface Listened {
  /** Receives a component's proposal. Returns why it is refused; null if it is accepted. Default: all are refused. */
  propose?: (action: ComponentAction) => string | null;
}

/** A role's text, also while it is `live`, or parts of content. */
export type Content = Listened & ({ text: string; live?: boolean } | PartsProps);

export interface Drawing {
  update(content: Content): void;
  /** Removes the drawn content and all of its listeners. */
  remove(): void;
}

export function draw(kit: Kit, element: Element, content: Content): Drawing {
  let here: Surroundings | null = null;
  const update = (given: Content) => {
    const { propose = () => kit.say('notProposed') } = given;
    // One object for all updates: with a new one, an update would draw all HTML again.
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
