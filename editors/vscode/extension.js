// Starts the language server of the command hclvm, and shows the results of its commands.
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

/** Commands of the server whose result is a text to be read. */
const SHOWN = { 'hclvm.explain': 'markdown', 'hclvm.evaluate': 'hcl', 'hclvm.why': 'plaintext', 'hclvm.runTest': 'plaintext' };

async function show(text, language) {
  const document = await vscode.workspace.openTextDocument({ content: text, language });
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

async function start() {
  const settings = vscode.workspace.getConfiguration('hclvm');
  const server = { command: settings.get('path'), args: ['lsp', '--stdio'], transport: TransportKind.stdio };
  client = new LanguageClient('hclvm', 'hclvm', server, {
    documentSelector: [
      { scheme: 'file', language: 'hcl' },
      { scheme: 'untitled', language: 'hcl' },
      { scheme: 'file', pattern: '**/*.{hcl.json,pkr.json,nomad.json,nomad,hcltest}' },
    ],
    initializationOptions: { scope: settings.get('scope'), showsResults: true },
    middleware: {
      async executeCommand(command, parameters, next) {
        const result = await next(command, parameters);
        if (typeof result === 'string' && SHOWN[command]) {
          await show(result, SHOWN[command]);
        }
        return result;
      },
    },
  });
  await client.start();
}

async function chooseScope() {
  const name = await vscode.window.showInputBox({ prompt: 'The name of a block `scope` of hclvm.hcl' });
  if (name !== undefined) {
    await client.sendRequest('workspace/executeCommand', { command: 'hclvm.useScope', arguments: [name] });
  }
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('hclvm.chooseScope', chooseScope),
    vscode.commands.registerCommand('hclvm.restart', async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
