/** Values of the environment in a configuration: `${NAME}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of all variables that a text takes in. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** Puts the values in. Throws where there is none. @param place the key that holds the text, for the message */
export function filledText(text: string, place: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(VARIABLE, (_whole, variable: string) => {
    const found = env[variable];
    if (found === undefined) throw new Error(`${place} needs the environment variable ${variable}, which is not set`);
    return found;
  });
}
