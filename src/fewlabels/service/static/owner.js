// The owner's page: the part that moves is fetched again when something happened; forms send what they say.

import { post, studyPath } from "./api.js";
import { followGoal, goalOf, onSubmit, trouble, wholeOf } from "./forms.js";

const at = (id) => document.getElementById(id);
const page = JSON.parse(document.querySelector("meta[name=page-data]").content);  // study, classes
const api = studyPath(page.study), SOONEST = 2000, SHARE = 5;  // milliseconds; of the time a look took

async function look() {
  const started = performance.now();
  if (!document.hidden && !busy()) {
    try {
      const answer = await fetch(page.live + "?after=" + at("live").dataset.events, { credentials: "same-origin" });
      if (answer.status === 200) { replace(await answer.text()); }
      at("fresh").textContent = answer.ok ? "" : "Not up to date: the service said " + answer.status + ".";
    } catch { at("fresh").textContent = "Not up to date: no connection."; }
  }
  setTimeout(look, Math.max(SOONEST, SHARE * (performance.now() - started)));
}

// Somebody is deciding on an item: nothing moves under their hands.
function busy() {
  const here = document.activeElement;
  return Boolean(here && here.closest("#live") && (here.value || here.matches("button")));
}

function replace(text) {
  const before = new Map(Array.from(document.querySelectorAll("[data-moves]"), (e) => [e.dataset.moves, e.textContent]));
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("live");
  at("live").replaceWith(document.adoptNode(fresh));
  for (const number of document.querySelectorAll("[data-moves]")) {
    if (before.get(number.dataset.moves) !== number.textContent) {
      number.classList.add("moved");
      setTimeout(() => number.classList.remove("moved"), 1500);
    }
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("#live .decide button");
  if (!button) { return; }
  const place = button.closest("[data-item]"), other = place.querySelector("input");
  const label = "other" in button.dataset ? other.value.trim() : button.dataset.label;
  if (!label) { other.focus(); return; }
  try {
    await post(api + "/correct", { item: JSON.parse(place.dataset.item), label });
    place.remove();
    at("said").textContent = "Decided: " + label;
    trouble("");
  } catch (error) { trouble(error.message); }
});

onSubmit(at("link-form"), async (form) => {
  const { by, role, hours } = form.elements;
  const made = await post(api + "/links", { by: by.value.trim(), role: role.value, hours: Number(hours.value) });
  at("link-by").textContent = by.value.trim();
  at("link-expires").textContent = new Date(typeof made.expires === "number" ? 1000 * made.expires : made.expires).toLocaleString();
  at("link-url").value = new URL(made.url, location.href).href;
  at("link-made").hidden = false;
  at("link-url").select();
});

at("link-copy").addEventListener("click", async () => {
  at("link-url").select();
  try { await navigator.clipboard.writeText(at("link-url").value); } catch { document.execCommand("copy"); }
  at("link-copy").textContent = "Copied";
});

onSubmit(at("change-form"), async (form) => {
  const said = {}, budget = wholeOf(form.elements.budget), { goal, size } = form.elements;
  if (budget !== page.budget) { said.budget = budget; }
  if (goal.value !== wasGoal || size.value !== wasSize) { said.until = goalOf(form); }
  if (!Object.keys(said).length) { throw new Error("Nothing is different: that is how it is now."); }
  await post(api + "/change", said);
  location.reload();
});

const form = at("change-form");
if (page.goal) {
  form.elements.goal.value = page.goal.of === "overall" ? "overall" : page.goal.name;
  form.elements.size.value = page.goal.goal;
}
followGoal(form);
const wasGoal = form.elements.goal.value, wasSize = form.elements.size.value;
setTimeout(look, SOONEST);
