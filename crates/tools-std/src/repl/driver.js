// Runs pieces of code one after the other in one global scope. Requests are lines of JSON on descriptor 3, answers
// go to descriptor 4; standard input is empty, standard output and error are the code's own.
{
  const fs = require('fs');
  const net = require('net');
  const vm = require('vm');
  const util = require('util');
  const inspector = require('inspector');
  const { createRequire } = require('module');
  const path = require('path');

  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, enumerable: false, writable: true });
  define('require', createRequire(path.join(process.cwd(), 'repl.js')));
  // The scope of the code has no `import()` of its own.
  define('importModule', (name) =>
    import(/^\.{0,2}\//.test(name) ? require('url').pathToFileURL(path.resolve(name)).href : name));

  const session = new inspector.Session();
  session.connect();
  const post = (method, params) =>
    new Promise((resolve, reject) =>
      session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))));

  const key = '__cell_' + require('crypto').randomBytes(8).toString('hex');
  const cell = { start: null, taken: undefined };
  Object.defineProperty(globalThis, key, { value: cell, enumerable: false });

  let interrupted = null;
  process.on('SIGINT', () => interrupted && interrupted());

  // What the code wrote may still wait in its streams; an answer must come after it.
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write.bind(stream) }));
  const flush = ({ stream, write }) =>
    new Promise((resolve) => {
      if (stream.destroyed || stream.writableLength === 0) return resolve();
      setTimeout(resolve, 5000).unref();
      write('', () => resolve());
    });
  const flushed = () => Promise.all(streams.map(flush));
  const print = async (text) => {
    await flush(streams[0]);
    if (!process.stderr.destroyed) streams[1].write(text + '\n');
  };
  const describe = (error) => {
    let text = util.inspect(error);
    // What the code was started by is not of interest.
    text = text.replace(/\n\s+at Session\.post \(node:inspector[^\n]*(\n\s+at [^\n]*)*/, '');
    if (error && error.code === 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING') {
      text += '\nUse `await importModule("name")` in place of `import("name")` here.';
    }
    return 'Uncaught ' + text;
  };
  process.on('uncaughtException', (error) => print(describe(error)));
  process.on('unhandledRejection', (error) => print(describe(error)));

  let global;
  /** The value itself of what the inspector tells about it. */
  const value = async (remote) => {
    const argument = remote.objectId ? { objectId: remote.objectId }
      : remote.unserializableValue ? { unserializableValue: remote.unserializableValue } : { value: remote.value };
    await post('Runtime.callFunctionOn', {
      objectId: global,
      functionDeclaration: `function (value) { this[${JSON.stringify(key)}].taken = value; }`,
      arguments: [argument],
      silent: true,
    });
    const { taken } = cell;
    cell.taken = undefined;
    return taken;
  };

  const run = async (code, id) => {
    if (!global) global = (await post('Runtime.evaluate', { expression: 'globalThis' })).result.objectId;
    const stopped = new Promise((resolve) => { interrupted = () => resolve('interrupted'); });
    let result;
    cell.start = () => {
      result = post('Runtime.evaluate', {
        expression: code + `\n//# sourceURL=cell-${id}`, replMode: true, objectGroup: 'cell', userGesture: false,
      });
      result.catch(() => {});
    };
    try {
      vm.runInThisContext(`globalThis[${JSON.stringify(key)}].start()`, { breakOnSigint: true });
    } catch (error) {
      if (error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') return 'interrupted';
      throw error;
    }
    const answer = await Promise.race([result, stopped]);
    if (answer === 'interrupted') return answer;
    if (answer.exceptionDetails) {
      const { exception, text } = answer.exceptionDetails;
      await print(exception ? describe(await value(exception)) : text);
      return 'error';
    }
    const found = await value(answer.result);
    if (found !== undefined) {
      define('_', found);
      await print(util.inspect(found));
    }
    await post('Runtime.releaseObjectGroup', { objectGroup: 'cell' });
    return 'ok';
  };

  // One request comes at a time, so none waits for another: an interrupt may take a promise with it.
  const take = ({ nonce, id, code }) => {
    run(code, id)
      .catch(async (error) => { await print(describe(error)); return 'error'; })
      .then(async (outcome) => {
        interrupted = null;
        await flushed();
        try {
          fs.writeSync(4, `${nonce} ${id} ${outcome}\n`);
        } catch {
          process.exit(70);
        }
      });
  };
  let pending = '';
  const requests = new net.Socket({ fd: 3, readable: true, writable: false });
  requests.setEncoding('utf8');
  requests.on('data', (text) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
  requests.on('close', () => process.exit(0));
}
