/** The run whose conversation is drawn. */
import { createContext } from 'preact';

export interface RunOfPage {
  /** Empty outside of a run. */
  id: string;
  /** True if the run accepts no further messages. */
  ended: boolean;
}

export const RunHere = createContext<RunOfPage>({ id: '', ended: false });
