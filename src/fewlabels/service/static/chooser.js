// The box in which a class is found: by typing part of its name, by arrows and Enter, by the numbers on the screen, or
// by touch. What is typed may also be a command of the terminal's labelling: it then stands first in the list.

import { findClasses, normal } from "./find.js";

const NUMBERED = 9;  // classes that have a key of their own, however the list is narrowed

export class Chooser {
  // `classes` are names in order; `commands` {word: what it does}; `choose(name)` and `command(word)` are called.
  constructor({ input, list, count, classes, positive, commands, choose, command }) {
    Object.assign(this, { input, list, count, commands, choose, command });
    this.classes = classes.map((name, place) => ({ name, normal: normal(name), key: name, place }));
    this.names = new Set(classes);
    this.binary = positive !== null && classes.length === 2 ? positive : null;
    this.options = new Map();
    this.shown = []; this.active = -1; this.enabled = true; this.now = null;
    this.listen();
    this.filter();
  }

  listen() {
    this.input.addEventListener("input", () => this.filter());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("mousedown", (event) => event.preventDefault());  // the box keeps the focus
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option && event.detail < 2) { this.take(this.shown[Array.from(this.list.children).indexOf(option)]); }
    });
  }

  // The class an item has now, where it is shown again.
  mark(name) { this.now = name; }

  clear() { this.input.value = ""; this.filter(); }

  enable(on) {
    this.enabled = on;
    this.input.disabled = !on;
    this.list.classList.toggle("off", !on);
  }

  filter() {
    const typed = this.input.value.trim(), command = this.commandOf(typed);
    const { found, sure } = findClasses(command && typed.startsWith(":") ? "" : typed, this.classes);
    const rest = command && typed.startsWith(":") ? [] : found;
    this.shown = command ? [{ key: ":" + command, command }, ...rest] : rest;
    this.list.replaceChildren(...this.shown.map((one) => this.optionOf(one)));
    this.number(typed);
    this.list.scrollTop = 0;
    this.activate(command || (typed && sure) ? 0 : typed ? -1 : this.shown.findIndex((one) => one.name === this.now));
    const n = rest.length;
    this.count.textContent = !typed ? "" : !n ? "No class is like this." : sure ? n + (n === 1 ? " class" : " classes") : "No class has this; these are near:";
  }

  // As in the terminal: a class of that very name wins, and then a colon makes the command.
  commandOf(typed) {
    const word = typed.startsWith(":") ? typed.slice(1) : this.names.has(typed) ? "" : typed;
    return Object.hasOwn(this.commands, word) ? word : "";
  }

  optionOf(one) {
    const kept = this.options.get(one.key);
    if (kept) { return kept; }
    const option = document.createElement("li"), key = document.createElement("kbd"), name = document.createElement("span");
    option.setAttribute("role", "option");
    option.id = "option-" + this.options.size;
    name.className = "name";
    if (one.command) { option.className = "command"; name.textContent = this.commands[one.command]; }
    else { name.append(...breakable(one.name)); name.dir = "auto"; }
    option.append(key, name);
    this.options.set(one.key, option);
    return option;
  }

  // Numbers beside the first nine: those that are keys now, because no name goes on with them.
  number(typed) {
    this.keys = new Map();
    let place = 0;
    this.shown.forEach((one) => {
      const option = this.options.get(one.key);
      option.setAttribute("aria-selected", "false");
      const number = one.command ? one.command : this.numberOf(one, ++place, typed);
      if (number && !one.command) { this.keys.set(number, one); }
      option.firstChild.textContent = number;
      option.classList.toggle("now", !one.command && one.name === this.now);
    });
  }

  numberOf(one, place, typed) {
    const stays = this.classes.length <= NUMBERED ? one.place + 1 : place;  // few classes keep their numbers
    const number = String(this.binary !== null ? Number(one.name === this.binary) : stays);
    if (this.names.has(one.name) && one.name.length === 1 && /\d/.test(one.name) && !typed) {
      return this.begins(one.name, one) ? "" : one.name;  // a class called by a digit is its own key
    }
    return number.length > 1 || this.goesOn(number) ? "" : number;
  }

  // Whether somebody who types this digit may be on the way to a class: among many, wherever in its name it stands.
  goesOn(digit) {
    const few = this.classes.length <= NUMBERED && !this.input.value.trim();
    return few ? this.begins(digit) : findClasses(this.input.value + digit, this.classes).sure;
  }

  begins(digit, besides = null) {
    return this.classes.some((one) => one !== besides && one.normal.startsWith(digit));
  }

  activate(place) {
    const before = this.list.children[this.active];
    if (before) { before.setAttribute("aria-selected", "false"); }
    this.active = place;
    const option = this.list.children[place];
    if (!option) { this.input.removeAttribute("aria-activedescendant"); return; }
    option.setAttribute("aria-selected", "true");
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) { return; }
    const last = this.shown.length - 1, page = 10;
    const moves = {
      ArrowDown: () => this.active >= last ? 0 : this.active + 1,
      ArrowUp: () => this.active <= 0 ? last : this.active - 1,
      PageDown: () => Math.min(this.active + page, last),
      PageUp: () => Math.max(this.active - page, 0),
    };
    if (moves[event.key]) { event.preventDefault(); this.activate(last < 0 ? -1 : moves[event.key]()); return; }
    if (event.key === "Escape") { event.preventDefault(); this.clear(); return; }
    if (event.repeat) {  // a key held down labels one item, not ten
      if (event.key === "Enter" || this.keys.has(event.key)) { event.preventDefault(); }
      return;
    }
    if (event.key === "Enter") { event.preventDefault(); this.take(this.shown[this.active]); return; }
    if (this.keys.has(event.key)) { event.preventDefault(); this.take(this.keys.get(event.key)); }
  }

  take(one) {
    if (!one || !this.enabled) { return; }
    if (one.command) { this.clear(); this.command(one.command); return; }
    this.choose(one.name);
  }
}

// A name that may go on in the next line where its words end.
function breakable(name) {
  return name.split(/(?<=[_\-./])(?=[^_\-./])/u).flatMap((part, i) => i ? [document.createElement("wbr"), part] : [part]);
}
