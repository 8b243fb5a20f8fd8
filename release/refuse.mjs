// `npm publish` in this folder: what is published is made, tried and printed by the release, and nothing else.
console.error(
  'This folder is not the package: it carries no launchers, and what lies in dist may be of two builds.\n' +
    'npm run release makes the packages, tries them and prints the commands that publish them.',
);
process.exit(1);
