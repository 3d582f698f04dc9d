/** The run whose conversation is drawn; empty where none is. */
import { createContext } from 'preact';

export const RunHere = createContext('');
