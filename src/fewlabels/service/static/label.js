// The labelling page: shows one item after another, and sends what is said of each. The next items are fetched before
// they are needed; what was said is kept in the browser until the service has it.

import { Lost, Refused, get, post, studyPath } from "./api.js";
import { Chooser } from "./chooser.js";
import { fetchAhead, showItem } from "./item.js";
import { Outbox } from "./outbox.js";

const at = (id) => document.getElementById(id);
const page = JSON.parse(document.querySelector("meta[name=page-data]").content);  // study, by, classes, positive, guess
const api = studyPath(page.study);
const AHEAD = 2, REMEMBERED = 100, AGAIN = 5000;  // items waiting besides the one shown; undone at most; milliseconds
const kept = "fewlabels/" + page.study + "/";
const touch = matchMedia("(pointer: coarse)").matches;

const COMMANDS = { s: "skip this item", u: "undo: the item before", "=": "the model is right", "?": "all classes, all keys", q: "stop" };
if (!page.guess) { delete COMMANDS["="]; }

let queue = remembered("queue"), past = remembered("past");
let current = null, again = null, walked = [], asking = null, finished = false, stopped = false, retry = null;
let counted = null, said = 0, looking = null;  // labels there are, once that is known; what was said in this window

function remembered(what) {
  try { return JSON.parse(sessionStorage.getItem(kept + what)) || []; } catch { return []; }
}

function remember() {
  try {
    sessionStorage.setItem(kept + "queue", JSON.stringify(current && !again ? [current, ...queue] : queue));
    const stands = again ? [{ query: current, label: again.label }] : [];
    sessionStorage.setItem(kept + "past", JSON.stringify([...past, ...stands, ...walked.slice().reverse()]));
  } catch { /* the browser keeps nothing: a reload asks anew */ }
}

// -- sending --------------------------------------------------------------------------------------------------------

const outbox = new Outbox(kept + (page.by || "") + "/", ({ kind, said, key }) => post(api + "/" + kind, { ...said, key }), heard);

function heard(what, entry, reply) {
  if (what === "sent") { count(entry.kind); progress(reply.progress); }
  if (what === "refused") { tellUser(""); complain("Item " + entry.said.item + " was not recorded: " + reply.message.split("; ")[0].replace(/\.$/, "") + ". The study’s owner can change that."); }
  if (what === "ended") { complain(reply.message + (outbox.waiting ? " What you said is kept in this browser until then." : "")); }
  connection(what === "lost" || what === "ended" ? what : "");
}

function connection(state) {
  const n = outbox.waiting, labels = n === 1 ? "1 label is" : n + " labels are";
  document.body.dataset.connection = state || "good";
  document.body.dataset.waiting = n;
  at("offline").hidden = state !== "lost";
  at("offline-words").textContent = n
    ? "No connection. " + labels + " kept in this browser and sent when it is back; go on."
    : "No connection. What you say is kept in this browser and sent when it is back.";
}

function say(kind, what) { said++; outbox.add({ kind, said: what }); remember(); }

// -- asking ---------------------------------------------------------------------------------------------------------

function fill() {
  if (!asking && queue.length < AHEAD && !finished && !stopped) {
    asking = ask().finally(() => { asking = null; });
  }
  return asking || Promise.resolve();
}

async function ask() {
  clearTimeout(retry);
  if (!current && !queue.length && outbox.waiting) { await outbox.flush(); }  // it may be the last that was wanted
  try {
    const reply = await post(api + "/ask", { n: AHEAD + 1 - queue.length - (current ? 1 : 0) || 1 });
    const have = new Set([...queue, ...(current ? [current] : [])].map((query) => String(query.item)));
    const fresh = reply.queries.filter((query) => !have.has(String(query.item)));
    queue.push(...fresh);
    if (finished || stopped) { release(); return; }  // meanwhile
    fetchAhead(fresh);
    remember();
    connection("");
    if (!current && queue.length) { next(); }
    else if (!current) { reply.done ? finish(reply.reason) : nothing(); }
  } catch (error) {
    if (error instanceof Lost) {
      connection("lost");
      if (!current) { panel("waiting"); }
      retry = setTimeout(fill, AGAIN);
    } else if (error instanceof Refused) {
      error.ended ? heard("ended", null, error) : complain(error.message);
      if (!current) { panel("waiting"); }
    } else { throw error; }
  }
}

function next() {
  again = null;
  current = null;
  queue = queue.filter((query) => !ended(query));
  if (finished) { giveBack(); return; }
  current = queue.shift() || null;
  if (current) { show(current, null); }
  else { panel("waiting"); }
  remember();
  fill();
}

function ended(query) { return query.lease_until && navigator.onLine && Date.parse(query.lease_until) < Date.now(); }

function nothing() {
  panel("empty");
  retry = setTimeout(fill, AGAIN);
}

// -- showing --------------------------------------------------------------------------------------------------------

function show(query, before) {
  panel("item");
  showItem(at("item"), query);
  at("item").dataset.item = query.item;
  at("again").hidden = before === null;
  at("again").textContent = before === null ? "" : again.label === null ? "Again; it was skipped. Choose a class, or skip it once more."
    : "Again; now " + before + ". Choose another class, or " + (touch ? "the same" : "Enter") + " to leave it.";
  at("guess").hidden = !page.guess;
  if (page.guess) {
    at("guess").textContent = query.guess ? "The model says " + query.guess + (query.group ? "; group " + query.group : "") : "";
  }
  chooser.mark(before);
  chooser.clear();
  focusBox();
}

function focusBox() { if (!touch && !document.querySelector("dialog[open]")) { at("typed").focus({ preventScroll: true }); } }

function panel(name) {
  document.body.dataset.state = name;
  for (const part of document.querySelectorAll("[data-panel]")) { part.hidden = part.dataset.panel !== name; }
  chooser.enable(name === "item");
  at("undo").disabled = name !== "item" && name !== "done" && name !== "empty" || !past.length;
  at("skip").disabled = name !== "item";
  at("stop").disabled = name === "done" || name === "stopped";
  if (name !== "item") { const head = document.querySelector("[data-panel=" + name + "] h1"); if (head) { head.focus(); } }
}

function tellUser(words) { at("said").textContent = words; }

function complain(words) { at("trouble-words").textContent = words; at("trouble").hidden = false; }

function progress(now) {
  const likely = now.labels_left ? now.labels_left.likely : 0;
  const bar = at("bar");
  at("left").textContent = now.done ? "done" : now.left || "";
  const labels = Math.max(now.labels, counted ? counted.labels : 0);  // what comes with a label may lag behind it
  at("labels").textContent = labels.toLocaleString("en") + (labels === 1 ? " label" : " labels");
  at("mine").textContent = Math.max(now.mine, counted ? counted.mine : 0).toLocaleString("en") + " yours";
  bar.classList.toggle("none", !now.done && !likely);
  bar.max = now.done ? 1 : labels + likely;
  bar.value = now.done ? 1 : labels;
  if (now.done && !finished) {
    finished = true;
    at("done-reason").textContent = now.reason || "";
    if (!at("typed").value && !again) { giveBack(); }  // not under the hands of somebody who types
  }
}

function finish(reason) {
  finished = true;
  at("done-reason").textContent = reason || "";
  panel("done");
  look();
}

function giveBack() {
  release();
  panel("done");
}

// What comes with a label may lag behind it; this does not, if nothing was said while it was on its way.
function look() { looking ||= lookNow().catch(() => { /* it comes with the next label */ }).finally(() => { looking = null; }); }

async function lookNow() {
  for (let before = -1; before !== said;) {
    await outbox.flush();
    before = said;
    const now = await get(api + "/progress");
    counted = before === said && !outbox.waiting ? { labels: now.labels, mine: now.mine } : null;
    progress(now);
  }
}

function count(kind) {
  if (kind === "withdraw") { counted = null; }
  else if (counted) { counted.labels += kind === "tell"; counted.mine += kind !== "correct"; }
  if (!counted && !outbox.waiting) { look(); }
}

function release() {
  const items = queue.map((query) => query.item);
  if (current && !again) { items.push(current.item); }
  queue = []; current = null; again = null;
  remember();
  if (items.length) { post(api + "/release", { items }).catch(() => { /* the lease ends by itself */ }); }
}

// -- what the labeller does ------------------------------------------------------------------------------------------

function choose(name) {
  const query = current, before = again;
  at("trouble").hidden = true;
  if (before === null) {
    say("tell", { item: query.item, query: query.query, label: name });
    tellUser("✓ " + name);
  } else if (before.label === name) {
    tellUser("✓ still " + name);
  } else {
    say("correct", { item: query.item, label: name });
    tellUser("✓ " + name + " (was " + (before.label ?? "skipped") + ")");
  }
  done(query, name);
}

function done(query, label) {
  past.push(...walked.reverse(), { query, label });
  past = past.slice(-REMEMBERED);
  walked = [];
  connection(document.body.dataset.connection === "lost" ? "lost" : "");
  next();
}

// As in the terminal: the item before is shown again, and its label stands until another is given; once more goes on to
// the one before that.
function undo() {
  const last = past.pop();
  if (!last) { tellUser("There is nothing to undo in this window."); return; }
  if (again) { walked.push({ query: current, label: again.label }); }
  else if (current) { queue.unshift(current); }
  current = last.query; again = { label: last.label };
  show(current, last.label ?? "skipped");
  tellUser("undo: " + (last.label ?? "skipped"));
  remember();
}

function askWhy() {
  at("reason").value = "";
  at("skip-dialog").showModal();
  if (!touch) { at("reason").focus(); }  // a phone's keyboard would hide the reasons
}

function skip(reason) {
  const query = current, item = query.item, words = reason.trim() || null;
  if (again) { say("withdraw", { item }); }
  say("skip", { item, query: query.query, reason: words });
  tellUser(words ? "skipped: " + words : "skipped");
  done(query, null);
}

function stop() {
  stopped = true;
  release();
  at("stopped-count").textContent = past.length ? "In this window you have dealt with " + (past.length === 1 ? "one item" : past.length + " items") + "." : "";
  panel("stopped");
}

function goOn() { finished = false; stopped = false; panel("waiting"); fill(); }

function command(word) {
  const deeds = {
    s: askWhy, u: undo, q: stop,
    "?": () => { at("keys-dialog").showModal(); },
    "=": () => { if (current && current.guess) { choose(current.guess); } },
  };
  deeds[word]();
}

if (touch) { at("typed").placeholder = "Part of a name"; }

// -- wiring -----------------------------------------------------------------------------------------------------------

const chooser = new Chooser({
  input: at("typed"), list: at("classes"), count: at("count"), classes: page.classes, positive: page.positive,
  commands: COMMANDS, choose, command,
});

at("undo").addEventListener("click", undo);
at("skip").addEventListener("click", askWhy);
at("stop").addEventListener("click", stop);
at("keys").addEventListener("click", () => at("keys-dialog").showModal());
for (const button of document.querySelectorAll("[data-go-on]")) { button.addEventListener("click", goOn); }
at("trouble-close").addEventListener("click", () => { at("trouble").hidden = true; focusBox(); });
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("close", focusBox);
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
}

at("skip-form").addEventListener("submit", (event) => {
  event.preventDefault();
  at("skip-dialog").close();
  skip(at("reason").value);
});
for (const button of document.querySelectorAll("[data-reason]")) {
  button.addEventListener("click", () => { at("skip-dialog").close(); skip(button.dataset.reason); });
}
at("skip-dialog").addEventListener("keydown", (event) => {
  const button = at("reason").value ? null : document.querySelector("[data-reason-key='" + CSS.escape(event.key) + "']");
  if (button && !event.repeat) { event.preventDefault(); button.click(); }
});

document.addEventListener("keydown", (event) => {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key.toLowerCase() === "z" && !at("typed").value && !document.querySelector("dialog[open]")) {
    event.preventDefault();
    if (!at("undo").disabled) { undo(); }
  }
  const plain = !command && !event.altKey && event.key.length === 1 && event.key !== " ";
  const free = !document.activeElement.closest("input, button, a, dialog");  // whoever types means the box
  if (plain && free && document.body.dataset.state === "item") { at("typed").focus(); }
});
at("typed").addEventListener("keydown", (event) => {  // a long item is read without leaving the box
  if (event.key === " " && !at("typed").value) {
    event.preventDefault();
    at("item").scrollBy({ top: (event.shiftKey ? -0.8 : 0.8) * at("item").clientHeight });
  }
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && current && !again && ended(current)) { next(); }
});
window.addEventListener("offline", () => connection("lost"));
window.addEventListener("online", () => { connection(""); fill(); });
window.addEventListener("storage", () => connection(document.body.dataset.connection === "lost" ? "lost" : ""));

// A phone's keyboard may lie over the page (iOS): the page is what is left of the window.
window.visualViewport?.addEventListener("resize", () => {
  document.body.style.height = Math.round(visualViewport.height * visualViewport.scale) + "px";
});

connection("");
look();
next();
