export { openChoices } from './choices.ts';
export { OUTPUT_FOLDER, oldSessions, pruneOutputs, removeSessions } from './disk.ts';
export { readEnding } from './ending.ts';
export { openHistory, type ShellHistoryFile } from './history.ts';
export { openJournal } from './journal.ts';
export { isLocked, type Lock, lockSession } from './lock.ts';
export { createLog, type Log } from './log.ts';
export { type MemoryFile, openMemory, relevantMemories } from './memory.ts';
export { journalPath, listSessions, type ReadJournal, readJournal } from './read.ts';
