/** Environment variables in a configuration: `${NAME}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/**
 * Replaces the variables by their values. Throws if one is missing.
 * @param place the key of the text, for the message
 */
export function filledText(text: string, place: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(VARIABLE, (_whole, variable: string) => {
    const found = env[variable];
    if (found === undefined) throw new Error(`${place} needs the environment variable ${variable}, which is not set`);
    return found;
  });
}
