/** A path with the home directory as `~`. */
export function shortPath(path: string, home: string | undefined = process.env.HOME): string {
  if (!home || home === '/' || (path !== home && !path.startsWith(`${home}/`))) return path;
  return `~${path.slice(home.length)}`;
}
