// What was said and not yet acknowledged. Each entry lies in the browser under a key of its own until the service has
// it, through reloads and lost connections, and carries the key by which the service knows it again: sent twice, it is
// recorded once. Entries go one after another, in the order in which they were said.

import { Lost, Refused } from "./api.js";

const SOONEST = 500, LATEST = 15000;  // milliseconds between two tries

export class Outbox {
  // `send(entry)` sends one; `hear(what, entry, reply)` is told: "sent", "refused", "lost", "ended".
  constructor(prefix, send, hear) {
    this.prefix = prefix; this.send = send; this.hear = hear;
    this.memory = new Map();  // where the browser keeps nothing
    this.last = 0; this.sending = null; this.pause = SOONEST; this.timer = null;
    window.addEventListener("online", () => this.flush());
  }

  add(entry) {
    this.last = Math.max(this.last + 1, Date.now());
    const kept = { ...entry, key: entry.key || madeKey() };
    const place = this.prefix + String(this.last).padStart(15, "0") + "-" + kept.key;
    try { localStorage.setItem(place, JSON.stringify(kept)); } catch { this.memory.set(place, kept); }
    this.flush();
    return kept;
  }

  get places() {
    const found = [...this.memory.keys()];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        if (localStorage.key(i).startsWith(this.prefix)) { found.push(localStorage.key(i)); }
      }
    } catch { /* the browser keeps nothing */ }
    return found.sort();
  }

  get waiting() { return this.places.length; }

  flush() {
    if (!this.sending) { this.sending = this.drain().finally(() => { this.sending = null; }); }
    return this.sending;
  }

  async drain() {
    clearTimeout(this.timer);
    for (let place = this.places[0]; place; place = this.places[0]) {
      const entry = this.read(place);
      try {
        const reply = entry && await this.send(entry);
        this.drop(place);
        this.pause = SOONEST;
        if (entry) { this.hear("sent", entry, reply); }
      } catch (error) {
        if (error instanceof Refused && !error.ended) { this.drop(place); this.hear("refused", entry, error); continue; }
        this.hear(error instanceof Lost ? "lost" : "ended", entry, error);
        if (error instanceof Lost) { this.later(); }
        return;
      }
    }
  }

  later() {
    this.timer = setTimeout(() => this.flush(), this.pause);
    this.pause = Math.min(2 * this.pause, LATEST);
  }

  read(place) {
    if (this.memory.has(place)) { return this.memory.get(place); }
    try { return JSON.parse(localStorage.getItem(place)); } catch { return null; }
  }

  drop(place) {
    this.memory.delete(place);
    try { localStorage.removeItem(place); } catch { /* the browser keeps nothing */ }
  }
}

export function madeKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
