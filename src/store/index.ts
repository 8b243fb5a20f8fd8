export { OUTPUT_FOLDER, oldSessions, openChoices, pruneOutputs, removeSessions } from './disk.ts';
export { openHistory, type ShellHistoryFile } from './history.ts';
export { type HostAnswers, openHostAnswers, openHostDirectories } from './host-records.ts';
export { openJournal } from './journal.ts';
export { isLocked, type Lock, lockSession } from './lock.ts';
export { createLog, type Log } from './log.ts';
export { type MemoryFile, openMemory, relevantMemories } from './memory.ts';
export {
  FIRST_IS_DAMAGED,
  journalPath,
  listSessions,
  markLeft,
  type ReadJournal,
  readEnding,
  readJournal,
  sessionsByAge,
} from './read.ts';
