/** Times of day for people, in their own time. */

/** `14:03`. @param at ms since the epoch */
export function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

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
