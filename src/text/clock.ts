/** Times of day for people, in their own time. */

/** `14:03`. @param at ms since the epoch */
export function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
