import { useScreen } from '../hooks/context.ts';
import { Surface } from './Surface.tsx';

/** The prompt with its name and the text being typed. */
export function Prompt() {
  const { prompt } = useScreen();
  return <Surface lines={prompt.lines} source={prompt} cursor={prompt.cursor} />;
}
