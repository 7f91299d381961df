// Small helpers to make elements. Text only ever becomes a text node: whatever a bot is called or says is shown letter for letter.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

/** An HTML element; children are nodes or texts, null and false are left out. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element. */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** `parent` holds exactly these children afterwards. */
export function put(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

/** The text is changed only if it differs, so that nothing is laid out or announced anew without need. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

const ICONS = {
  first: "M6 5h2.4v14H6zM19 5v14L9.5 12z",
  last: "M15.600 5H18v14h-2.400zM5 5v14l9.500-7z",
  back: "M15.500 5.200 9 12l6.500 6.800-1.900 1.700L5.500 12l8.100-8.500z",
  forward: "M8.500 5.200 15 12l-6.500 6.800 1.900 1.700 8.100-8.500-8.100-8.500z",
  play: "M7 4.500v15l12.500-7.500z",
  pause: "M6.500 5h4v14h-4zM13.500 5h4v14h-4z",
  prevEvent: "M13 4.500 5.500 12l7.500 7.500 1.600-1.600L8.700 12l5.900-5.900zM17.500 9.200l2.800 2.800-2.800 2.800-2.800-2.800z",
  nextEvent: "M11 4.500l7.500 7.500-7.500 7.500-1.600-1.600 5.900-5.900-5.900-5.900zM6.500 9.200l2.800 2.800-2.800 2.800L3.700 12z",
  prevRound: "M4 5h2v14H4zM13 5.500v13L6.800 12zM20 5.500v13L13.800 12z",
  nextRound: "M18 5h2v14h-2zM11 5.500v13l6.200-6.500zM4 5.500v13l6.200-6.500z",
  undo: "M9 5 3.500 10.500 9 16v-3.800h5a3.500 3.500 0 0 1 0 7h-3v2.300h3a5.800 5.800 0 0 0 0-11.600H9z",
  link: "M10.600 13.400a4 4 0 0 1 0-5.700l3-3a4 4 0 0 1 5.700 5.700l-1.600 1.600-1.500-1.500 1.600-1.600a1.900 1.900 0 0 0-2.700-2.700l-3 3a1.900 1.900 0 0 0 0 2.700zM13.400 10.600a4 4 0 0 1 0 5.700l-3 3a4 4 0 0 1-5.700-5.700l1.600-1.600 1.500 1.500-1.600 1.600a1.900 1.900 0 0 0 2.700 2.700l3-3a1.900 1.900 0 0 0 0-2.700z",
  full: "M4 4h6v2.200H6.200V10H4zM14 4h6v6h-2.200V6.200H14zM4 14h2.200v3.800H10V20H4zM17.800 14H20v6h-6v-2.200h3.800z",
  save: "M11 4h2v8.200l2.900-2.900 1.400 1.400L12 16l-5.300-5.300 1.400-1.400 2.900 2.900zM5 18h14v2H5z",
  keys: "M3 6h18v12H3zM5 8v2h2V8zm4 0v2h2V8zm4 0v2h2V8zm4 0v2h2V8zM5 11.500v2h2v-2zm4 0v2h2v-2zm4 0v2h2v-2zm4 0v2h2v-2zM8 14.800v1.600h8v-1.600z",
  note: "M4 4h16v12H9l-5 4.500z",
  fault: "M12 3 22.500 20.500h-21zM11 9.500v5.500h2V9.500zm0 7v2h2v-2z",
  clockwise: "M12 4a8 8 0 1 1-7.700 5.800l2.200.6A5.700 5.700 0 1 0 12 6.300V10L6.500 5.200 12 .5z",
  eye: "M12 5c5 0 8.700 3.600 10.500 7C20.700 15.400 17 19 12 19S3.300 15.400 1.500 12C3.300 8.600 7 5 12 5zm0 2.200C8.300 7.200 5.500 9.600 4 12c1.500 2.400 4.300 4.800 8 4.800s6.500-2.400 8-4.800c-1.500-2.400-4.300-4.800-8-4.800zm0 1.600a3.200 3.200 0 1 1 0 6.400 3.200 3.200 0 0 1 0-6.400z",
  more: "M5 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm7 0a2 2 0 1 1 0 4 2 2 0 0 1 0-4zm7 0a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  close: "M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400L12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
};

/** A drawn icon: paths of our own, because icon fonts and emoji are missing on many machines. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}
