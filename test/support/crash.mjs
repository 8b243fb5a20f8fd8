// Loaded into the program by a test (NODE_OPTIONS=--import): a fault where nobody catches, at a signal.
process.on('SIGUSR2', () => {
  throw new Error('a fault made by a test');
});
