/** The run whose conversation is drawn. */
import { createContext } from 'preact';

export interface RunOfPage {
  /** Empty outside of a run. */
  id: string;
  /** True for a run that takes nothing any more. */
  ended: boolean;
}

export const RunHere = createContext<RunOfPage>({ id: '', ended: false });
