/** A day and its time for people who read it on another day, in their own time. */
import { clock } from './clock.ts';

/** `Fri 20 Nov 2026, 14:03`: what is read on another day as well. @param at ms since the epoch */
export function dayAndClock(at: number): string {
  const day = new Date(at).toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return `${day.replace(',', '')}, ${clock(at)}`;
}
