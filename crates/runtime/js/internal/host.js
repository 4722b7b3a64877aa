// The functions that the host lends to the library. They arrive after the snapshot is restored, so a module
// reads a member when it needs it and never when it is loaded. Nothing here is reachable from a program.
export const host = { __proto__: null };

// Fills `host` from the record that the embedder hands over, once per realm.
export function adoptHost(natives) {
  for (const name in natives) host[name] = natives[name];
}
