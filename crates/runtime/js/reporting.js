// Where an exception goes that nobody can catch: the `error` event of the global object, then the console. The global
// scope installs the reporter; modules that run a program's callbacks only know this one.

let reporter = () => {};

/** Sets the function that takes reported exceptions. */
export function setReporter(report) {
  reporter = report;
}

/** Reports an exception, as HTML's "report an exception". Never throws. */
export function reportException(exception) {
  reporter(exception, true);
}

/** The same for an exception that listeners hear of and the console does not: that of a microtask or a timer. */
export function reportQuietly(exception) {
  reporter(exception, false);
}
