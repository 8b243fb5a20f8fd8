export { type LineHistory, openHistory } from './history.ts';
export { type Journal, openJournal } from './journal.ts';
export { type Lock, lockSession } from './lock.ts';
export { createLog, type Log } from './log.ts';
export { type Memory, type MemoryFile, openMemory, relevantMemories } from './memory.ts';
export { journalPath, listSessions, type ReadJournal, readJournal, type SessionSummary } from './read.ts';
