/** Returns how many random cases a property tries: few by default, more by the factor AISH_CASES. */
export function cases(few: number): number {
  return Math.ceil(few * Number(process.env.AISH_CASES ?? 1));
}
