// A field that is misspelt is answered with the fields there are: the prototype of what a bot is given throws.
"use strict";

// What Node and other code ask any object for, without meaning a field of it.
const ASKED_OF_ALL = new Set(["then", "toJSON", "inspect", "nodeType", "$$typeof", "asymmetricMatch"]);
const prototypes = new Map();

/** A prototype for objects called `kind`: reading what is none of their `fields` throws a TypeError. */
function prototype(kind, fields) {
  if (!prototypes.has(kind)) {
    const get = (target, key) => {
      if (typeof key !== "string" || key in target || ASKED_OF_ALL.has(key) || fields.includes(key)) return target[key];
      throw new TypeError(`${kind} has no "${key}"; it has ${fields.join(", ")}`);
    };
    prototypes.set(kind, new Proxy({}, { get }));
  }
  return prototypes.get(kind);
}

/** The object as it is, one that answers a field of another name with all `fields` it may have. */
function named(kind, object, fields) {
  return Object.setPrototypeOf(object, prototype(kind, fields));
}

module.exports = { named };
