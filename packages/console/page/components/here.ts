/** The id of the run whose conversation is drawn; empty outside of a run. */
import { createContext } from 'preact';

export const RunHere = createContext('');
