// One test of the suite as a program. An expression; the program calls it and returns what it answers: `completed`,
// `threw` with the name of the constructor and the message on lines of their own, or `printed` with the text.
//
// A script is evaluated as the code of an indirect eval, which is all a program can do. The test begins in a timer,
// when whoever waits for the program already waits, and nothing here iterates, awaits or calls a method afterwards:
// the test may count such steps, or have replaced what they look up.
(function runTest({ setup, file, module, asynchronous }, installHost) {
  const evaluate = eval;
  const { printed, describe } = installHost();
  for (let index = 0; index < setup.length; index++) evaluate(setup[index]);

  return new Promise((settle) => {
    if (asynchronous) printed.then(settle);
    const completed = () => {
      if (!asynchronous) settle('completed');
    };
    const failed = (thrown) => settle(describe(thrown));
    setTimeout(async () => {
      try {
        if (module === null) evaluate(file);
        else await import(module);
      } catch (thrown) {
        failed(thrown);
        return;
      }
      completed();
    });
  });
})
