/** A day and its time for people who read it on another day, in their own time. */

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;

/** `Fri 20 Nov 2026, 14:03`. @param at ms since the epoch */
export function dayAndClock(at: number): string {
  const date = new Date(at);
  const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return `${date.toLocaleDateString('en-GB', DAY).replace(',', '')}, ${clock}`;
}
