/** The names of things in flight, and the two modes. */

export type SessionId = string;
/** Names one operation in flight; facts of an operation that is over are dropped. */
export type OpId = string;
export type QuestionId = string;
export type Mode = 'restricted' | 'unrestricted';
