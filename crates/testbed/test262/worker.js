// One test of the suite as a program. An expression; the program calls it and returns what it answers: `completed`,
// `threw` with the name of the constructor and the message on lines of their own, or `printed` with the text.
//
// A script is evaluated as the code of an indirect eval, which is all a program can do. Nothing here iterates or
// calls a method after the test began, because the test may have replaced it.
(function runTest({ setup, file, module, asynchronous }, installHost) {
  const evaluate = eval;
  const { printed, describe } = installHost();
  for (let index = 0; index < setup.length; index++) evaluate(setup[index]);

  if (module !== null) {
    return (async () => {
      try {
        await import(module);
      } catch (thrown) {
        return describe(thrown);
      }
      return asynchronous ? await printed : 'completed';
    })();
  }
  try {
    evaluate(file);
  } catch (thrown) {
    return describe(thrown);
  }
  return asynchronous ? printed : 'completed';
})
