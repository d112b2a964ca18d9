// Copies the published grammar of HCL from the package tm-grammars, so that the repository has none of its own.
import { copyFileSync, existsSync } from 'node:fs';

const published = new URL('./node_modules/tm-grammars/grammars/hcl.json', import.meta.url);
if (!existsSync(published)) {
  console.error('The package tm-grammars is missing; run npm ci.');
  process.exit(1);
}
copyFileSync(published, new URL('./syntaxes/hcl.tmGrammar.json', import.meta.url));
